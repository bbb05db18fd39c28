import { validated } from "../core/brand.ts";
import { checksum } from "../core/digest.ts";
import { type Json, type JsonObject, isList, isObject } from "../core/json.ts";
import { error } from "../core/diagnostic.ts";
import {
  type Document,
  ITEM,
  type Located,
  type Steps,
  find,
  listOf,
  lostOf,
  mapOf,
  membersOf,
  placeOf,
} from "./document.ts";
import { parseYaml } from "./parse-yaml.ts";
import { type Report, keptReport } from "./report.ts";
import { type SchemaFinding, placeKey, schemaFindings } from "./schema-errors.ts";
import type { Check } from "./validators.ts";
import { positionIn } from "./text.ts";

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
    for (const { path, meant } of findings) {
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
