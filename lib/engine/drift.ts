import { defined, equal } from "../core/json.ts";
import type { DesiredZone, LoadedProject } from "../config/desired.ts";
import type { Clock } from "../core/clock.ts";
import { several } from "../core/lists.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { isWhole, recordChecks } from "./drift-checks.ts";
import { eachZone } from "./each-zone.ts";
import { missingStates } from "./no-state.ts";
import type { Inspected } from "./plan.ts";
import {
  enterProject,
  type ProjectOptions,
  type ProjectWorld,
  type ReadProject,
  withProject,
  type World,
  zonesOf,
} from "./world.ts";
import { type ConfigJudgement, judgeAgainstConfig } from "../plan/against-config.ts";
import type { FailedZone } from "../plan/change.ts";
import { type Adopted, coverageOf, type DriftCoverage, type DriftJudgement, judgeDrift } from "../plan/drift.ts";
import type { PlanInput, Selection } from "../plan/inputs.ts";
import { localAddress, missesOf } from "../plan/targets.ts";
import { planZone } from "../plan/plan.ts";
import { type LiveZone, refresh } from "../refresh/refresh.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Client, ServiceClock } from "../service/client.ts";
import { type LoadedState, loadState } from "../state/load.ts";
import { OBJECT } from "../state/codec.ts";
import { withObserved } from "../state/observations.ts";
import { absentFindings } from "./plan-findings.ts";
import { StateError } from "../state/error.ts";
import type { RunChange, RunHeader } from "../state/run-record.ts";
import { redoes } from "../undo/findings.ts";
import { listRuns, loadRun } from "../state/runs.ts";
import type { StateObject } from "../state/state.ts";
import type { Holding } from "../state/lock.ts";
import { guardSelection } from "./selection.ts";
import { ofState, readLive } from "./plan-input.ts";

/** Options of `findDrift`. */
export interface DriftOptions extends ProjectOptions {
  readonly selection?: Selection;
}

/** One zone, the judgement of its drift, and its section of a plan. */
export interface ZoneDrift extends Omit<Inspected, "client" | "intents" | "store"> {
  readonly judgement: DriftJudgement;
  /** How much was judged. */
  readonly coverage: DriftCoverage;
  /** Who holds the zone's lock: a run that is writing now. */
  readonly holding?: Holding;
  /** The newest recorded run that changed something. */
  readonly lastRun?: RunHeader;
  /** The newest run, if it was an undo and the YAML still declares what it reverted. */
  readonly undo?: string;
}

/** The drift of a project, and the zones that could not be read. */
export interface FoundDrift {
  readonly project: string;
  readonly zones: readonly ZoneDrift[];
  readonly failed: readonly FailedZone[];
  readonly warnings: readonly Diagnostic[];
}

/** How long to reread objects that differ while a run is writing. What still differs is attributed to that run. */
const PATIENCE_MILLISECONDS = 60_000;

/** How long to wait before rereading objects that still differ. */
const PAUSE_MILLISECONDS = 5_000;

/** How many objects to read one by one; with more, the zone is refreshed again. */
const MOST_READ_SINGLY = 100;

/**
 * Looks for changes made outside Zoneform since the last apply, zone by zone. Takes no lock, and changes neither live
 * nor the state. Beside the state it may record the hostnames that it saw and the check itself. A zone without a state
 * fails (`no-state`): without a last apply there is nothing to compare with.
 */
export async function findDrift(world: World, options: DriftOptions): Promise<FoundDrift> {
  return withProject(world, options, (read) => findDriftFrom(world, read, options));
}

/** The same for a project that was read before. */
export async function findDriftFrom(
  outer: World,
  { project, warnings }: ReadProject,
  options: DriftOptions,
): Promise<FoundDrift> {
  const entered = await enterProject(outer, project);
  const wanted = zonesOf(project, options.zones ?? []);
  const world: DriftWorld = { ...entered, noState: missingStates(entered, project, wanted) };
  const client = world.connect(project.desired.budget);
  const before = client.serviceTime();
  const { made, failed } = await eachZone(wanted, (zone) => findZoneDrift(world, project, zone, options));
  if (failed.length === 0) guardSelection(made.map(({ input }) => missesOf(input)));
  if (options.records === true && isWhole(options.selection))
    await recordChecks(world, { zones: made, failed, ended: timeSince(before, client, world.clock) });
  return { project: project.desired.project, zones: made, failed, warnings };
}

/** Now, by the service's clock if it has responded since, else by the local one. */
function timeSince(before: number | undefined, client: ServiceClock, clock: Clock): number {
  const said = client.serviceTime();
  return said === undefined || said === before ? clock.now() : said;
}

/** A zone whose live objects were compared with the YAML alone. */
export interface ZoneComparison {
  readonly zone: { readonly id: string; readonly name: string };
  readonly input: PlanInput;
  readonly judgement: ConfigJudgement;
}

/** How live compares with the YAML, and the zones that could not be read. */
export interface Compared extends Omit<FoundDrift, "zones"> {
  readonly zones: readonly ZoneComparison[];
}

/** Compares live with the YAML alone, zone by zone, without reading a state. Takes no lock and writes nothing. */
export async function compareWithConfig(outer: World, options: DriftOptions): Promise<Compared> {
  return withProject(outer, options, async ({ project, warnings }) => {
    const world = await enterProject(outer, project);
    const { made, failed } = await eachZone(zonesOf(project, options.zones ?? []), async (zone) => {
      const input = await readLive(world, project, zone, options, undefined);
      return { zone: { id: zone.id, name: zone.name }, input, judgement: judgeAgainstConfig(input) };
    });
    if (failed.length === 0) guardSelection(made.map(({ input }) => missesOf(input)));
    return { project: project.desired.project, zones: made, failed, warnings };
  });
}

/** A world, with the refusal for zones that have no state in it. */
interface DriftWorld extends ProjectWorld {
  readonly noState: ReturnType<typeof missingStates>;
}

async function findZoneDrift(
  world: DriftWorld,
  project: LoadedProject,
  zone: DesiredZone,
  options: DriftOptions,
): Promise<ZoneDrift> {
  const loaded = await stateOf(world, zone);
  const read = await readLive(world, project, zone, options, loaded);
  const { input, judgement, holding } = await settle(world, project, { zone, read });
  const [lastRun] = await listRuns(await world.store.view(zone.id));
  const section = planZone(input);
  const reverted = lastRun?.operation === "undo" ? await changesOfRun(world, zone, lastRun.run) : [];
  const undo = redoes(section.changes, reverted) ? lastRun?.run : undefined;
  return {
    input,
    judgement,
    coverage: coverageOf(input, judgement),
    section: { ...section, findings: [...section.findings, ...absentFindings(project, zone)] },
    ...defined({ holding, lastRun, undo }),
  };
}

/** The changes of a run; empty if its record is damaged, which `state doctor` reports. */
async function changesOfRun({ store }: DriftWorld, zone: DesiredZone, run: string): Promise<readonly RunChange[]> {
  try {
    return (await loadRun(await store.view(zone.id), run))?.changes ?? [];
  } catch (error) {
    if (error instanceof StateError) return [];
    throw error;
  }
}

interface Reading {
  readonly zone: DesiredZone;
  readonly read: PlanInput;
}

/** The final judgement, and the holder of the lock at that time. */
type Settled = Pick<ZoneDrift, "input" | "judgement" | "holding">;

/**
 * Judges what was read, and rereads differing objects by id until the state is the same before and after: another run
 * may have written one in between, and a list may lag. Objects that a live run is changing are awaited, then read and
 * judged as well. What has not settled after a minute is attributed to a run (docs/semantics.md#drift).
 */
async function settle(world: DriftWorld, project: LoadedProject, { zone, read }: Reading): Promise<Settled> {
  const { store, clock, signal } = world;
  const deadline = clock.now() + PATIENCE_MILLISECONDS;
  /** Objects that differed, or were being changed, at one of the reads. All others are as applied. */
  const watched = new Map<string, Named>();
  /** What the state said about an object just before it was reread. */
  const said = new Map<string, StateObject | undefined>();
  let { live } = read;
  for (let look = 0; ; look += 1) {
    const before = await store.holding(zone.id);
    const loaded = await stateOf(world, zone);
    const holding = await store.holding(zone.id);
    const { objects } = loaded.state;
    const unfinished = new Map(loaded.intents.map(({ address, run }) => [address, run]));
    const input = withSeen({ ...read, ...ofState(project, loaded), live });
    const found = judgeDrift(input, unfinished);
    // An object that was as applied needs no second read, even if a run changes it now.
    const underWay = found.underWay.filter((each) => look === 0 || watched.has(localOf(each)));
    for (const each of [...underWay, ...found.drifted, ...found.adopted]) watched.set(localOf(each), each);
    const isSettled = (local: string): boolean => said.has(local) && isSame(said.get(local), objects.get(local));
    const unsettled = [...watched.values()].filter(
      (each) => !unfinished.has(localOf(each)) && !isSettled(localOf(each)),
    );
    const isLiving = [before, holding].some((lock) => lock !== undefined && lock.isAlive !== false);
    const isAwaited = isLiving && underWay.some((each) => unfinished.has(localOf(each)));
    if (clock.now() >= deadline || (unsettled.length === 0 && !isAwaited)) {
      const judgement = leaveToRun({ ...found, underWay }, new Set(unsettled.map(localOf)));
      return { input, judgement, ...defined({ holding }) };
    }
    for (const each of unsettled) said.set(localOf(each), objects.get(localOf(each)));
    if (unsettled.length > 0) live = await readAgain(world, project, { zone, read: input }, unsettled);
    if (isAwaited || look > 0) await clock.sleep(PAUSE_MILLISECONDS, signal);
  }
}

/** The input with a state that includes what other runs saw of its hostnames. */
function withSeen(input: PlanInput): PlanInput {
  const { state, observed } = input;
  return state && observed ? { ...input, state: withObserved(state, observed) } : input;
}

type Named = Pick<Adopted, "kind" | "key">;

function localOf({ kind, key }: Named): string {
  return localAddress(kind, key);
}

function isSame(left: StateObject | undefined, right: StateObject | undefined): boolean {
  return equal(left && OBJECT.encode(left), right && OBJECT.encode(right));
}

/** Objects that a run kept writing while we read them. */
function leaveToRun(judgement: DriftJudgement, addresses: ReadonlySet<string>): DriftJudgement {
  const isLeft = (each: Named): boolean => addresses.has(localOf(each));
  const { drifted, adopted, underWay } = judgement;
  const left = new Map([...drifted, ...adopted].filter(isLeft).map((each) => [each.address, each]));
  return {
    ...judgement,
    drifted: drifted.filter((each) => !isLeft(each)),
    adopted: adopted.filter((each) => !isLeft(each)),
    underWay: [...underWay, ...[...left.values()].map(({ address, kind, key }) => ({ address, kind, key }))],
  };
}

/** The live objects, with these replaced by their present values. */
async function readAgain(
  world: ProjectWorld,
  { desired: { budget } }: LoadedProject,
  { zone, read: { state, live } }: Reading,
  some: readonly Named[],
): Promise<LiveZone> {
  const client = world.connect(budget);
  if (some.length > MOST_READ_SINGLY) return refresh(client, zone, state, world.signal);
  const objects = new Map([...live.objects].map(([kind, lives]) => [kind, new Map(lives)]));
  const readOne = async ({ kind, key }: Named): Promise<Live | undefined> => {
    const ids = [state?.objects.get(localAddress(kind, key))?.id, objects.get(kind)?.get(key)?.id];
    for (const id of new Set(ids)) {
      const found = id ? await readNamed(kindNamed(kind), client, zone, { id, key }, world.signal) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  for (const [{ kind, key }, found] of await several(some, readOne)) {
    const lives = objects.get(kind) ?? new Map<string, Live>();
    if (found) lives.set(key, found);
    else lives.delete(key);
    objects.set(kind, lives);
  }
  return { ...live, objects };
}

/** Reads an object by its id, if that is still the object of this name. */
async function readNamed(
  kind: Kind,
  client: Client,
  zone: DesiredZone,
  target: { readonly id: string; readonly key: string },
  signal: AbortSignal | undefined,
): Promise<Live | undefined> {
  const live = await kind.read(client, zone.id, target, signal);
  // The state has an object that is being replaced under a key of its own; its live key is another.
  return live && (kind.replacement === "create-first" || live.key === target.key)
    ? { ...live, key: target.key }
    : undefined;
}

/** The state of a zone. Throws `Refusal` (`no-state`) if there is none: without it, the last apply is unknown. */
async function stateOf({ store, noState }: DriftWorld, zone: DesiredZone): Promise<LoadedState> {
  const loaded = await loadState(store, zone.id);
  if (loaded) return loaded;
  throw await noState(zone);
}
