import { optionalText } from "../core/decode.ts";
import type { Position } from "../core/diagnostic.ts";
import { formatPath, isList, isObject, type JsonObject, leaves, type Path } from "../core/json.ts";
import type { Origin } from "../kinds/kind.ts";
import type { Declaration } from "./declaration.ts";
import type { Policy } from "./desired.ts";
import { find, type Located, membersOf } from "./document.ts";
import { matchingPolicies } from "./policies.ts";
import type { DecodedRules } from "./rules.ts";

/** Where one field of a hostname comes from; undefined if nothing sets it. */
export function originOfLeaf(
  path: Path,
  declaration: Declaration,
  { rules, written }: DecodedRules,
  zoneFile: string,
): Origin | undefined {
  const policies = matchingPolicies(rules, declaration.facts).toReversed();
  const bySet = (policy: Policy): Origin | undefined => {
    const found = valueIn(written.get(policy)?.set, path);
    const kind = policy.isException ? "exception" : "policy";
    return found && { at: found.at, through: `${kind} ${JSON.stringify(policy.name)}${layerOf(found.at, zoneFile)}` };
  };
  const first = (isException: boolean): Origin | undefined => {
    for (const policy of policies) {
      const origin = policy.isException === isException ? bySet(policy) : undefined;
      if (origin) return origin;
    }
    return undefined;
  };
  return first(true) ?? originInDeclaration(path, declaration, zoneFile) ?? first(false);
}

function originInDeclaration(path: Path, { written }: Declaration, zoneFile: string): Origin | undefined {
  if (written.kind === "row") {
    const at = written.table.place(written.raw, written.line, path.join("."));
    return at && { at, through: `source ${JSON.stringify(written.source)}, row ${written.row}` };
  }
  const found = valueIn(written.entry, path);
  return found && direct(found.at, zoneFile);
}

/** The fields of a hostname with their origins, by formatted path. */
export function originsOfHostname(
  spec: JsonObject,
  isLeaf: (path: Path) => boolean,
  declaration: Declaration,
  rules: DecodedRules,
  zoneFile: string,
): ReadonlyMap<string, Origin> {
  const found = leaves(spec, isLeaf).flatMap(({ path }) => {
    const origin = originOfLeaf(path, declaration, rules, zoneFile);
    return origin ? [[formatPath(path), origin] as const] : [];
  });
  return new Map([["hostname", direct(declaration.at, zoneFile)], ...found]);
}

/** The fields of an object that is declared in one place; rules by their ref: `rules."sec/managed".action`. */
export function originsOfSection(section: JsonObject, zoneFile: string): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  const visit = ({ value, at }: Located, path: Path): void => {
    if (isObject(value)) return visitMap(value, path);
    origins.set(formatPath(path), direct(at, zoneFile));
    if (path.length > 1 || path[0] !== "rules" || !isList(value)) return;
    for (const rule of value) if (isObject(rule)) visitMap(rule, [...path, optionalText(rule, "ref") ?? ""]);
  };
  const visitMap = (map: JsonObject, path: Path): void => {
    for (const [key, member] of membersOf(map)) visit(member, [...path, key]);
  };
  visitMap(section, []);
  return origins;
}

function direct(at: Position, zoneFile: string): Origin {
  return at.file === zoneFile ? { at } : { at, through: `layer ${at.file}` };
}

function layerOf(at: Position, zoneFile: string): string {
  return at.file === zoneFile ? "" : ` of the layer ${at.file}`;
}

/** A value that is set: `null` sets nothing. */
function valueIn(section: object | undefined, path: Path): Located | undefined {
  const found = find(section, path);
  return found?.value === null ? undefined : found;
}
