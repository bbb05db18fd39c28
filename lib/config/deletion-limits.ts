import type { KindName } from "../kinds/kind.ts";
import { KINDS } from "../kinds/registry.ts";
import type { DeletionLimit } from "./desired.ts";
import type { DeletionLimitSections } from "./document-types.ts";
import { shareOf } from "./source.ts";

/** Where nothing is said: half of them, but never more than a person reads through. */
const DEFAULT: DeletionLimit = { share: 0.5, count: 100 };

/** Decodes `deletion_limits`; `below` is what holds where this says nothing (the project file's, for a zone). */
export function decodeDeletionLimits(
  sections: DeletionLimitSections = {},
  below: ReadonlyMap<KindName, DeletionLimit> = new Map(),
): ReadonlyMap<KindName, DeletionLimit> {
  const limits = new Map<KindName, DeletionLimit>();
  for (const { name, lifetime } of KINDS) {
    if (lifetime !== "while-declared") continue;
    const [said, otherwise] = [sections[name], below.get(name) ?? DEFAULT];
    limits.set(name, {
      share: shareOf(said?.percent) ?? otherwise.share,
      count: said?.count ?? otherwise.count,
    });
  }
  return limits;
}
