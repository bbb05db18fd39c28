import { problem, Refusal, refusal } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { EXIT } from "../../core/exit-code.ts";
import { type Claimable, type Claims, conflictingClaims } from "../zone/claims.ts";
import { loadState } from "../load.ts";
import { markOf, type MovingMark, type ProjectMark } from "../zone/marks.ts";
import { readableCopies } from "./copies.ts";
import type { Contender } from "../zone/shared-value.ts";
import type { Lease } from "../lock.ts";
import type { StateStores } from "../stores.ts";
import type { ProjectStore } from "../zone/store.ts";
import { copyZone, verifyZone } from "./copy-zone.ts";

/**
 * A place of states: one project's store there, its mark, the claims of all projects, and a short name of the place.
 */
export interface MigrationPlace {
  readonly store: ProjectStore;
  readonly mark: ProjectMark;
  readonly claims: Claims;
  readonly name: string;
}

/** The part of a place that moving a project needs. */
export function migrationPlace(stores: StateStores, project: string, contender: Contender): MigrationPlace {
  return {
    store: stores.of(project),
    mark: markOf(stores, project, contender),
    claims: stores.claims,
    name: stores.describe(),
  };
}

/** Where a project's states are, and where they go. */
export interface Migration {
  readonly project: string;
  readonly from: MigrationPlace;
  readonly to: MigrationPlace;
}

/** A zone whose state moves. */
export interface MigratingZone {
  readonly id: ZoneId;
  readonly name: string;
  readonly objects: number;
  /** How many earlier copies and records move with it. */
  readonly copies: number;
  readonly records: number;
  /** Whether its state counts at the new place already. */
  readonly isMoved: boolean;
}

/** The locks of a zone at both places. */
export interface MigrationLeases {
  readonly from: Lease;
  readonly to: Lease;
}

/** Runs `act` under the locks of a zone at both places, and frees them. */
export type UnderBothLocks = (zone: ZoneId, act: (leases: MigrationLeases) => Promise<void>) => Promise<void>;

/**
 * The zones to move. Throws `Refusal` with exit code 4 if the new place has another state of the project, if another
 * project claims something there, or if the states were moved to yet another place; `StateError` if a state cannot be
 * read.
 */
export async function migratingZones(migration: Migration): Promise<readonly MigratingZone[]> {
  const { from } = migration;
  const { left, moved } = await checkedZones(migration);
  const found: MigratingZone[] = [];
  for (const id of [...moved, ...left]) {
    const isMoved = moved.includes(id);
    const loaded = await loadState(from.store, id, { acceptsOlder: isMoved });
    found.push({
      id,
      name: loaded?.state.zone.name ?? id,
      objects: loaded?.state.objects.size ?? 0,
      copies: (await readableCopies(await from.store.view(id))).length,
      records: (await from.store.view(id)).names.length,
      isMoved,
    });
  }
  return found;
}

/**
 * Moves everything that is kept for a project, zone by zone, each under its locks at both places, and yields each zone
 * when it has moved. A zone counts at the old place until the old place records that it is elsewhere. It counts at the
 * new place once that no longer records that it is on its way. In between both refuse it. If it is interrupted, calling
 * it again completes it. Throws as `migratingZones` does.
 */
export async function* migrate(migration: Migration, underBothLocks: UnderBothLocks): AsyncGenerator<ZoneId> {
  const { to } = migration;
  let { left } = await checkedZones(migration);
  while (left.length > 0) {
    left = await announce(migration);
    for (const zone of left) {
      await underBothLocks(zone, (leases) => moveZone(migration, zone, leases));
      yield zone;
    }
    // Another zone may have got its first state before the old place recorded that the others are elsewhere.
    ({ left } = await checkedZones(migration));
  }
  await to.mark.change((mark) => (mark?.direction === "here" && mark.zones.length === 0 ? undefined : mark));
}

/** Makes the new place refuse the zones that are on their way to it. */
async function announce(migration: Migration): Promise<readonly ZoneId[]> {
  const { from, to } = migration;
  const before = await to.mark.read();
  // From here on no run begins a state at the new place. The second check finds one that began just before.
  await to.mark.change(arriving(from.name, []));
  try {
    const { left } = await checkedZones(migration);
    await to.mark.change(arriving(from.name, left));
    return left;
  } catch (thrown) {
    await to.mark.change(() => before);
    throw thrown;
  }
}

/** The zones that still have to move or to complete their move, and those that have moved. */
interface Zones {
  readonly left: readonly ZoneId[];
  readonly moved: readonly ZoneId[];
}

async function checkedZones(migration: Migration): Promise<Zones> {
  const { from, to } = migration;
  const [away, here] = [await from.mark.read(), await to.mark.read()];
  if (away?.direction === "here") throw refused(`a move from ${away.other} to ${from.name} is not complete`);
  if (away && away.other !== to.name) throw refused(`the states were moved to ${away.other}`);
  if (here?.direction === "here" && here.other !== from.name)
    throw refused(`a move from ${here.other} to ${to.name} is not complete`);
  const gone = away?.zones ?? [];
  const onTheWay = here?.direction === "here" ? here.zones : [];
  const isMoved = (id: ZoneId): boolean => gone.includes(id) && !onTheWay.includes(id);
  for (const id of await to.store.zones())
    if (!gone.includes(id) && !here?.zones.includes(id)) await refuseOther(to, id);
  const ids = [...(await from.store.zones())];
  const left = ids.filter((id) => !isMoved(id));
  await refuseClaimed(migration, left);
  // A zone that left the new place earlier and was removed elsewhere since must not count there again.
  const removed = (here?.zones ?? []).filter((id) => !ids.includes(id) && !isMoved(id));
  return { left: [...left, ...removed], moved: ids.filter(isMoved) };
}

/** Only what an interrupted move brought, and what an earlier move left there, may be replaced. */
async function refuseOther(to: MigrationPlace, id: ZoneId): Promise<void> {
  const { state, backups } = await to.store.view(id);
  if (state || backups.length > 0) throw refused(`${to.name} has another state of zone ${id}`);
}

/** Checked before the first zone moves: if one zone cannot move, none does. */
async function refuseClaimed({ project, from, to }: Migration, zones: readonly ZoneId[]): Promise<void> {
  if (zones.length === 0) return;
  const [own, there] = [await from.claims.list(), await to.claims.list()];
  for (const zone of zones) {
    const things = own.filter((claim) => claim.project === project && claim.zone === zone);
    const [conflict] = conflictingClaims(there, { project, zone, things });
    if (conflict) throw claimed(to, conflict.project, project);
  }
}

async function moveZone(migration: Migration, zone: ZoneId, leases: MigrationLeases): Promise<void> {
  const { project, from, to } = migration;
  const checkLeases = async (): Promise<void> => {
    await from.store.checkLease(zone, leases.from);
    await to.store.checkLease(zone, leases.to);
  };
  // Another process may have moved it while we waited for the locks.
  if (!(await to.mark.read())?.zones.includes(zone)) return;
  if (!(await from.mark.read())?.zones.includes(zone)) {
    await clear(to.store, zone, leases.to);
    await copyZone(from.store, to.store, zone, leases.to);
    await verifyZone(from.store, to.store, zone);
    await takeClaims(migration, zone, checkLeases);
    await from.mark.change(leaving(to.name, zone), checkLeases);
  }
  await from.claims.release(project, zone, checkLeases);
  // From here on, it counts at the new place.
  await to.mark.change((mark) => mark && { ...mark, zones: mark.zones.filter((id) => id !== zone) }, checkLeases);
}

/** Deletes what an earlier or interrupted move left at the new place: the state may have changed since. */
async function clear(to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  for (const copy of await to.retire(zone, lease)) await to.discardCopy(zone, lease, copy);
}

/** The project must get its claims at the new place too, or the zone stays where it is. */
async function takeClaims(
  { project, from, to }: Migration,
  zone: ZoneId,
  checkLeases: () => Promise<void>,
): Promise<void> {
  const own = (await from.claims.list()).filter((claim) => claim.project === project && claim.zone === zone);
  const things = own.map(({ project: _project, zone: _zone, since: _since, ...thing }): Claimable => thing);
  const [conflict] = await to.claims.take({ project, zone, things }, checkLeases);
  if (conflict) throw claimed(to, conflict.project, project);
}

/**
 * Adds these zones to the mark of the new place. Zones in it that left that place earlier become zones on their way
 * there.
 */
function arriving(other: string, zones: readonly ZoneId[]): (mark: MovingMark | undefined) => MovingMark {
  return (mark) => ({ direction: "here", other, zones: [...new Set([...(mark?.zones ?? []), ...zones])] });
}

function leaving(other: string, zone: ZoneId): (mark: MovingMark | undefined) => MovingMark {
  return (mark) => ({ direction: "away", other, zones: [...new Set([...(mark?.zones ?? []), zone])] });
}

function claimed(to: MigrationPlace, other: string, project: string): Refusal {
  return refused(`in ${to.name}, project ${other} claims what project ${project} manages`);
}

function refused(why: string): Refusal {
  const message = `the states cannot be moved: ${why}`;
  return refusal(problem("project-has-state", { message }), EXIT.refused);
}
