import { defined } from "../core/defined.ts";
import type { KindName } from "../kinds/kind.ts";
import { KINDS } from "../kinds/registry.ts";
import type { DeletionLimit } from "./desired.ts";
import type { DeletionLimitSections } from "./document-types.ts";
import { shareOf } from "./source.ts";

/** The default: not more than a person would review. */
const DEFAULT: DeletionLimit = { count: 25 };

/** Decodes `deletion_limits`; `below` applies to what this section does not set (for a zone, it is the project's). */
export function decodeDeletionLimits(
  sections: DeletionLimitSections = {},
  below: ReadonlyMap<KindName, DeletionLimit> = new Map(),
): ReadonlyMap<KindName, DeletionLimit> {
  const limits = new Map<KindName, DeletionLimit>();
  for (const { name, lifetime } of KINDS) {
    if (lifetime !== "while-declared") continue;
    const [said, otherwise] = [sections[name], below.get(name) ?? DEFAULT];
    limits.set(name, {
      ...defined({ share: shareOf(said?.percent) ?? otherwise.share }),
      count: said?.count ?? otherwise.count,
    });
  }
  return limits;
}
