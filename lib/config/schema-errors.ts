import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { isList, isObject, type JsonObject } from "../core/json.ts";
import { find, keyPlaceOf, placeOf, type Steps } from "./document.ts";
import { nameOf, unknownKey } from "./schema-keys.ts";
import { type Part, valueProblem } from "./schema-values.ts";
import type { SchemaProblem } from "#validators";

/** What a schema found, and the part of the document that is wrong. */
export interface SchemaFinding {
  readonly diagnostic: Diagnostic;
  readonly path: Steps;
}

/** Turns what the schema library reports into diagnostics at the wrong value, or at the key that is not known. */
export function schemaFindings(errors: readonly SchemaProblem[], root: JsonObject): readonly SchemaFinding[] {
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

function findingOf(problem: SchemaProblem, root: JsonObject): SchemaFinding | undefined {
  const path = pathOf(problem.instancePath, root);
  const found: Part = find(root, path) ?? { value: root, at: placeOf(root), written: undefined };
  switch (problem.keyword) {
    case "if":
      return undefined;
    case "additionalProperties":
    case "propertyNames":
      return keyFinding(problem, path, found);
    case "required":
      return {
        path,
        diagnostic: error({
          code: "missing-key",
          message: `${nameOf([...path, String(problem.params["missingProperty"])])} is missing`,
          remedy: "add it",
          at: found.at,
        }),
      };
    default:
      return { path, diagnostic: valueProblem(problem, path, found) };
  }
}

function keyFinding(problem: SchemaProblem, path: Steps, { value }: Part): SchemaFinding | undefined {
  const key = String(problem.params["additionalProperty"] ?? problem.params["propertyName"]);
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  const at = keyPlaceOf(value, key);
  const { code, message, remedy }: Pick<Diagnostic, "code" | "message" | "remedy"> =
    problem.keyword === "propertyNames"
      ? {
          code: "bad-key",
          message: `${JSON.stringify(key)} cannot be a name in ${nameOf(path)}`,
          remedy: "use a short name of letters, digits, hyphens and underscores",
        }
      : unknownKey(key, path, problem);
  return { path: [...path, key], diagnostic: error({ code, message, remedy, at }) };
}

/** A JSON pointer as steps; whether a step is an index is decided by the document. */
function pathOf(pointer: string, root: JsonObject): Steps {
  const path: (string | number)[] = [];
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const isIndex = path.length > 0 && isList(find(root, path)?.value);
    path.push(isIndex ? Number(key) : key);
  }
  return path;
}

/** Places are unique to their position: used to leave out what another step has already said about it. */
export function placeKey(at: Position | undefined): string {
  return at === undefined ? "" : `${at.file}:${at.line}:${at.column}`;
}
