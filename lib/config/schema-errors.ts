import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { nearest, type Node, type NodePath } from "./node.ts";
import { nameOf } from "./node-path.ts";
import { unknownKey } from "./schema-keys.ts";
import { valueProblem } from "./schema-values.ts";
import type { SchemaProblem } from "./schema-problem.ts";

/** What a schema found, and the parts of the tree that the finding is about. */
export interface SchemaFinding {
  readonly diagnostic: Diagnostic;
  readonly path: NodePath;
  readonly node: Node;
}

/** Turns what the schema library reports into diagnostics at the wrong value, or at the key that is not known. */
export function schemaFindings(errors: readonly SchemaProblem[], root: Node): readonly SchemaFinding[] {
  const found = new Map<string, SchemaFinding>();
  for (const problem of [...errors].sort((left, right) => rank(left) - rank(right))) {
    const finding = findingOf(problem, root);
    if (!finding) continue;
    // A value of the wrong type also fails each of its other rules: the first, most basic one is said.
    const place = `${JSON.stringify(finding.path)} ${problem.keyword === "required" ? String(problem.params["missingProperty"]) : ""}`;
    if (!found.has(place)) found.set(place, finding);
  }
  return [...found.values()];
}

const RANKS = ["type", "const", "enum", "minLength", "pattern"];

function rank({ keyword }: SchemaProblem): number {
  const place = RANKS.indexOf(keyword);
  return place < 0 ? RANKS.length : place;
}

function findingOf(problem: SchemaProblem, root: Node): SchemaFinding | undefined {
  const path = pathOf(problem.instancePath, root);
  const node = nearest(root, path);
  switch (problem.keyword) {
    case "if":
      return undefined;
    case "additionalProperties":
    case "propertyNames":
      return keyFinding(problem, path, node);
    case "required":
      return {
        path,
        node,
        diagnostic: error({
          code: "missing-key",
          message: `${nameOf([...path, String(problem.params["missingProperty"])])} is missing`,
          remedy: "add it",
          at: node.at,
        }),
      };
    default:
      return { path, node, diagnostic: valueProblem(problem, path, node) };
  }
}

function keyFinding(problem: SchemaProblem, path: NodePath, node: Node): SchemaFinding | undefined {
  const key = String(problem.params["additionalProperty"] ?? problem.params["propertyName"]);
  const entry = node.kind === "map" ? node.entries.get(key) : undefined;
  if (!entry) return undefined;
  const { code, message, remedy }: Pick<Diagnostic, "code" | "message" | "remedy"> =
    problem.keyword === "propertyNames"
      ? {
          code: "bad-key",
          message: `${JSON.stringify(key)} cannot be a name in ${nameOf(path)}`,
          remedy: "use a short name of letters, digits, hyphens and underscores",
        }
      : unknownKey(key, path, problem);
  return { path: [...path, key], node: entry.value, diagnostic: error({ code, message, remedy, at: entry.keyAt }) };
}

/** A JSON pointer as steps; whether a step is an index is decided by the tree. */
function pathOf(pointer: string, root: Node): NodePath {
  const path: (string | number)[] = [];
  let current: Node | undefined = root;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (current?.kind === "list") {
      path.push(Number(key));
      current = current.items[Number(key)];
    } else {
      path.push(key);
      current = current?.kind === "map" ? current.entries.get(key)?.value : undefined;
    }
  }
  return path;
}

/** Places are unique to their position: used to leave out what another step has already said about it. */
export function placeKey(at: Position | undefined): string {
  return at === undefined ? "" : `${at.file}:${at.line}:${at.column}`;
}
