import { type ApplyOptions as ZoneOptions, type ApplyWorld, applyZone } from "./apply/apply.ts";
import { endedAs } from "./apply/ended.ts";
import type { ApplyEvent, ApplyReport, ZoneReport } from "./apply/outcome.ts";
import type { Budget, DesiredZone, LoadedProject, SourceCount } from "./config/desired.ts";
import { loadProject } from "./config/load.ts";
import { checkSource, isKnownWhole, type PreviousSource } from "./config/shrink.ts";
import type { Clock, Random } from "./core/clock.ts";
import { type Diagnostic, error, Refusal } from "./core/diagnostic.ts";
import type { FileSystem } from "./core/file-system.ts";
import { canonical } from "./core/json.ts";
import { fingerprint, type Secret, type SecretReference } from "./core/secret.ts";
import { didYouMean } from "./core/suggest.ts";
import { type Approval, approvalOf } from "./plan/approval.ts";
import type { Plan, ZonePlan } from "./plan/change.ts";
import { budgetProblems } from "./plan/cost.ts";
import { writeOf } from "./plan/write.ts";
import { EVERYTHING, type PlanInput, type Selection } from "./plan/inputs.ts";
import { missesOf } from "./plan/misses.ts";
import { plan, planZone } from "./plan/plan.ts";
import { serviceNow } from "./plan/seen.ts";
import { previousSource, rowsBefore } from "./plan/source-memory.ts";
import { certificateFingerprint } from "./resources/custom-hostname/upload.ts";
import { type EachZone, eachZone, throwFailures } from "./each-zone.ts";
import { leavingHostnames } from "./leaving.ts";
import { withObservations } from "./observe.ts";
import { type DnsCheck, openPreflight, type Preflight } from "./preflight/check-dns.ts";
import { limitFindings } from "./preflight/limits.ts";
import { withObserved } from "./preflight/observed.ts";
import { refresh } from "./refresh/refresh.ts";
import type { Client, FreshClient } from "./service/client.ts";
import { explainFailure } from "./service/explain-failure.ts";
import { type LoadedState, loadState } from "./state/load.ts";
import type { State } from "./state/state.ts";
import type { RunApproval } from "./state/run-approval.ts";
import type { LockHolder, StateStore } from "./state/store.ts";
import { absentFindings, uploadFindings } from "./uploads.ts";

/** What the engine works with: everything outside of the process, built once by whoever calls it. */
export interface World {
  readonly fs: FileSystem;
  /** The client for calls within a budget; the same one for every call, because limits count by credential. */
  readonly connect: (budget: Budget) => FreshClient;
  readonly store: StateStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Is told each secret as it is read, so that nothing that is printed can hold it. */
  readonly learn?: (secret: Secret) => void;
  /** Is told what is to be said of a run besides its result. */
  readonly note?: (found: Diagnostic) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Which configuration is meant. */
export interface ProjectOptions {
  /** The path of `zoneform.yaml`. */
  readonly file: string;
  /** `--source NAME=FILE`. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Names or ids of the zones that are looked at; empty or absent for all. */
  readonly zones?: readonly string[];
  /** Whether what is seen of hostnames is kept beside the state, for later runs; only for commands that write nothing else. */
  readonly records?: boolean;
}

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
}

/**
 * Loads, parses, validates and resolves the configuration. Throws `Refusal` with every error that there is; a secret that
 * is not there is one, unless those are wanted where they are at hand.
 */
export async function readProject(
  { fs, env, clock, learn }: Pick<World, "fs" | "env" | "clock" | "learn">,
  options: ProjectOptions,
  secrets?: "where-at-hand",
): Promise<{ project: LoadedProject; warnings: readonly Diagnostic[] }> {
  const { file, sources } = options;
  const loaded = await loadProject(
    { fs, env, today: clock.now(), ...(learn ? { learn } : {}) },
    { file, ...(sources ? { sources } : {}), ...(secrets ? { secrets } : {}) },
  );
  if (!loaded.ok) throw new Refusal(loaded.diagnostics);
  return { project: loaded.value, warnings: loaded.warnings };
}

/** Reads the configuration, the states and live, and plans. Takes no lock and writes nothing. Throws where any zone cannot be planned. */
export async function makePlan(world: World, options: PlanOptions): Promise<Planned> {
  const { planned, failures } = await planZones(world, options);
  throwFailures(failures);
  return planned;
}

/** The same, with the zones that cannot be planned beside those that can (`Plan.failed`). */
export async function makePartialPlan(world: World, options: PlanOptions): Promise<Planned> {
  const { planned, failures } = await planZones(world, options);
  const { failed } = failures;
  return failed.length === 0 ? planned : { ...planned, plan: { ...planned.plan, failed } };
}

async function planZones(
  world: World,
  options: PlanOptions,
): Promise<{ planned: Planned; failures: EachZone<PlannedZone> }> {
  const { project, warnings } = await readProject(world, options, "where-at-hand");
  const preflight = options.dnsCheck && openPreflight(options.dnsCheck);
  const failures = await eachZone(zonesOf(project, options.zones ?? []), (zone) =>
    planOne(world, project, zone, options, preflight),
  );
  const { made, failed } = failures;
  // What names nothing here may name something in a zone that could not be looked at.
  if (failed.length === 0) guardSelection(made.map(({ misses }) => misses));
  const sections = made.map(({ section }) => section);
  guardBudget(project, sections);
  return { planned: { plan: plan(project.desired, sections), project, warnings }, failures };
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
}

async function planOne(
  world: World,
  project: LoadedProject,
  desired: DesiredZone,
  options: PlanOptions,
  preflight: Preflight | undefined,
): Promise<PlannedZone> {
  const input = await readLive(world, project, desired, options, await loadState(world.store, desired.id));
  const { budget } = project.desired;
  const client = world.connect(budget);
  const section = await withObserved(client, input, planZone(input, budget), options.dnsCheck?.dns, world.signal);
  const limits = await limitFindings(client, input, section, world.signal);
  const found = (await preflight?.check(client, input, section, world.signal)) ?? [];
  const uploads = options.isDestroy
    ? []
    : [...absentFindings(project, desired), ...uploadFindings(project, desired, Date.parse(serviceNow(input)))];
  const findings = [...section.findings, ...uploads, ...limits, ...found];
  return { section: { ...section, findings }, misses: missesOf(input) };
}

/** A zone's section of the plan, and what it was made from. */
export interface Inspected {
  readonly input: PlanInput;
  readonly section: ZonePlan;
  /** What runs began and did not end, as the journal has it. */
  readonly open: LoadedState["open"];
  /** For whoever looks further. */
  readonly client: Client;
}

/**
 * Plans zone by zone and hands over what went into it as well, for commands that report. A zone that fails does not hide
 * the others. Takes no lock and writes nothing.
 */
export async function inspect<T>(
  world: World,
  options: ProjectOptions,
  report: (inspected: Inspected) => Promise<T>,
): Promise<EachZone<T>> {
  const { project } = await readProject(world, options, "where-at-hand");
  const { budget } = project.desired;
  return eachZone(zonesOf(project, options.zones ?? []), async (zone) => {
    const loaded = await loadState(world.store, zone.id);
    const input = await readLive(world, project, zone, options, loaded);
    const open = loaded?.open ?? [];
    return report({ input, section: planZone(input, budget), open, client: world.connect(budget) });
  });
}

/** What a zone's plan is made from, with a state that was read before. Throws what reading live throws, and `Refusal` for a source that was cut. */
export async function readLive(
  world: World,
  project: LoadedProject,
  desired: DesiredZone,
  options: PlanOptions,
  loaded: LoadedState | undefined,
): Promise<PlanInput> {
  const state = loaded?.state;
  const sources = project.sources.filter(({ zone }) => zone === desired.name);
  const seen = seenSources(sources);
  const previousOf = ({ source }: SourceCount): PreviousSource | undefined => {
    const previous = previousSource({ sources: seen, state }, source);
    return previous && { ...previous, rows: rowsBefore(previous) };
  };
  if (!options.isDestroy) guardSources(sources, previousOf);
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
    sources: seen,
    wholeSources: new Set(sources.filter((each) => isKnownWhole(previousOf(each), each)).map(({ source }) => source)),
    isDestroy: options.isDestroy ?? false,
  };
  return withObservations(world, client, input, options.records === true);
}

/** What an apply of the whole configuration would remember of its sources. */
export function seenSources(sources: readonly SourceCount[]): PlanInput["sources"] {
  return Object.fromEntries(
    sources.map(({ source, rows, last, said, order, file }) => [
      source,
      { rows, last, said, order, ...(file === undefined ? {} : { file }) },
    ]),
  );
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
  const guesses = new Map(
    missed.map(([text, guess]) => [text, guess ?? others.find((each) => each.get(text))?.get(text)]),
  );
  throw new Refusal([...guesses].map(([text, guess]) => namesNothing(text, guess)));
}

function namesNothing(text: string, guess: string | undefined): Diagnostic {
  return error({
    code: "names-nothing",
    message: `${text} names nothing that is declared, tracked or live`,
    remedy: guess === undefined ? "zoneform plan and zoneform state list show the addresses" : `did you mean ${guess}?`,
  });
}

/** Throws `Refusal` where a source gives so much less than at the last apply that it may have been cut short. */
function guardSources(
  sources: readonly SourceCount[],
  previousOf: (source: SourceCount) => PreviousSource | undefined,
): void {
  const found = sources.flatMap((source) => checkSource(previousOf(source), source) ?? []);
  if (found.length > 0) throw new Refusal(found);
}

function fingerprints(secrets: ReadonlyMap<string, Secret>, state: State | undefined): PlanInput["fingerprintOf"] {
  return (reference) => {
    const secret = secrets.get(canonical(reference));
    return secret && state ? fingerprint(secret, state.secretKey) : undefined;
  };
}

/** The zones that were asked for, by name or id. Throws `Refusal` for one that the project does not have. */
export function zonesOf({ desired }: LoadedProject, wanted: readonly string[]): readonly DesiredZone[] {
  const unknown = wanted.filter((name) => !desired.zones.some((zone) => zone.name === name || zone.id === name));
  if (unknown.length > 0) throw new Refusal(unknown.map((name) => unknownZone(name, desired.zones)));
  return wanted.length === 0
    ? desired.zones
    : desired.zones.filter(({ name, id }) => wanted.includes(name) || wanted.includes(id));
}

function unknownZone(name: string, zones: readonly DesiredZone[]): Diagnostic {
  const names = zones.map((zone) => zone.name);
  return error({
    code: "unknown-zone",
    message: `the project has no zone ${JSON.stringify(name)}`,
    remedy: didYouMean(name, names) || `it has ${names.join(", ")}`,
  });
}

/** How to carry out a plan. */
export interface ApplyOptions {
  readonly holder: Omit<LockHolder, "id">;
  readonly lockWaitMilliseconds: number;
  readonly parallelism: number;
  /** What was approved, where the plan is only a part of it; absent where it is the plan itself. */
  readonly approval?: Approval;
  /** Who approved it, and how, for the record of the run. */
  readonly approved?: RunApproval;
  /** When no further change is started (`--max-duration`), in milliseconds since the epoch. */
  readonly deadlineMilliseconds?: number | undefined;
  /** Gives the value of a secret, read again now and not when the plan was made. Throws `Refusal`. */
  readonly reveal: (reference: SecretReference) => Secret;
  readonly report: (event: ApplyEvent) => void;
}

/** Carries out a plan, zone by zone, and reports how each change ended. */
export async function applyPlan(world: World, approved: Plan, options: ApplyOptions): Promise<ApplyReport> {
  const runId = world.random.uuid();
  const client = world.connect(approved.budget);
  const approval = options.approval ?? approvalOf(approved);
  const { operation } = options.holder;
  const writtenIn = zonesToWrite(approved);
  const zones: ZoneReport[] = [];
  for (const section of approved.zones) {
    zones.push(
      await applyOne({ ...world, ...options, client }, section, {
        ...options,
        approval,
        leavesOut: (approved.approval?.leftOut.length ?? 0) > 0,
        operation,
        run: runId,
        zones: writtenIn,
      }),
    );
  }
  const { deadlineMilliseconds } = options;
  const isOver = deadlineMilliseconds !== undefined && world.clock.now() >= deadlineMilliseconds;
  return {
    run: runId,
    zones,
    ...(approved.approval ? { approval: approved.approval } : {}),
    ...(world.signal?.aborted ? { interrupted: true } : {}),
    ...(isOver ? { outOfTime: true } : {}),
  };
}

/** The zones in which a plan changes something, where there are several: the record of the run in each of them names them all. */
function zonesToWrite({ zones }: Plan): readonly string[] | undefined {
  const isWritten = ({ changes }: ZonePlan): boolean =>
    changes.some((change) => !change.refused && writeOf(change) !== undefined);
  const ids = zones.filter(isWritten).map(({ zone }) => zone.id);
  return ids.length > 1 ? ids : undefined;
}

/** A zone that cannot be begun does not take away the report of those before it. */
async function applyOne(world: ApplyWorld, section: ZonePlan, options: ZoneOptions): Promise<ZoneReport> {
  try {
    return await applyZone(world, section, options);
  } catch (thrown) {
    const isInterrupted = world.signal?.aborted === true && thrown === world.signal.reason;
    const because = isInterrupted ? "the run was interrupted" : "the zone could not be begun";
    const ended = section.changes.map((change) => endedAs(change, { status: "not-started", because }));
    return { zone: section.zone, ended, ...(isInterrupted ? {} : { stopped: stopOf(thrown) }) };
  }
}

function stopOf(thrown: unknown): NonNullable<ZoneReport["stopped"]> {
  if (thrown instanceof Refusal) return { diagnostics: thrown.diagnostics, exitCode: thrown.exitCode };
  return { diagnostics: [explainFailure(thrown)], exitCode: 1 };
}
