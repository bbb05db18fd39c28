import { certificatePack } from "./certificate-pack/kind.ts";
import { customHostname } from "./custom-hostname/kind.ts";
import { fallbackOrigin } from "./fallback-origin/kind.ts";
import type { Kind, KindName } from "./kind.ts";
import { ruleset } from "./ruleset/kind.ts";
import { totalTls } from "./total-tls/kind.ts";
import { wafMigration } from "./waf-migration/kind.ts";

/** Every kind of resource, in the order in which they are carried out. A new kind is one folder and one line here. */
export const KINDS: readonly Kind[] = [
  fallbackOrigin,
  customHostname,
  certificatePack,
  ruleset,
  wafMigration,
  totalTls,
];

const byName = new Map<string, Kind>(KINDS.map((kind) => [kind.name, kind]));

/** The kind of that name. Throws where there is none: the name has been checked before. */
export function kindNamed(name: KindName): Kind {
  const kind = byName.get(name);
  if (!kind) throw new Error(`there is no kind of resource named ${name}`);
  return kind;
}

/** The kind of a name that somebody typed, or undefined. */
export function kindIfNamed(name: string): Kind | undefined {
  return byName.get(name);
}
