import type { DesiredObject } from "../config/desired.ts";
import { objects } from "../core/decode.ts";
import { equal, type JsonObject, type Path, valueAt } from "../core/json.ts";
import { leaves, withoutValueAt, withValueAt } from "../core/json.ts";
import { refOf } from "../resources/ruleset/arrange.ts";
import type { Comparison, Kind, Live, Options } from "../resources/kind.ts";
import type { RunChange } from "../state/run-record.ts";
import type { StateObject } from "../state/state.ts";

/** What an object has to become for a run to be undone. */
export interface WayBack {
  readonly kind: Kind;
  readonly key: string;
  readonly change: RunChange;
  /** The values to go back to; absent where the run created the object, so that it goes. */
  readonly spec?: JsonObject;
  readonly options: Options;
  /** The leaves that the run changed, apart from rules. */
  readonly changed: readonly Path[];
  /** Leaves to which there is no way back, and why. */
  readonly impossible: readonly { readonly path: Path; readonly because: string }[];
}

/** What else is known of an object besides what the run did to it. */
export interface Around {
  /** What the state knows now. */
  readonly tracked: StateObject | undefined;
  readonly declared: DesiredObject | undefined;
  /** The options of the zone's hostnames. */
  readonly hostnameOptions: Options;
  /** The object as it is live now. */
  readonly live: Live | undefined;
}

const UNSET = "it had no value before, and the service takes none back";
const SECRET = "it is a secret, of which only a hash was kept";

/** The way back from one change of a run; undefined where nobody wrote down what was there before. Pure. */
export function wayBack(kind: Kind, key: string, change: RunChange, around: Around): WayBack | undefined {
  const base = { kind, key, change, options: optionsFor(kind, change, around), changed: [], impossible: [] };
  if (change.action === "create") return base;
  if (!change.before) return undefined;
  const before: Live = { id: change.before.id, key, values: change.before.values, status: {} };
  if (change.action === "delete") return { ...base, ...recreated(kind, change, before) };
  return { ...base, ...restored(kind, change, before, around) };
}

/** Rules of others are none of an undo's business, whatever the YAML says of them. */
function optionsFor(kind: Kind, { action }: RunChange, { declared, hostnameOptions }: Around): Options {
  if (kind.name === "custom_hostname") return hostnameOptions;
  const own = kind.section?.options.includes("own") ? { own: [] } : {};
  const adopt = kind.adoptsOnlyWhenTold && action === "delete" ? { adopt: true } : {};
  return { ...declared?.options, ...own, ...adopt };
}

/** A deleted object as it was, with everything that the service showed of it; of a shared one only what was ours. */
function recreated(kind: Kind, { prior }: RunChange, before: Live): Pick<WayBack, "spec" | "impossible"> {
  const owned = withoutSecrets(kind, prior?.applied ?? {});
  const ours = kind.applied(owned, before);
  const { hostname: _key, ...shown } = kind.adoptsOnlyWhenTold ? {} : kind.declared(before);
  const secrets = kind.writeOnly.map((name) => name.split(".")).filter((path) => valueAt(prior?.applied, path));
  return { spec: merged(shown, ours), impossible: secrets.map((path) => ({ path, because: SECRET })) };
}

/** What is owned now, with what the run changed as it was before. */
function restored(
  kind: Kind,
  { prior, after }: RunChange,
  before: Live,
  { tracked, declared, live }: Around,
): Pick<WayBack, "spec" | "changed" | "impossible"> {
  const [left, had] = [withoutSecrets(kind, after?.applied ?? {}), withoutSecrets(kind, prior?.applied ?? {})];
  const done = kind.compare({ desired: left, prior: prior && had, live: before, options: { own: [] } });
  const old = kind.applied(withRules(merged(left, had), left, had), before);
  const changed = done.leaves.map(({ path }) => path);
  const now = withoutSecrets(kind, tracked?.applied ?? left);
  const values = changed.reduce((spec: JsonObject, path) => {
    const value = valueAt(old, path);
    return value === undefined ? withoutValueAt(spec, path) : withValueAt(spec, path, value);
  }, now);
  const unset = changed.filter((path) => valueAt(old, path) === undefined);
  return {
    spec: withKnownSecrets(kind, withOldRules(values, old, done, { before, live, left }), tracked, declared),
    changed,
    impossible: [
      ...unset.map((path) => ({ path, because: UNSET })),
      ...changedSecrets(kind, prior, after).map((path) => ({ path, because: SECRET })),
    ],
  };
}

function withoutSecrets(kind: Kind, values: JsonObject): JsonObject {
  return kind.writeOnly.reduce((kept: JsonObject, name) => withoutValueAt(kept, name.split(".")), values);
}

function changedSecrets(kind: Kind, prior: StateObject | undefined, after: StateObject | undefined): Path[] {
  const paths = kind.writeOnly.map((name) => name.split("."));
  return paths.filter((path) => !equal(valueAt(prior?.applied, path), valueAt(after?.applied, path)));
}

/** A secret that the YAML still refers to stays owned; a hash alone can never be sent. */
function withKnownSecrets(
  kind: Kind,
  spec: JsonObject,
  tracked: StateObject | undefined,
  declared: DesiredObject | undefined,
): JsonObject {
  return kind.writeOnly.reduce((kept: JsonObject, name) => {
    const path = name.split(".");
    const reference = valueAt(declared?.spec, path);
    const isOwned = valueAt(tracked?.applied, path) !== undefined;
    return isOwned && reference !== undefined ? withValueAt(kept, path, reference) : kept;
  }, spec);
}

/** The rules that are ours on either side, so that each is looked up as it was before. */
function withRules(owned: JsonObject, left: JsonObject, had: JsonObject): JsonObject {
  if (owned["rules"] === undefined) return owned;
  const known = new Set(objects(had, "rules").map(refOf));
  return {
    ...owned,
    rules: [...objects(had, "rules"), ...objects(left, "rules").filter((rule) => !known.has(refOf(rule)))],
  };
}

/** Our rules as they were, in the order in which they were; and those of others that the run removed. */
function withOldRules(
  spec: JsonObject,
  old: JsonObject,
  done: Comparison,
  { before, live, left }: { readonly before: Live; readonly live: Live | undefined; readonly left: JsonObject },
): JsonObject {
  if (done.rules.length === 0) return spec;
  const ours = new Map(objects(old, "rules").map((rule) => [refOf(rule), rule]));
  const alive = new Set(objects(live?.values ?? {}, "rules").map(refOf));
  const kept = new Set(objects(left, "rules").map(refOf));
  const rules = objects(before.values, "rules").flatMap((rule) => {
    const ref = refOf(rule);
    const isLost = !alive.has(ref) && !kept.has(ref);
    return ours.get(ref) ?? (isLost ? [rule] : []);
  });
  return { ...spec, rules };
}

/** The leaves of both; where both have one, that of `over`. */
function merged(under: JsonObject, over: JsonObject): JsonObject {
  return leaves(over).reduce((all: JsonObject, { path, value }) => withValueAt(all, path, value), under);
}
