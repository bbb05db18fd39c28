import type { DesiredObject } from "../config/desired.ts";
import { objects } from "../core/decode.ts";
import {
  defined,
  equal,
  formatPath,
  type Json,
  type JsonObject,
  leaves,
  overlaid,
  type Path,
  valueAt,
  withOptionalValueAt,
  withoutValueAt,
  withValueAt,
} from "../core/json.ts";
import { isHostname } from "../kinds/registry.ts";
import { refOf } from "../kinds/ruleset/arrange.ts";
import type { Comparison } from "../kinds/traits/compared.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import type { RunChange } from "../state/run-record.ts";
import type { StateObject } from "../state/state.ts";

/** What an object must become to undo a run. */
export interface WayBack {
  readonly kind: Kind;
  readonly key: string;
  readonly change: RunChange;
  /** The values to restore; absent if the run created the object, which is then deleted. */
  readonly desired?: JsonObject;
  /** The managed fields of `desired`, if the object is created again. */
  readonly owned?: JsonObject;
  readonly options: Options;
  /** The fields that the run changed, apart from rules. */
  readonly changed: readonly Path[];
  /** Fields that the run did not change, but that are written together with fields that it did (`Declared.implied`). */
  readonly along: readonly Path[];
  /** Fields and rules that cannot be undone, and why. */
  readonly impossible: readonly { readonly path: Path; readonly because: string; readonly isFinal?: true }[];
}

/** What is known about an object, besides what the run did to it. */
export interface Around {
  /** The object in the state now. */
  readonly tracked: StateObject | undefined;
  readonly declared: DesiredObject | undefined;
  /** The options of the zone's hostnames. */
  readonly hostnameOptions: Options;
  /** The object as it is live now. */
  readonly live: Live | undefined;
}

const UNSET = "it had no value before, and Cloudflare cannot unset it";
const SECRET = "it is a secret, and only its hash is recorded";
const NOT_OURS = "it was a foreign rule, and Zoneform would own a restored one";

/** The way back from one change of a run; undefined if the previous values were not recorded. Pure. */
export function wayBack(kind: Kind, key: string, change: RunChange, around: Around): WayBack | undefined {
  const base = { kind, key, change, options: optionsFor(kind, change, around), changed: [], along: [], impossible: [] };
  if (change.action === "create") return base;
  if (!change.before) return undefined;
  const before: Live = { id: change.before.id, key, values: change.before.values, status: {} };
  if (change.action === "delete") return { ...base, ...recreated(kind, change, before) };
  return { ...base, ...restored(kind, change, before, around) };
}

/** An undo leaves foreign rules alone, whatever the YAML says about them. */
function optionsFor(kind: Kind, { action }: RunChange, { declared, hostnameOptions }: Around): Options {
  if (isHostname(kind.name)) return hostnameOptions;
  const own = kind.section?.options.includes("own") ? { own: [] } : {};
  const adopt = kind.adoption === "when-told" && action === "delete" ? { adopt: true } : {};
  return { ...declared?.options, ...own, ...adopt };
}

/** A deleted object as it was, including its unmanaged fields; if it is shared, only our part. */
function recreated(kind: Kind, { prior }: RunChange, before: Live): Pick<WayBack, "desired" | "owned" | "impossible"> {
  const had = withoutSecrets(kind, prior?.applied ?? {});
  const owned = merged(kind.applied(had, before), switches(kind, had));
  const { hostname: _key, ...others } =
    kind.adoption === "when-told" ? {} : (kind.copied?.(before) ?? kind.declared(before));
  const secrets = secretsOf(kind, prior);
  return { desired: merged(others, owned), owned, impossible: secrets.map((path) => ({ path, because: SECRET })) };
}

/** The managed fields now, with the run's changes reverted and everything else as it is live. */
function restored(
  kind: Kind,
  { prior, after }: RunChange,
  before: Live,
  { tracked, declared, live }: Around,
): Pick<WayBack, "desired" | "changed" | "along" | "impossible"> {
  const [left, had] = [withoutSecrets(kind, after?.applied ?? {}), withoutSecrets(kind, prior?.applied ?? {})];
  const done = kind.compare({ desired: left, prior: prior && had, live: before, options: { own: [] } });
  const owned = withRulesOf(merged(left, had), left);
  const old = merged(kind.applied(owned, before), switches(kind, had));
  const changed = done.leaves.map(({ path }) => path);
  const known = changed.filter((path) => valueAt(old, path) !== undefined);
  // A field that had no value stays managed with its current value: releasing it would be another change.
  const unset = changed.filter((path) => valueAt(old, path) === undefined);
  const now = asLive(kind, withoutSecrets(kind, tracked?.applied ?? left), live, known);
  const values = known.reduce((desired, path) => withValueAt(desired, path, valueAt(old, path) ?? null), now);
  const whole = withKnownSecrets(kind, withOldRules(values, old, done, before), tracked, declared);
  const refused = refusedLeaves(kind, whole, live).filter(({ path }) => isAmong(path, changed));
  const desired = refused.reduce((kept, { path }) => withoutValueAt(kept, path), whole);
  const along = kind.implied?.(desired) ?? {};
  return {
    desired: overlaid(desired, along),
    changed,
    along: leaves(along)
      .map(({ path }) => path)
      .filter((path) => !isAmong(path, changed)),
    impossible: [
      ...refused,
      ...unset.map((path) => ({ path, because: UNSET })),
      ...changedSecrets(kind, prior, after).map((path) => ({ path, because: SECRET })),
      ...lostRules(done, { before, live, had, left }).map((ref) => ({ path: ["rules", ref], because: NOT_OURS })),
    ],
  };
}

/** The fields that could not be written to the live object, and why. */
function refusedLeaves(kind: Kind, desired: JsonObject, live: Live | undefined): WayBack["impossible"] {
  const { objections = [] } = live ? kind.compare({ desired, prior: undefined, live, options: { own: [] } }) : {};
  return objections.flatMap(({ path, message, isFinal }) =>
    path ? [{ path, because: message, ...defined({ isFinal }) }] : [],
  );
}

function isAmong(path: Path, others: readonly Path[]): boolean {
  return others.some((other) => formatPath(other) === formatPath(path));
}

/** Leaves fields as they are if they were changed since, except those that the run itself had changed. */
function asLive(kind: Kind, desired: JsonObject, live: Live | undefined, apartFrom: readonly Path[]): JsonObject {
  if (!live) return desired;
  const { leaves: differing, held } = kind.compare({ desired, prior: desired, live, options: { own: [] } });
  const apart = new Set(apartFrom.map(formatPath));
  return [...differing, ...(held?.leaves ?? [])]
    .filter(({ path }) => !apart.has(formatPath(path)))
    .reduce((kept, { path, before }) => withOptionalValueAt(kept, path, before), desired);
}

/** The first values, with the rules that only `other` has at the end; unchanged if they have no rules. */
export function withRulesOf(own: JsonObject, other: JsonObject): JsonObject {
  if (own["rules"] === undefined) return own;
  const rules = objects(own, "rules");
  const known = new Set(rules.map(refOf));
  return { ...own, rules: [...rules, ...objects(other, "rules").filter((rule) => !known.has(refOf(rule)))] };
}

/** Our rules as they were, in their old order. */
function withOldRules(desired: JsonObject, old: JsonObject, done: Comparison, before: Live): JsonObject {
  if (done.rules.length === 0) return desired;
  const ours = new Map(objects(old, "rules").map((rule) => [refOf(rule), rule]));
  return { ...desired, rules: objects(before.values, "rules").flatMap((rule) => ours.get(refOf(rule)) ?? []) };
}

/** The foreign rules that the run removed and that were not restored. */
function lostRules(
  done: Comparison,
  sides: {
    readonly before: Live;
    readonly live: Live | undefined;
    readonly had: JsonObject;
    readonly left: JsonObject;
  },
): readonly string[] {
  if (done.rules.length === 0) return [];
  const { before, live, had, left } = sides;
  const known = [...objects(live?.values ?? {}, "rules"), ...objects(had, "rules"), ...objects(left, "rules")];
  const refs = new Set(known.map(refOf));
  return objects(before.values, "rules")
    .map(refOf)
    .filter((ref) => !refs.has(ref));
}

/** The fields of both; if both have one, that of `over`. */
function merged(under: JsonObject, over: JsonObject): JsonObject {
  return leaves(over).reduce((all: JsonObject, { path, value }) => withValueAt(all, path, value), under);
}

/** Where a tracked object has secrets. */
function secretsOf(kind: Kind, tracked: StateObject | undefined): readonly Path[] {
  return writeOnlyPaths(kind).filter((path) => isSecret(valueAt(tracked?.applied, path)));
}

/** The switches among the write-only fields: we recorded what was sent. */
function switches(kind: Kind, values: JsonObject): JsonObject {
  return writeOnlyPaths(kind).reduce((kept: JsonObject, path) => {
    const value = valueAt(values, path);
    return typeof value === "boolean" ? withValueAt(kept, path, value) : kept;
  }, {});
}

/** The values without secrets, because a hash cannot be sent. */
function withoutSecrets(kind: Kind, values: JsonObject): JsonObject {
  return writeOnlyPaths(kind)
    .filter((path) => isSecret(valueAt(values, path)))
    .reduce((kept: JsonObject, path) => withoutValueAt(kept, path), values);
}

/** Fields whose secret the run changed. */
function changedSecrets(kind: Kind, prior: StateObject | undefined, after: StateObject | undefined): readonly Path[] {
  return writeOnlyPaths(kind).filter((path) => {
    const [had, left] = [valueAt(prior?.applied, path), valueAt(after?.applied, path)];
    return !equal(had, left) && (isSecret(had) || isSecret(left));
  });
}

/** A secret that the YAML still refers to stays managed; a hash cannot be sent. */
function withKnownSecrets(
  kind: Kind,
  desired: JsonObject,
  tracked: StateObject | undefined,
  declared: DesiredObject | undefined,
): JsonObject {
  return writeOnlyPaths(kind).reduce((kept: JsonObject, path) => {
    const reference = valueAt(declared?.values, path);
    const isOwned = isSecret(valueAt(tracked?.applied, path));
    return isOwned && reference !== undefined ? withValueAt(kept, path, reference) : kept;
  }, desired);
}

function writeOnlyPaths(kind: Kind): readonly Path[] {
  return kind.writeOnly.map((name) => name.split("."));
}

/** A write-only switch is no secret. */
function isSecret(value: Json | undefined): boolean {
  return value !== undefined && typeof value !== "boolean";
}
