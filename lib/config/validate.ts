import { validated } from "../core/brand.ts";
import { checksum } from "../core/digest.ts";
import { defined, isList, isObject, type Json, type JsonObject } from "../core/json.ts";
import { type Diagnostic, error, type Position, problem, warning } from "../core/diagnostic.ts";
import {
  type Document,
  find,
  ITEM,
  keyPlaceOf,
  listOf,
  type Located,
  lostOf,
  mapOf,
  membersOf,
  placeOf,
  type Steps,
} from "./document.ts";
import { parseYaml } from "./parse-yaml.ts";
import { keptReport, type Report } from "./report.ts";
import { positionIn } from "./text.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { didYouMean, suggest } from "../core/suggest.ts";
import { type Schema, shapeOf, thingAt } from "./shapes.ts";
import { type Part, valueProblem } from "./schema-values.ts";
import type { SchemaProblem } from "#validators";
import * as compiled from "#validators";

/** Removing one wrong part can make its parent wrong; each round removes one more level. */
const MOST_ROUNDS = 12;

/**
 * Parses one file and checks it with its schema. Wrong parts are reported and removed, so that later steps get a
 * document that matches the schema. `T` is the type of the schema (`document-types.ts`).
 */
export function readDocument<T>(text: string, file: string, schema: Check, report: Report): Document<T> {
  const parsing = keptReport(report);
  const root = parseYaml(text, file, parsing.report);
  if (!root) return { file, isWhole: false };
  const findings = check(root, schema);
  const wrong = parsing.said.filter(({ severity }) => severity === "error");
  const said = new Set(wrong.map(({ at }) => placeKey(at)));
  const news = findings.filter(({ diagnostic: { at } }) => !said.has(placeKey(at)));
  for (const { diagnostic } of news) report(diagnostic);
  const sound = findings.length === 0 ? root : soundPart(root, file, findings, schema);
  return { file, value: validated<T>(sound), isWhole: wrong.every(({ code }) => code === "duplicate-key") };
}

function check(root: JsonObject, schema: Check): readonly SchemaFinding[] {
  return schemaFindings(schema(root), root);
}

/** A wrong id does not hide the zone: its name, origin and hostnames are checked as well. */
function soundPart(root: JsonObject, file: string, findings: readonly SchemaFinding[], schema: Check): JsonObject {
  if (!findings.some(({ path }) => path.join(".") === "zone.id")) return prune(root, findings, schema);
  const members = new Map(membersOf(root));
  const [zone, id] = [members.get("zone"), find(root, ["zone", "id"])];
  if (!zone || !id || !isObject(zone.value)) return prune(root, findings, schema);
  // Each file gets another id: wrong ids do not make the zones the same.
  const standIn = id.withValue(checksum(file).repeat(2));
  const whole = zone.withValue(mapOf(new Map(membersOf(zone.value)).set("id", standIn), zone.at));
  const standing = mapOf(members.set("zone", whole), placeOf(root), lostOf(root));
  return prune(standing, check(standing, schema), schema);
}

/** Missing top-level keys leave nothing to remove; later steps handle their absence. */
function prune(root: JsonObject, found: readonly SchemaFinding[], schema: Check): JsonObject {
  let sound = root;
  let findings = found;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const wrong = new Map<Located, string | undefined>();
    for (const { path, meant, diagnostic } of findings) {
      if (diagnostic.severity === "warning") continue;
      const found = find(sound, pathToDrop(path));
      if (found) wrong.set(found, meant);
    }
    if (wrong.size === 0) return sound;
    sound = mapWithout(sound, wrong, placeOf(sound));
    findings = check(sound, schema);
  }
  return mapOf([], placeOf(root));
}

/** A match without one of its facts would match too many hostnames, so its whole policy is removed. */
function pathToDrop(path: Steps): Steps {
  const place = path.findIndex((step) => step === "match" || step === "where");
  return place < 1 ? path : path.slice(0, place);
}

/** The parts to remove, and the key that was meant; undefined for a key that resembles none. */
type Wrong = ReadonlyMap<Located, string | undefined>;

function mapWithout(map: JsonObject, wrong: Wrong, at: Located["at"]): JsonObject {
  const kept = membersOf(map).filter(([, member]) => !wrong.has(member));
  return mapOf(
    kept.map(([key, member]) => [key, member.withValue(without(member, wrong))] as const),
    at,
    [...lostOf(map), ...membersOf(map).flatMap(([, member]) => wrong.get(member) ?? [])],
  );
}

function without({ value, at }: Located, wrong: Wrong): Json {
  if (isObject(value)) return mapWithout(value, wrong, at);
  if (!isList(value)) return value;
  const members = membersOf(value);
  const kept = members.filter(([, item]) => !wrong.has(item));
  return listOf(
    kept.map(([, item]) => item.withValue(without(item, wrong))),
    at,
    kept.length < members.length ? [ITEM] : lostOf(value),
  );
}

/** The variables that hold credentials. */
const VARIABLES = ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"];

/**
 * A token has 40 characters, a key 37 (docs/service.md#credentials). A shorter value, such as the emulator's, would
 * match ordinary words.
 */
const SHORTEST = 16;

/** Reports a file that contains the credential of this run in clear text. No message repeats it. */
export function refuseCredentials(
  text: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  report: Report,
): void {
  for (const name of VARIABLES) {
    const value = env[name] ?? "";
    const index = value.length < SHORTEST ? -1 : text.indexOf(value);
    if (index < 0) continue;
    const message = `the value of ${name} is here in clear text`;
    const remedy = "remove it, and revoke the credential: it has been in a file";
    report(error({ code: "literal-secret", message, remedy, at: positionIn(text, index, file) }));
  }
}

/** A violation of the schema, and the wrong part of the document. */
interface SchemaFinding {
  readonly diagnostic: Diagnostic;
  readonly path: Steps;
  /** The wrong key there, or the key that a misspelt one was meant to be; absent if it resembles none. */
  readonly meant?: string;
}

/** Turns the schema library's errors into diagnostics at the wrong value or the unknown key. */
function schemaFindings(errors: readonly SchemaProblem[], root: JsonObject): readonly SchemaFinding[] {
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
  const say = details.code === "unknown-parameter" ? warning : error;
  const diagnostic = say({ ...details, at: keyPlaceOf(value, key) });
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
function placeKey(at: Position | undefined): string {
  return at === undefined ? "" : `${at.file}:${at.line}:${at.column}`;
}

/** How many known names a remedy lists. */
const MOST_LISTED = 24;

/** Keys under which people expect an endpoint or a credential. */
const CREDENTIAL_KEYS =
  /^(cloudflare)?(api|auth|base|access)?(url|baseurl|apiurl|token|key|email|endpoint|credential|credentials|host|server)$/;

/** The error for a key that the schema does not have, and the key that was probably meant. */
interface UnknownKey {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly remedy: string;
  readonly meant?: string;
}

/** Explains a key that the schema does not have. */
function unknownKey(key: string, path: Steps, fault: SchemaProblem): UnknownKey {
  const known = isObject(fault.parentSchema?.["properties"]) ? Object.keys(fault.parentSchema["properties"]) : [];
  const message = `unknown key ${JSON.stringify(key)}${path.length === 0 ? "" : ` in ${thingAt(path)}`}`;
  if (fault.parentSchema?.["title"] === "Match") return unknownFact(key, known);
  const meant = suggest(key, known);
  if (meant !== undefined) return { code: "unknown-key", message, remedy: `did you mean ${meant}?`, meant };
  if (path.includes("action_parameters")) return problem("unknown-parameter", { message });
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

/** Checks a value with a schema, and returns everything that is wrong with it. */
export type Check = (value: unknown) => readonly SchemaProblem[];

/** Checks the project file. */
export const checkProject: Check = checkBy(compiled.project);

/** Checks a zone file or a layer. */
export const checkZone: Check = checkBy(compiled.zone);

/** Checks the fields of a custom hostname that a source can contain, such as `ssl.method`. */
export const LEAF_CHECKS: ReadonlyMap<string, Check> = new Map(
  [...compiled.leaves].map(([leaf, validate]) => [leaf, checkBy(validate)]),
);

function checkBy(validate: compiled.Validate): Check {
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}
