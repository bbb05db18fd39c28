import { withKeyedRules } from "../kinds/traits/shared.ts";
import { type Diagnostic, error, type Origin, problem, Refusal } from "../core/diagnostic.ts";
import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import type { Address } from "../core/brand.ts";
import {
  canonical,
  defined,
  formatPath,
  isObject,
  type Json,
  type JsonObject,
  leaves,
  type Path,
  valueAt,
} from "../core/json.ts";
import type { Cause, LeafChange } from "../core/diff.ts";
import { several } from "../core/lists.ts";
import type { Live } from "../kinds/live.ts";
import { ENTRY_POINTS, parseTypedAddress, HOSTNAMES } from "../kinds/registry.ts";
import type { RuleChange } from "../kinds/traits/compared.ts";
import type { Action, Refused } from "../plan/change.ts";
import { decide, type Decision } from "../plan/decide.ts";
import { EVERYTHING, type Leaving, type PlanInput } from "../plan/inputs.ts";
import { serviceNow } from "../plan/seen.ts";
import { localAddress, planAddress, targetsOf, hostnameAddress } from "../plan/targets.ts";
import { foreignRuleText, watchZone } from "../plan/watch.ts";
import { readKind } from "../refresh/refresh.ts";
import { type LoadedState, loadState } from "../state/load.ts";
import { observedState } from "../state/observations.ts";
import type { State, StateObject } from "../state/state.ts";
import { type Unfinished, unfinishedIn } from "../state/unfinished.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import { lookUp, type Named, nearest } from "./look-up.ts";
import { timesOf } from "./observe.ts";
import { leavingHostnames, ofState } from "./plan-input.ts";
import { originsOf } from "./plan.ts";
import { enterProject, type ProjectOptions, withProject, type World } from "./world.ts";

/** Everything that is known about one field. An absent value does not exist; `wanted` may also be `null`. */
export interface WhyLeaf {
  readonly path: Path;
  /** The declared value, and its place in the YAML. */
  readonly wanted?: { readonly value: Json; readonly origin?: Origin };
  readonly applied?: Json;
  readonly live?: Json;
  /** The value that an apply would send now; absent if the change is blocked. */
  readonly sent?: { readonly value: Json; readonly cause: Cause };
  /** Why it is held, if it is. */
  readonly held?: string;
  readonly sensitive?: true;
}

/** The result of `why ADDRESS`. */
export interface Why {
  readonly address: Address;
  readonly action: Action;
  readonly reason?: string;
  /** Why an apply would leave the object as it is, in the plan's words. */
  readonly refused?: Refused;
  /** The canonical import id, if the object is live. */
  readonly importId?: string;
  readonly leaves: readonly WhyLeaf[];
  /** What an apply would do to the rules of a ruleset, and their order afterwards. */
  readonly rules: readonly RuleChange[];
  readonly notes: readonly string[];
}

/**
 * Explains one object field by field: the declared value and its place in the YAML, what was applied last, what live
 * has, and what an apply would send. Reads only this object. Throws `Refusal`, and what the client throws.
 */
export async function why(world: World, options: ProjectOptions, address: string): Promise<Why> {
  return withProject(world, options, ({ project }) => whyIn(world, project, address));
}

async function whyIn(world: World, project: LoadedProject, address: string): Promise<Why> {
  const { store } = await enterProject(world, project);
  const named = lookUp(project, address, await zonesHaving(world, project, store, address));
  const { zone, kind, key } = named;
  const loaded = await loadState(store, zone.id);
  const stored = loaded?.state;
  const lives = await readLives(world, project, named, stored);
  const times = timesOf(world.clock, world.connect(project.desired.budget));
  const state = stored && (await observedState(store, stored, Date.parse(serviceNow(times))));
  const live = lives.get(key);
  const local = localAddress(kind.name, key);
  const prior = state?.objects.get(local);
  // Whether a hostname that moves may be deleted here depends on the zone that it moves to.
  const alone = state && { ...state, objects: new Map(prior ? [[local, prior]] : []) };
  const leaving = await leavingHostnames(world, project, zone, alone);
  const input = inputOf(times, project, named, { loaded, state, lives, leaving });
  const target = targetsOf(input).get(local);
  if (!target && !prior && !live) throw new Refusal([unknownAddress(named, local)]);
  const decision = decide(input, { kind, key, target, prior, live });
  const change = decision && "change" in decision ? decision.change : undefined;
  const intents = loaded?.intents.filter((intent) => intent.address === local) ?? [];
  const unfinished = await unfinishedIn(store, zone.id, intents);
  return {
    address: planAddress(input, kind.name, key),
    action: change?.action ?? "no-op",
    ...reasonOf(decision, live, target !== undefined),
    ...(change?.refused ? { refused: change.refused } : {}),
    ...(live ? { importId: kind.importId(zone.id, live) } : {}),
    leaves: leavesOf(
      target?.values ?? {},
      prior,
      live,
      decision,
      originsOf(project, zone.name, { kind: kind.name, key }, live),
      kind.writeOnly,
    ),
    rules: change?.rules ?? [],
    notes: [...dangerNotes(input, kind.name), ...(change?.notes ?? []), ...stoppedNotes(unfinished)],
  };
}

/** The zones that have an undeclared hostname, such as one that an application created: in the state, else live. */
async function zonesHaving(
  world: World,
  { desired: { zones, budget } }: LoadedProject,
  store: ProjectStore,
  text: string,
): Promise<readonly DesiredZone[]> {
  const parts = parseTypedAddress(text);
  const key = parts?.key;
  const isSaid = parts?.zone !== undefined || parts?.kind !== "custom_hostname" || key === undefined;
  if (isSaid || zones.length < 2 || zones.some(({ objects }) => objects.some((object) => object.key === key)))
    return [];
  const states = await several(zones, (zone) => loadState(store, zone.id));
  const address = hostnameAddress(key);
  const tracking = [...states].filter(([, loaded]) => loaded?.state.objects.has(address)).map(([zone]) => zone);
  // A text that is close to a declared name is a typing error.
  if (tracking.length > 0 || nearest(zones, HOSTNAMES, key) !== undefined) return tracking;
  const lives = await several(zones, (zone) => HOSTNAMES.find(world.connect(budget), zone.id, key, world.signal));
  return [...lives].filter(([, live]) => live !== undefined).map(([zone]) => zone);
}

/** The foreign rules in the entry point that let traffic past ours. */
function dangerNotes(input: PlanInput, kind: string): readonly string[] {
  const dangers = kind === ENTRY_POINTS.name ? (watchZone(input).watch?.dangers ?? []) : [];
  return dangers.map((danger) => `DANGER: ${foreignRuleText(danger)}`);
}

function stoppedNotes(unfinished: Unfinished | undefined): readonly string[] {
  if (!unfinished) return [];
  const runs = unfinished.runs.join(", ");
  return [
    `run ${runs} was stopped before its change of this object had a result; the next apply first finds out whether it took effect`,
  ];
}

/** The live object; if several may share a key, with those beside it. */
async function readLives(
  world: World,
  { desired }: LoadedProject,
  { zone, kind, key }: Named,
  state: State | undefined,
): Promise<ReadonlyMap<string, Live>> {
  const client = world.connect(desired.budget);
  if (kind.replacement === "create-first")
    return readKind({ client, desired: zone, state, signal: world.signal }, kind, [key]);
  const live = await kind.find(client, zone.id, key, world.signal);
  return new Map(live ? [[key, live]] : []);
}

function unknownAddress({ zone, kind, key }: Named, address: string): Diagnostic {
  const guess = nearest([zone], kind, key);
  const remedy = guess === undefined ? "" : `did you mean ${guess}?`;
  return error(problem("unknown-address", { address, zone: zone.name }, { remedy }));
}

/** What is known about the object, and about what it depends on. */
interface Around {
  readonly loaded: LoadedState | undefined;
  /** Including observations since the state was written. */
  readonly state: State | undefined;
  readonly lives: ReadonlyMap<string, Live>;
  readonly leaving: ReadonlyMap<string, Leaving>;
}

function inputOf(
  times: Pick<PlanInput, "now" | "serviceNow">,
  project: LoadedProject,
  { zone, kind }: Named,
  { loaded, state, lives, leaving }: Around,
): PlanInput {
  return {
    desired: zone,
    ...ofState(project, loaded),
    state,
    live: { id: zone.id, name: zone.name, objects: new Map([[kind.name, lives]]) },
    leaving,
    isOneOfMany: project.desired.zones.length > 1,
    absenceOf: (reference) => project.absentSecrets.get(canonical(reference))?.message,
    ...times,
    selection: EVERYTHING,
    sources: {},
    isDestroy: false,
  };
}

function reasonOf(decision: Decision, live: Live | undefined, isWanted: boolean): { reason?: string } {
  if (decision && "expired" in decision)
    return { reason: "Cloudflare deleted it; it is created again only with when_expired: create" };
  if (decision) return decision.change.reason === undefined ? {} : { reason: decision.change.reason };
  if (live && isWanted) return { reason: "live is as declared" };
  return { reason: live ? "not declared, and not in the state" : "in the state, but not declared and not live" };
}

function leavesOf(
  desired: JsonObject,
  prior: StateObject | undefined,
  live: Live | undefined,
  decision: Decision,
  originOf: (path: Path) => Origin | undefined,
  writeOnly: readonly string[],
): readonly WhyLeaf[] {
  const change = decision && "change" in decision ? decision.change : undefined;
  const isLeaf = (path: Path): boolean => writeOnly.includes(formatPath(path));
  const wantedValues = withKeyedRules(desired);
  const applied = withKeyedRules(prior?.applied ?? {});
  const now = ourRules(withKeyedRules(live?.values ?? {}), wantedValues, applied);
  const paths = new Map<string, Path>();
  for (const side of [wantedValues, applied, now]) {
    for (const { path } of leaves(side, isLeaf)) paths.set(formatPath(path), path);
  }
  const byPath = (changes: readonly LeafChange[]): Map<string, LeafChange> =>
    new Map(changes.map((leaf) => [formatPath(leaf.path), leaf]));
  const going = change?.refused ? undefined : change;
  const sent = byPath([...(going?.leaves ?? []), ...(going?.rules ?? []).flatMap(leavesOfRule)]);
  const held = byPath(change?.held?.leaves ?? []);
  return [...paths].map(([name, path]) => {
    const wanted = valueAt(wantedValues, path);
    const origin = originOf(path);
    const [change, waiting] = [sent.get(name), held.get(name)];
    return {
      path,
      ...(wanted === undefined || wanted === null ? {} : { wanted: { value: wanted, ...defined({ origin }) } }),
      ...ifThere("applied", valueAt(applied, path)),
      ...ifThere("live", valueAt(now, path)),
      ...(change?.after === undefined ? {} : { sent: { value: change.after, cause: change.cause } }),
      ...(waiting ? { held: decision && "change" in decision ? (decision.change.held?.reason ?? "") : "" } : {}),
      ...(isLeaf(path) && typeof wanted !== "boolean" ? { sensitive: true as const } : {}),
    };
  });
}

/** Live without the foreign rules, which are not part of the result. */
function ourRules(live: JsonObject, ...ours: readonly JsonObject[]): JsonObject {
  const rules = live["rules"];
  if (!isObject(rules)) return live;
  const isOurs = (ref: string): boolean => ours.some((side) => valueAt(side, ["rules", ref]) !== undefined);
  return { ...live, rules: Object.fromEntries(Object.entries(rules).filter(([ref]) => isOurs(ref))) };
}

function leavesOfRule({ ref, leaves: changed }: RuleChange): readonly LeafChange[] {
  return changed.map((leaf) => ({ ...leaf, path: ["rules", ref, ...leaf.path] }));
}

function ifThere<Name extends "applied" | "live">(
  name: Name,
  value: Json | undefined,
): { readonly [key in Name]?: Json } {
  const found: { [key in Name]?: Json } = {};
  if (value !== undefined) found[name] = value;
  return found;
}
