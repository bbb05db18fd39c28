import type { DesiredZone, LoadedProject, SourceCount } from "../config/desired.ts";
import type { ZoneId } from "../core/brand.ts";
import { type Diagnostic, error, Refusal, warning } from "../core/diagnostic.ts";
import { canonical } from "../core/json.ts";
import { type Secret, fingerprint } from "../core/secret.ts";
import { strandedBy } from "../plan/carriers.ts";
import type { Plan, ZonePlan } from "../plan/change.ts";
import { budgetProblems } from "../plan/cost.ts";
import { keepOrigins } from "../plan/deletion-limits.ts";
import { EVERYTHING, type PlanInput, type Selection } from "../plan/inputs.ts";
import { missesOf } from "../plan/select.ts";
import { plan, planZone } from "../plan/plan.ts";
import { serviceNow } from "../plan/seen.ts";
import { checkShrink, rememberedSource } from "../plan/sources.ts";
import { parseTypedAddress } from "../kinds/registry.ts";
import { suggest } from "../core/suggest.ts";
import { certificateFingerprint } from "../kinds/custom-hostname/upload.ts";
import { guardClaims, zoneClaims } from "./claims.ts";
import { type EachZone, eachZone, throwFailures } from "./each-zone.ts";
import { leavingHostnames } from "./moves.ts";
import { withOrigins } from "./origins.ts";
import { moment } from "../core/moment.ts";
import { ownClaims } from "../plan/claims.ts";
import { movingCommands, type OtherProjects, otherProjects } from "./other-projects.ts";
import { type Unfinished, unfinishedIn } from "../state/unfinished.ts";
import { withObservations } from "./observe.ts";
import { type DnsCheck, openPreflight, type Preflight } from "./checks/check-dns.ts";
import { limitFindings } from "./checks/limits.ts";
import { addObserved } from "./checks/observed.ts";
import { refresh } from "../refresh/refresh.ts";
import type { Client } from "../service/client.ts";
import { type LoadedState, loadState } from "../state/load.ts";
import type { State } from "../state/state.ts";
import { absentFindings, uploadFindings } from "./uploads.ts";
import {
  enterProject,
  type ProjectOptions,
  type ProjectWorld,
  type ReadProject,
  withProject,
  type World,
  zonesOf,
} from "./world.ts";
import type { Claim } from "../state/zone/claims.ts";
import type { StateStore } from "../state/store.ts";

/** How to plan. */
export interface PlanOptions extends ProjectOptions {
  readonly selection?: Selection;
  readonly isDestroy?: boolean;
  /** Asks DNS as well, and adds what it finds to the findings. */
  readonly dnsCheck?: DnsCheck;
}

/** A plan, the project that it was made for, and what is odd about the configuration. */
export interface Planned {
  readonly plan: Plan;
  readonly project: LoadedProject;
  readonly warnings: readonly Diagnostic[];
  /** The states that went into it, for the apply: one that is unchanged under the lock is not read again. */
  readonly states?: ReadonlyMap<ZoneId, LoadedState>;
}

/** Reads the configuration, the states and live, and plans. Takes no lock and writes nothing. Throws where any zone cannot be planned. */
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
  const preflight = options.dnsCheck && openPreflight(options.dnsCheck);
  const entered = await enterProject(world, read.project);
  const { project, warnings } = read;
  const zones = zonesOf(project, options.zones ?? []);
  const claims = await entered.stores.claims.list();
  if (needed === "every zone" && !options.isDestroy) await guardClaims(entered, claims, zones);
  let others: Promise<OtherProjects> | undefined;
  const planning = { ...entered, claims, others: () => (others ??= otherProjects(entered)) };
  const failures = await eachZone(zones, (zone) => planOne(planning, project, zone, options, preflight));
  const { made, failed } = failures;
  // What names nothing here may name something in a zone that could not be looked at.
  if (failed.length === 0) guardSelection(made.map(({ misses }) => misses));
  const sections = options.isDestroy ? keepOrigins(made) : made.map(({ section }) => section);
  guardBudget(project, sections);
  const stopped = made.flatMap(({ section, unfinished }) => (unfinished ? unfinishedWarning(section, unfinished) : []));
  const states = new Map(made.flatMap(({ section, loaded }) => (loaded ? [[section.zone.id, loaded] as const] : [])));
  const planned = { plan: plan(project.desired, sections), project, warnings: [...warnings, ...stopped], states };
  return { planned, failures };
}

/** Throws `Refusal` where the budget is smaller than what one change needs at once: it would wait for ever. */
export function guardBudget({ desired, budgetAt }: LoadedProject, sections: readonly ZonePlan[]): void {
  const changes = sections.flatMap((section) => section.changes);
  const problems = budgetProblems(changes, desired.budget, budgetAt);
  if (problems.length > 0) throw new Refusal(problems);
}

/** A zone's section, and what of the selection names nothing in that zone. */
interface PlannedZone {
  readonly section: ZonePlan;
  readonly misses: ReadonlyMap<string, string | undefined>;
  readonly loaded: LoadedState | undefined;
  /** How many live hostnames would stay, and lose their origin. */
  readonly stranded: number;
  /** What a stopped run left; no part of the plan, because it changes nothing of it. */
  readonly unfinished?: Unfinished | undefined;
}

/** What is read once for all zones of a plan. */
interface PlanningWorld extends ProjectWorld {
  readonly claims: readonly Claim[];
  readonly others: () => Promise<OtherProjects>;
}

async function planOne(
  world: PlanningWorld,
  project: LoadedProject,
  desired: DesiredZone,
  options: PlanOptions,
  preflight: Preflight | undefined,
): Promise<PlannedZone> {
  const { isDestroy } = options;
  if (!isDestroy) await guardClaims(world, world.claims, [desired]);
  const loaded = await loadState(world.store, desired.id);
  const stateless = loaded ? [] : await statelessFindings(world, desired);
  const input = await readLive(world, project, desired, options, loaded);
  const { budget } = project.desired;
  const client = world.connect(budget);
  const section = await addObserved(client, input, planZone(input), options.dnsCheck?.dns, world.signal);
  const limits = await limitFindings(client, input, section, world.signal);
  const found = (await preflight?.check(client, input, section, world.signal)) ?? [];
  const uploads = isDestroy
    ? []
    : [...absentFindings(project, desired), ...uploadFindings(project, desired, Date.parse(serviceNow(input)))];
  const findings = [...stateless, ...section.findings, ...uploads, ...limits, ...found];
  const claims = zoneClaims(world.claims, world.project, desired, { state: loaded?.state, isDestroy });
  const unfinished = await unfinishedIn(world.store, desired.id, loaded?.open ?? []);
  const changes = isDestroy ? section.changes : withOrigins(project, input, section.changes);
  return {
    section: { ...section, changes, findings, claims },
    loaded,
    misses: missesOf(input),
    stranded: strandedBy(input, changes),
    unfinished,
  };
}

/** How many objects that a run left unfinished to name before counting the rest. */
const MOST_UNFINISHED = 5;

function unfinishedWarning({ zone }: ZonePlan, { runs, addresses }: Unfinished): Diagnostic {
  const [count, more] = [addresses.length, addresses.length - MOST_UNFINISHED];
  const names = addresses.slice(0, MOST_UNFINISHED).join(", ");
  const changes = count === 1 ? "1 change" : `${count} changes`;
  return warning({
    code: "journal-left",
    message: `${zone.name}: run ${runs.join(", ")} was stopped before ${changes} had a result: ${names}${more > 0 ? ` and ${more} more` : ""}`,
    remedy: `nothing to do: the next apply first finds out whether ${count === 1 ? "it" : "they"} took effect`,
  });
}

/** Without a state the plan declares everything anew: after a rename, or a loss, that is not what anybody wants. */
async function statelessFindings(world: PlanningWorld, { id, name, at }: DesiredZone): Promise<readonly Diagnostic[]> {
  const { project, claims } = world;
  const [claimed] = ownClaims(claims, project, id);
  if (claimed)
    return [
      warning({
        code: "no-state",
        message: `${name} has no state, but project ${project} has claims there since ${moment(claimed.since)}`,
        remedy:
          "if it was applied before, its state is lost: restore a backup of it before you apply (zoneform state push FILE)",
        at,
      }),
    ];
  const withZone = (await world.others()).withZone(id);
  const [command] = movingCommands(withZone);
  if (command === undefined) return [];
  return [
    warning({
      code: "no-state",
      message: `${name} has no state in project ${project}; there is one of project ${withZone.join(", ")}`,
      remedy: `if the project was renamed, move its states before you apply: ${command}`,
      at,
    }),
  ];
}

/** A zone's section of the plan, and what it was made from. */
export interface Inspected {
  readonly input: PlanInput;
  readonly section: ZonePlan;
  /** What runs began and did not end, as the journal has it. */
  readonly open: LoadedState["open"];
  /** For callers that look further. */
  readonly client: Client;
  readonly store: StateStore;
}

/**
 * Plans zone by zone and hands over what went into it as well, for commands that report. A zone that fails does not hide
 * the others. Takes no lock and writes nothing.
 */
export async function inspect<T>(
  outer: World,
  options: ProjectOptions,
  report: (inspected: Inspected) => Promise<T>,
): Promise<EachZone<T>> {
  return withProject(outer, options, async ({ project }) => {
    const { budget } = project.desired;
    const world = await enterProject(outer, project);
    const { store } = world;
    return eachZone(zonesOf(project, options.zones ?? []), async (zone) => {
      const loaded = await loadState(store, zone.id);
      const input = await readLive(world, project, zone, options, loaded);
      const open = loaded?.open ?? [];
      return report({ input, section: planZone(input), open, client: world.connect(budget), store });
    });
  });
}

/** What a zone's plan is made from, with a state that was read before. Throws what reading live throws, and `Refusal` for a source that was cut. */
export async function readLive(
  world: ProjectWorld,
  project: LoadedProject,
  desired: DesiredZone,
  options: PlanOptions,
  loaded: LoadedState | undefined,
): Promise<PlanInput> {
  const state = loaded?.state;
  const sources = project.sources.filter(({ zone }) => zone === desired.name);
  const bySource = Object.fromEntries(sources.map((each) => [each.source, each]));
  const completeSources = new Set(options.completeSources);
  if (!options.isDestroy) guardSources(bySource, completeSources, state);
  const client = world.connect(project.desired.budget);
  const live = await refresh(client, desired, state, world.signal);
  const input: PlanInput = {
    desired,
    ...ofState(project, loaded),
    live,
    leaving: await leavingHostnames(world, project, desired, state),
    isOneOfMany: project.desired.zones.length > 1,
    absenceOf: (reference) => project.absentSecrets.get(canonical(reference))?.message,
    now: new Date(world.clock.now()).toISOString(),
    selection: options.selection ?? EVERYTHING,
    ...(live.objects.has("ruleset") ? { othersClaims: await claimsOfOthers(world, desired) } : {}),
    sources: bySource,
    completeSources,
    isDestroy: options.isDestroy ?? false,
  };
  return withObservations(world, client, input, options.records === true);
}

async function claimsOfOthers({ stores, project }: ProjectWorld, { id }: DesiredZone): Promise<readonly Claim[]> {
  return (await stores.claims.list()).filter((claim) => claim.zone === id && claim.project !== project);
}

/** What of a plan's input comes from the state. */
export function ofState(
  { secrets }: LoadedProject,
  loaded: LoadedState | undefined,
): Pick<PlanInput, "state" | "journalRecords" | "fingerprintOf" | "certificateOf"> {
  return {
    state: loaded?.state,
    ...(loaded?.journalRecords === undefined ? {} : { journalRecords: loaded.journalRecords }),
    fingerprintOf: fingerprints(secrets, loaded?.state),
    certificateOf: (reference) => {
      const secret = secrets.get(canonical(reference));
      return secret && certificateFingerprint(secret);
    },
  };
}

/** Throws `Refusal` for addresses of the selection that name nothing in any zone. */
export function guardSelection([first, ...others]: readonly PlannedZone["misses"][]): void {
  const missed = [...(first ?? [])].filter(([text]) => others.every((misses) => misses.has(text)));
  if (missed.length === 0) return;
  const guessesOf = (text: string): readonly string[] =>
    [first, ...others].flatMap((misses) => misses?.get(text) ?? []);
  throw new Refusal(missed.map(([text]) => namesNothing(text, nearestTo(text, guessesOf(text)))));
}

/** The guess of all zones whose key is nearest to what was typed. */
function nearestTo(text: string, guesses: readonly string[]): string | undefined {
  const keyOf = (address: string): string => parseTypedAddress(address)?.key ?? address;
  const key = suggest(keyOf(text), guesses.map(keyOf));
  return guesses.find((guess) => keyOf(guess) === key);
}

function namesNothing(text: string, guess: string | undefined): Diagnostic {
  return error({
    code: "names-nothing",
    message: `there is no ${text}: it is not declared, not in the state and not live`,
    remedy: guess === undefined ? "to see the addresses: zoneform state list" : `did you mean ${guess}?`,
  });
}

/** Throws `Refusal` where a source gives so much less than at the last apply that it may have been cut short. */
function guardSources(
  sources: Readonly<Record<string, SourceCount>>,
  complete: ReadonlySet<string>,
  state: State | undefined,
): void {
  const found = Object.values(sources)
    .filter(({ source }) => !complete.has(source))
    .flatMap((each) => checkShrink(rememberedSource({ sources, state }, each.source), each) ?? []);
  if (found.length > 0) throw new Refusal(found);
}

function fingerprints(secrets: ReadonlyMap<string, Secret>, state: State | undefined): PlanInput["fingerprintOf"] {
  return (reference) => {
    const secret = secrets.get(canonical(reference));
    return secret && state ? fingerprint(secret, state.secretKey) : undefined;
  };
}
