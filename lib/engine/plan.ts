import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import type { ZoneId } from "../core/brand.ts";
import { defined, type Path } from "../core/json.ts";
import { type Diagnostic, Refusal, type Origin } from "../core/diagnostic.ts";
import type { LeafChange } from "../core/diff.ts";
import { EXIT } from "../core/exit-code.ts";
import { isHostname } from "../kinds/registry.ts";
import type { KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { RuleChange } from "../kinds/traits/compared.ts";
import { strandedBy } from "../plan/carriers.ts";
import type { Plan, ZonePlan, Change, ZoneClaims } from "../plan/change.ts";
import { byProject, claimedByOther, claimsAfter, claimsOf, ownClaims } from "../plan/claims.ts";
import { budgetProblems } from "../plan/cost.ts";
import { keepOrigins } from "../plan/deletion-limits.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { plan, planZone } from "../plan/plan.ts";
import { factsOf, missesOf } from "../plan/targets.ts";
import type { Client } from "../service/client.ts";
import { type LoadedState, loadState } from "../state/load.ts";
import type { State } from "../state/state.ts";
import { areSameThings, type Claim, conflictingClaims } from "../state/zone/claims.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import { addObserved } from "./checks/fallback-origin.ts";
import { type EachZone, eachZone, throwFailures } from "./each-zone.ts";
import { movingCommands } from "./no-state.ts";
import { findingsOf, openPlanning, type PlanningWorld, unfinishedWarnings } from "./plan-findings.ts";
import { type PlanOptions, readLive } from "./plan-input.ts";
import { guardSelection } from "./selection.ts";
import { type Earlier, joinSince, readEarlier, sinceOfZone, type SinceZone } from "./since.ts";
import {
  enterProject,
  type ProjectOptions,
  type ReadProject,
  withProject,
  type World,
  zonesOf,
  type ProjectStates,
} from "./world.ts";

/** A plan, its project, and the warnings about the configuration. */
export interface Planned {
  readonly plan: Plan;
  readonly project: LoadedProject;
  readonly warnings: readonly Diagnostic[];
  /** The states that it was made from, for the apply: one that is unchanged under the lock is not read again. */
  readonly states?: ReadonlyMap<ZoneId, LoadedState>;
}

/**
 * Reads the configuration, the states and live, and plans. Takes no lock and writes nothing. Throws if any zone cannot
 * be planned.
 */
export async function makePlan(world: World, options: PlanOptions): Promise<Planned> {
  const { planned, failures } = await planZones(world, options, "every zone");
  throwFailures(failures);
  return planned;
}

/** The same, with the zones that cannot be planned beside those that can (`Plan.failed`). */
export async function makePartialPlan(world: World, options: PlanOptions): Promise<Planned> {
  const { planned, failures } = await planZones(world, options, "those that can be");
  const { failed } = failures;
  return failed.length === 0 ? planned : { ...planned, plan: { ...planned.plan, failed } };
}

async function planZones(
  world: World,
  options: PlanOptions,
  needed: "every zone" | "those that can be",
): Promise<{ planned: Planned; failures: EachZone<PlannedZone> }> {
  return withProject(world, options, (read) => planRead(world, read, options, needed));
}

async function planRead(
  world: World,
  read: ReadProject,
  options: PlanOptions,
  needed: "every zone" | "those that can be",
): Promise<{ planned: Planned; failures: EachZone<PlannedZone> }> {
  const entered = await enterProject(world, read.project);
  const { project, warnings } = read;
  const zones = zonesOf(project, options.zones ?? []);
  const earlier = options.since && (await readEarlier(world, options.since, options, read));
  const claims = await entered.stores.claims.list();
  if (needed === "every zone" && !options.isDestroy) await guardClaims(entered, claims, zones);
  const planning = openPlanning(entered, claims, options.dnsCheck);
  const failures = await eachZone(zones, (zone) => planOne(planning, { project, earlier }, zone, options));
  const { made, failed } = failures;
  // A selection that matches nothing here may match something in a zone that could not be planned.
  if (failed.length === 0) guardSelection(made.map(({ misses }) => misses));
  const sections = options.isDestroy ? keepOrigins(made) : made.map(({ section }) => section);
  guardBudget(project, sections);
  const stopped = made.flatMap((zone) => zone.warnings);
  const states = new Map(made.flatMap(({ section, loaded }) => (loaded ? [[section.zone.id, loaded] as const] : [])));
  const since = options.since && earlier && joinSince(options.since, earlier, made);
  const joined = { ...plan(project.desired, sections), ...defined({ since }) };
  const planned = { plan: joined, project, warnings: [...warnings, ...stopped], states };
  return { planned, failures };
}

/**
 * Throws `Refusal` if the budget is smaller than what one change needs at once, because the change would wait for ever.
 */
export function guardBudget({ desired, budgetAt }: LoadedProject, sections: readonly ZonePlan[]): void {
  const changes = sections.flatMap((section) => section.changes);
  const problems = budgetProblems(changes, desired.budget, budgetAt);
  if (problems.length > 0) throw new Refusal(problems);
}

/** A zone's section, and the part of the selection that matches nothing in that zone. */
interface PlannedZone {
  readonly section: ZonePlan;
  readonly misses: ReadonlyMap<string, string | undefined>;
  readonly loaded: LoadedState | undefined;
  /** How many live hostnames would stay and lose their origin. */
  readonly stranded: number;
  /** Warnings about what a stopped run left. They are no part of the plan, because they change nothing in it. */
  readonly warnings: readonly Diagnostic[];
  /** What of it was pending before, if the caller asked for that. */
  readonly since?: SinceZone;
}

async function planOne(
  world: PlanningWorld,
  { project, earlier }: { readonly project: LoadedProject; readonly earlier: Earlier | undefined },
  desired: DesiredZone,
  options: PlanOptions,
): Promise<PlannedZone> {
  const { isDestroy } = options;
  if (!isDestroy) await guardClaims(world, world.claims, [desired]);
  const loaded = await loadState(world.store, desired.id);
  const input = await readLive(world, project, desired, options, loaded);
  const client = world.connect(project.desired.budget);
  const section = await addObserved(client, input, planZone(input), options.dnsCheck?.dns, world.signal);
  const findings = await findingsOf({ world, project, input, section, client });
  const claims = zoneClaims(world.claims, world.project, desired, { state: loaded?.state, isDestroy });
  const changes = isDestroy ? section.changes : withOrigins(project, input, section.changes);
  return {
    section: { ...section, changes, findings, claims },
    loaded,
    misses: missesOf(input),
    stranded: strandedBy(input, changes),
    ...defined({ since: earlier && sinceOfZone(earlier, input, loaded, section) }),
    warnings: await unfinishedWarnings(world.store, desired, loaded),
  };
}

/** A zone's section of the plan, and its inputs. */
export interface Inspected {
  readonly input: PlanInput;
  readonly section: ZonePlan;
  /** The unfinished intents of the journal, which runs began and did not end. */
  readonly intents: LoadedState["intents"];
  /** For callers that read more. */
  readonly client: Client;
  readonly store: ProjectStore;
}

/**
 * Plans zone by zone and also passes on the inputs and the project's name, for commands that report. A failing zone does not hide the others.
 * Takes no lock and writes nothing.
 */
export async function inspect<T>(
  outer: World,
  options: ProjectOptions,
  report: (inspected: Inspected) => Promise<T>,
): Promise<EachZone<T> & { readonly project: string }> {
  return withProject(outer, options, async ({ project }) => {
    const { budget, project: name } = project.desired;
    const world = await enterProject(outer, project);
    const { store } = world;
    const found = await eachZone(zonesOf(project, options.zones ?? []), async (zone) => {
      const loaded = await loadState(store, zone.id);
      const input = await readLive(world, project, zone, options, loaded);
      const intents = loaded?.intents ?? [];
      return report({ input, section: planZone(input), intents, client: world.connect(budget), store });
    });
    return { ...found, project: name };
  });
}

/** The changes of a zone, each with the places in the YAML and in sources that decide its values and rules. */
function withOrigins(
  project: LoadedProject,
  { desired, live }: Pick<PlanInput, "desired" | "live">,
  changes: readonly Change[],
): readonly Change[] {
  return changes.map((change) => {
    const originOf = originsOf(project, desired.name, change, live.objects.get(change.kind)?.get(change.key));
    const decided = (leaf: LeafChange): LeafChange => ({ ...leaf, ...defined({ origin: originOf(leaf.path) }) });
    const placed = (rule: RuleChange): RuleChange => ({ ...rule, ...defined({ at: originOf(placeOf(rule))?.at }) });
    const rules = change.rules.map(placed);
    // A new object is found by the place of its declaration.
    if (change.action === "create") return { ...change, rules };
    const found = { leaves: change.leaves.map(decided), rules };
    if (change.held === undefined) return { ...change, ...found };
    return { ...change, ...found, held: { ...change.held, leaves: change.held.leaves.map(decided) } };
  });
}

/**
 * Finds the place that decides a field of an object. Policies alone decide the fields of a hostname without an entry.
 */
export function originsOf(
  project: LoadedProject,
  zone: string,
  { kind, key }: { readonly kind: KindName; readonly key: string },
  live: Live | undefined,
): (path: Path) => Origin | undefined {
  const facts = isHostname(kind) && live ? factsOf(live) : undefined;
  return (path) => project.originOf(zone, { kind, key, ...defined({ facts }) }, path);
}

/** An edit of one field is found at that field, any other change at the rule. */
function placeOf({ ref, leaves }: RuleChange): Path {
  const [only, ...others] = leaves;
  return ["rules", ref, ...(only === undefined || others.length > 0 ? ["ref"] : only.path)];
}

/**
 * Throws `Refusal` with exit code 4 if another project manages something that one of the zones declares. Makes no API
 * call.
 */
export async function guardClaims(
  world: Pick<ProjectStates, "project" | "store" | "stores">,
  claims: readonly Claim[],
  zones: readonly DesiredZone[],
): Promise<void> {
  const found: Diagnostic[] = [];
  for (const zone of zones) {
    const { id, name, at } = zone;
    const conflicts = conflictingClaims(claims, { project: world.project, zone: id, things: claimsOf(zone) });
    for (const theirs of byProject(conflicts)) found.push({ ...(await explained(world, name, theirs)), at });
  }
  if (found.length > 0) throw new Refusal(found, EXIT.refused);
}

/** After a rename, the claims of the old name conflict, and the remedy is to move the states. */
async function explained(
  { store, stores }: Pick<ProjectStates, "store" | "stores">,
  zone: string,
  claims: readonly [Claim, ...Claim[]],
): Promise<Diagnostic> {
  const [claim] = claims;
  const isRenamed =
    !(await store.zones()).includes(claim.zone) && (await stores.of(claim.project).zones()).includes(claim.zone);
  return claimedByOther(zone, claims, isRenamed ? movingCommands([claim.project]) : []);
}

/** What an apply of the zone would claim. */
export function zoneClaims(
  claims: readonly Claim[],
  project: string,
  zone: DesiredZone,
  { state, isDestroy = false }: { readonly state: State | undefined; readonly isDestroy?: boolean | undefined },
): ZoneClaims {
  const declared = isDestroy ? [] : claimsOf(zone);
  const before = ownClaims(claims, project, zone.id);
  const after = claimsAfter(declared, before, state?.objects.values() ?? []);
  return { declared, willChange: !areSameThings(before, after) };
}
