import { problem } from "../core/problem.ts";
import { defined } from "../core/defined.ts";
import { type Diagnostic, type Position, error } from "../core/diagnostic.ts";
import { type JsonObject, isList, isObject } from "../core/json.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { didYouMean, suggest } from "../core/suggest.ts";
import { type Steps, find, keyPlaceOf, placeOf } from "./document.ts";
import { type Schema, shapeOf, thingAt } from "./shapes.ts";
import { type Part, valueProblem } from "./schema-values.ts";
import type { SchemaProblem } from "#validators";

/** A violation of the schema, and the wrong part of the document. */
export interface SchemaFinding {
  readonly diagnostic: Diagnostic;
  readonly path: Steps;
  /** The wrong key there, or the key that a misspelt one was meant to be; absent if it resembles none. */
  readonly meant?: string;
}

/** Turns the schema library's errors into diagnostics at the wrong value or the unknown key. */
export function schemaFindings(errors: readonly SchemaProblem[], root: JsonObject): readonly SchemaFinding[] {
  const found = new Map<string, SchemaFinding>();
  for (const fault of [...errors].sort((left, right) => rank(left) - rank(right))) {
    const finding = findingOf(fault, root);
    if (!finding) continue;
    // A value of the wrong type also fails its other rules; we report the first, most basic one.
    const place = `${JSON.stringify(finding.path)} ${fault.keyword === "required" ? String(fault.params["missingProperty"]) : ""}`;
    if (!found.has(place)) found.set(place, finding);
  }
  return [...found.values()];
}

const RANKS = ["type", "const", "enum", "minLength", "maxLength", "pattern"];

function rank({ keyword }: SchemaProblem): number {
  const place = RANKS.indexOf(keyword);
  return place < 0 ? RANKS.length : place;
}

function findingOf(fault: SchemaProblem, root: JsonObject): SchemaFinding | undefined {
  const path = pathOf(fault.instancePath, root);
  const found: Part = find(root, path) ?? { value: root, at: placeOf(root), written: undefined };
  switch (fault.keyword) {
    case "if":
      return undefined;
    case "additionalProperties":
    case "propertyNames":
      return keyFinding(fault, path, found);
    case "required":
      return missingKey(fault, path, found);
    default:
      return { path, meant: String(path.at(-1)), diagnostic: valueProblem(fault, path, found) };
  }
}

function missingKey({ params, parentSchema }: SchemaProblem, path: Steps, { at }: Part): SchemaFinding {
  const key = String(params["missingProperty"]);
  const message = path.length === 0 ? `${key} is missing` : `${thingAt(path)} has no ${key}`;
  const properties = parentSchema?.["properties"];
  const schema = isObject(properties) ? properties[key] : undefined;
  const remedy = missingRemedy(key, path, isObject(schema) ? schema : {}, parentSchema ?? {});
  return { path, meant: String(path.at(-1)), diagnostic: error({ code: "missing-key", message, remedy, at }) };
}

/** The example of the key, or the one that its map has for it. */
function missingRemedy(key: string, path: Steps, schema: Schema, parent: Schema): string {
  const [own] = isList(schema["examples"]) ? schema["examples"] : [];
  const [whole] = isList(parent["examples"]) ? parent["examples"] : [];
  const example = own ?? (isObject(whole) ? whole[key] : undefined);
  return example === undefined ? `add ${key}` : `add it${shapeAdded([...path, key], { examples: [example] })}`;
}

/** One line follows the words; several go below them. */
function shapeAdded(path: Steps, schema: Schema): string {
  const shape = shapeOf(path, schema);
  const [, value] = /^for example: (.*)$/s.exec(shape) ?? [];
  return value === undefined
    ? `:\n${shape.slice(shape.indexOf("\n") + 1)}`
    : `, for example: ${String(path.at(-1))}: ${value}`;
}

function keyFinding(fault: SchemaProblem, path: Steps, { value }: Part): SchemaFinding | undefined {
  const key = String(fault.params["additionalProperty"] ?? fault.params["propertyName"]);
  if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
  const { meant, ...details }: UnknownKey =
    fault.keyword === "propertyNames"
      ? problem("bad-key", { key: JSON.stringify(key), thing: thingAt(path) })
      : unknownKey(key, path, fault);
  const diagnostic = error({ ...details, at: keyPlaceOf(value, key) });
  return { path: [...path, key], diagnostic, ...defined({ meant }) };
}

/** Converts a JSON pointer into steps; the document decides whether a step is an index. */
function pathOf(pointer: string, root: JsonObject): Steps {
  const path: (string | number)[] = [];
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const isIndex = path.length > 0 && isList(find(root, path)?.value);
    path.push(isIndex ? Number(key) : key);
  }
  return path;
}

/** Identifies a position, to skip what another step has already reported there. */
export function placeKey(at: Position | undefined): string {
  return at === undefined ? "" : `${at.file}:${at.line}:${at.column}`;
}

/** How many known names a remedy lists. */
const MOST_LISTED = 24;

/** Keys under which people expect an endpoint or a credential. */
const CREDENTIAL_KEYS =
  /^(cloudflare)?(api|auth|base|access)?(url|baseurl|apiurl|token|key|email|endpoint|credential|credentials|host|server)$/;

/** The error for a key that the schema does not have, and the key that was probably meant. */
export interface UnknownKey {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
  readonly meant?: string;
}

/** Explains a key that the schema does not have. */
export function unknownKey(key: string, path: Steps, fault: SchemaProblem): UnknownKey {
  const known = isObject(fault.parentSchema?.["properties"]) ? Object.keys(fault.parentSchema["properties"]) : [];
  const message = `unknown key ${JSON.stringify(key)}${path.length === 0 ? "" : ` in ${thingAt(path)}`}`;
  if (fault.parentSchema?.["title"] === "Match") return unknownFact(key, known);
  const meant = suggest(key, known);
  if (meant !== undefined) return { code: "unknown-key", message, remedy: `did you mean ${meant}?`, meant };
  if (CREDENTIAL_KEYS.test(key.toLowerCase().replaceAll(/[_-]/g, ""))) {
    const remedy =
      path[0] === "state"
        ? "remove it; set ZONEFORM_STATE in the environment, or use --state"
        : "remove it; set CLOUDFLARE_API_TOKEN or CLOUDFLARE_BASE_URL in the environment, or use --api-url";
    return problem("endpoint-or-credential", { key: JSON.stringify(key) }, { remedy });
  }
  const [first] = key.split(".");
  if (first !== undefined && first !== key && known.includes(first)) {
    const nested = key.split(".").join(": { ");
    const remedy = `write it nested: ${nested}: … ${"}".repeat(key.split(".").length - 1)}`;
    return { code: "unknown-key", message, remedy, meant: first };
  }
  return { code: "unknown-key", message, remedy: `remove it, or use one of: ${listed(known)}` };
}

function unknownFact(key: string, known: readonly string[]): UnknownKey {
  const facts = [...known, "metadata.NAME", "label.NAME"].join(", ");
  if (/status|state|verified|active|expir|issued|created|updated/.test(key)) {
    return problem("unstable-fact", { key: JSON.stringify(key), facts });
  }
  return {
    code: "unknown-key",
    message: `unknown key ${JSON.stringify(key)} in match`,
    remedy: didYouMean(key, known) || `match on one of: ${facts}`,
  };
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, MOST_LISTED).join(", ")}${names.length > MOST_LISTED ? ", …" : ""}`;
}
