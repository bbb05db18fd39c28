import type { Position } from "../core/diagnostic.ts";
import { formatPath, type JsonObject, leaves, type Path } from "../core/json.ts";
import type { Origin } from "../kinds/kind.ts";
import type { Declaration } from "./declaration.ts";
import type { Policy } from "./desired.ts";
import { child, items, type Node, nodeAt, textOf } from "./node.ts";
import { matchingPolicies } from "./policies.ts";
import type { DecodedRules } from "./rules.ts";

/** Where one leaf of a hostname comes from; undefined where nothing sets it. */
export function originOfLeaf(
  path: Path,
  declaration: Declaration,
  { rules, written }: DecodedRules,
  zoneFile: string,
): Origin | undefined {
  const policies = matchingPolicies(rules, declaration.facts).toReversed();
  const bySet = (policy: Policy): Origin | undefined => {
    const node = valueNode(written.get(policy)?.set, path);
    const kind = policy.isException ? "exception" : "policy";
    return node && { at: node.at, through: `${kind} ${JSON.stringify(policy.name)}${layerOf(node.at, zoneFile)}` };
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
  const node = valueNode(written.node, path);
  return node && direct(node.at, zoneFile);
}

/** The leaves of a hostname with their origins, by formatted path. */
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

/** The leaves of an object that stands in one place; rules by their ref: `rules."sec/managed".action`. */
export function originsOfNode(node: Node, zoneFile: string): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  const visit = (current: Node, path: Path): void => {
    if (path.length > 0 && current.kind !== "map") origins.set(formatPath(path), direct(current.at, zoneFile));
    if (current.kind === "map") {
      for (const [key, { value }] of current.entries) visit(value, [...path, key]);
    }
    if (path.length === 1 && path[0] === "rules") {
      for (const rule of items(current)) visit(rule, [...path, textOf(child(rule, "ref")) ?? ""]);
    }
  };
  visit(node, []);
  return origins;
}

function direct(at: Position, zoneFile: string): Origin {
  return at.file === zoneFile ? { at } : { at, through: `layer ${at.file}` };
}

function layerOf(at: Position, zoneFile: string): string {
  return at.file === zoneFile ? "" : ` of the layer ${at.file}`;
}

/** A value that is there: `null` sets nothing. */
function valueNode(node: Node | undefined, path: Path): Node | undefined {
  const found = nodeAt(node, path);
  return found?.kind === "scalar" && found.value === null ? undefined : found;
}
