import { defined } from "../core/defined.ts";
import type { Origin, Position } from "../core/diagnostic.ts";
import { isList, isObject, type Path } from "../core/json.ts";
import type { Declaration } from "./declaration.ts";
import type { Policy } from "./desired.ts";
import { find, type Located, nearest } from "./document.ts";
import { matchingPolicies } from "./policies.ts";
import type { DecodedRules } from "./rules.ts";

/** Where one field of a hostname comes from; undefined if nothing sets it. */
export function originOfLeaf(
  path: Path,
  { facts, written }: Pick<Declaration, "facts"> & Partial<Pick<Declaration, "written">>,
  decoded: DecodedRules,
  zoneFile: string,
): Origin | undefined {
  const policies = matchingPolicies(decoded.rules, facts).toReversed();
  const bySet = (policy: Policy): Origin | undefined => {
    const section = decoded.written.get(policy);
    const found = valueIn(section?.set, path);
    const kind = policy.isException ? "exception" : "policy";
    const until = section !== undefined && "until" in section ? section.until : undefined;
    return (
      found && {
        at: found.at,
        through: `${kind} ${JSON.stringify(policy.name)}${layerOf(found.at, zoneFile)}`,
        isShared: true,
        ...defined({ until: until ?? undefined }),
      }
    );
  };
  const first = (isException: boolean): Origin | undefined => {
    for (const policy of policies) {
      const origin = policy.isException === isException ? bySet(policy) : undefined;
      if (origin) return origin;
    }
    return undefined;
  };
  return first(true) ?? (written && originInDeclaration(path, written, zoneFile)) ?? first(false);
}

function originInDeclaration(path: Path, written: Declaration["written"], zoneFile: string): Origin | undefined {
  if (written.kind === "row") {
    const at = written.table.place(written.raw, written.line, path.join("."));
    return at && { at, through: `source ${JSON.stringify(written.source)}, row ${written.row}` };
  }
  const found = valueIn(written.entry, path);
  return found && direct(found.at, zoneFile);
}

/**
 * The origin of a field of an object that is declared in one place; of the nearest part of the path, if the field is
 * not written there.
 */
export function originInSection(section: object, path: Path, zoneFile: string): Origin | undefined {
  const [first, ref, ...rest] = path;
  const rules = first === "rules" && ref !== undefined ? find(section, ["rules"])?.value : undefined;
  const index = isList(rules) ? rules.findIndex((rule) => isObject(rule) && rule["ref"] === ref) : -1;
  const found = nearest(section, index < 0 ? path : ["rules", index, ...rest]);
  return found && direct(found.at, zoneFile);
}

/** The origin of a value that is written once: its place, and its layer unless it is in the zone file itself. */
export function direct(at: Position, zoneFile: string): Origin {
  return at.file === zoneFile ? { at } : { at, through: `layer ${at.file}` };
}

function layerOf(at: Position, zoneFile: string): string {
  return at.file === zoneFile ? "" : ` of the layer ${at.file}`;
}

/** The value at a path, if it is set: `null` sets nothing. */
function valueIn(section: object | undefined, path: Path): Located | undefined {
  const found = find(section, path);
  return found?.value === null ? undefined : found;
}
