import type { DesiredObject, DesiredZone, LoadedProject } from "../config/desired.ts";
import { parseAddress } from "../core/address.ts";
import { problem, Refusal, refusal } from "../core/diagnostic.ts";
import { kindIfNamed } from "../kinds/registry.ts";
import type { ZonePlan } from "../plan/change.ts";
import { EVERYTHING, type PlanInput, type Selection } from "../plan/inputs.ts";
import { plan } from "../plan/plan.ts";
import { refresh } from "../refresh/refresh.ts";
import { loadState } from "../state/load.ts";
import type { RunChange } from "../state/run-record.ts";
import { loadRun } from "../state/runs.ts";
import type { Claim } from "../state/zone/claims.ts";
import { missingZones } from "../undo/findings.ts";
import { netChanges } from "../undo/net.ts";
import { findRun, type UndoableRun } from "../undo/run.ts";
import { undoSection } from "../undo/section.ts";
import { timesOf } from "./observe.ts";
import { ofState } from "./plan-input.ts";
import { guardClaims, zoneClaims, guardBudget, type Planned } from "./plan.ts";
import {
  enterProject,
  type ProjectOptions,
  type ProjectWorld,
  type ReadProject,
  withProject,
  type World,
  zonesOf,
} from "./world.ts";

/** What to undo. */
export interface UndoOptions extends ProjectOptions {
  /** The run's id, its beginning, or `last`: the newest run that is no undo. */
  readonly run: string;
  /** Hazards and actions to deny. */
  readonly deny?: Selection["deny"];
  /** Plans again until nothing is held that Cloudflare lifts soon by itself, for at most this time. */
  readonly wait?: { readonly limitMilliseconds: number; readonly report: (held: number) => void };
}

/** A plan that restores what was live before a run. */
export interface PlannedUndo extends Planned {
  /** The whole id of the run. */
  readonly run: string;
}

/**
 * Plans to undo a run: it deletes what the run created, restores what it changed, and creates again what it deleted. It
 * is an ordinary plan with all its guards. Objects that were changed since are conflicts; what cannot be undone is
 * reported. Takes no lock and writes nothing. Throws `Refusal` for a run without a record and for an unfinished one,
 * `StateError`, and what the client throws.
 */
export async function makeUndo(outer: World, options: UndoOptions): Promise<PlannedUndo> {
  const { limitMilliseconds = 0, report } = options.wait ?? {};
  const until = outer.clock.now() + limitMilliseconds;
  for (let before = 0; ;) {
    const made = await planUndo(outer, options);
    const held = made.plan.zones.flatMap(({ changes }) =>
      changes.filter((change) => change.held?.isSoon && !change.refused),
    );
    const left = until - outer.clock.now();
    if (held.length === 0 || left <= 0) return made;
    if (held.length !== before) report?.(held.length);
    before = held.length;
    await outer.clock.sleep(Math.min(LOOK_AGAIN_MILLISECONDS, left), outer.signal);
  }
}

/** How long to wait between plans: deploying a hostname takes the service about a minute. */
const LOOK_AGAIN_MILLISECONDS = 10_000;

function planUndo(outer: World, options: UndoOptions): Promise<PlannedUndo> {
  return withProject(outer, options, (read) => planUndoOf(outer, read, options), "required");
}

async function planUndoOf(outer: World, read: ReadProject, options: UndoOptions): Promise<PlannedUndo> {
  const world = await enterProject(outer, read.project);
  const { project, warnings } = read;
  const asked = zonesOf(project, options.zones ?? []);
  const parts = await findRun(world.store, asked, options.run);
  const missing = await missingZones(world.store, { all: project.desired.zones, asked }, parts);
  const claims = await world.stores.claims.list();
  await guardClaims(
    world,
    claims,
    parts.map(({ zone }) => zone),
  );
  const sections: ZonePlan[] = [];
  for (const part of parts) {
    const section = await undoZone({ ...world, claims }, project, part, options.deny ?? []);
    sections.push(sections.length > 0 ? section : { ...section, findings: [...missing, ...section.findings] });
  }
  guardBudget(project, sections);
  return { plan: plan(project.desired, sections), project, warnings, run: parts[0]?.header.run ?? options.run };
}

async function undoZone(
  world: ProjectWorld & { readonly claims: readonly Claim[] },
  project: LoadedProject,
  { zone, header }: UndoableRun,
  deny: Selection["deny"],
): Promise<ZonePlan> {
  const loaded = await loadState(world.store, zone.id);
  const state = loaded?.state;
  const record = await loadRun(await world.store.view(zone.id), header.run);
  if (!state || !record || record.header.lineage !== state.lineage) throw ofAnotherState(header.run, zone);
  const changes = netChanges(record.changes);
  const client = world.connect(project.desired.budget);
  const live = await refresh(client, withAll(zone, changes), state, world.signal);
  const input: PlanInput = {
    desired: zone,
    ...ofState(project, loaded),
    live,
    leaving: new Map(),
    isOneOfMany: project.desired.zones.length > 1,
    ...timesOf(world.clock, client),
    selection: { ...EVERYTHING, deny },
    othersClaims: world.claims.filter((claim) => claim.zone === zone.id && claim.project !== world.project),
    sources: {},
    isDestroy: false,
  };
  const section = undoSection(input, changes, header.run);
  return { ...section, claims: zoneClaims(world.claims, world.project, zone, { state }) };
}

function ofAnotherState(run: string, zone: DesiredZone): Refusal {
  return refusal(problem("run-of-another-state", { run, zone: zone.name }));
}

/** Everything that the run touched counts as declared, so that all of it is read. */
function withAll(zone: DesiredZone, changes: readonly RunChange[]): DesiredZone {
  const objects = changes.flatMap(({ address }): DesiredObject[] => {
    const parts = parseAddress(address);
    const kind = parts && kindIfNamed(parts.kind);
    return kind ? [{ kind: kind.name, key: parts.key ?? "", values: {}, options: {}, at: zone.at }] : [];
  });
  return { ...zone, objects: [...zone.objects, ...objects], hostnames: { ...zone.hostnames, isDeclared: true } };
}
