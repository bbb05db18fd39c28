import type { ZoneId } from "../core/brand.ts";
import { error, Refusal } from "../core/diagnostic.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Claims } from "./claims.ts";
import { decodeState } from "./codec.ts";
import { copyObservations, missingObservations } from "./copy-observations.ts";
import { StateError } from "./error.ts";
import { readableBackups } from "./readable-backups.ts";
import { loadState } from "./load.ts";
import { markOf, type MovingMark, type ProjectMark } from "./moving-mark.ts";
import type { Contender } from "./shared-value.ts";
import type { Lease } from "./store.ts";
import type { StateStores } from "./stores.ts";
import type { ProjectStore } from "./upkeep.ts";

/** A place of states: one project's store in it, its mark, the claims of all projects, and the place in a few words. */
export interface MigrationPlace {
  readonly store: ProjectStore;
  readonly mark: ProjectMark;
  readonly claims: Claims;
  readonly name: string;
}

/** The part of a place that a move of a project needs. */
export function migrationPlace(stores: StateStores, project: string, contender: Contender): MigrationPlace {
  return {
    store: stores.of(project),
    mark: markOf(stores, project, contender),
    claims: stores.claims,
    name: stores.describe(),
  };
}

/** Where the states of a project are, and where they are to be. */
export interface Migration {
  readonly project: string;
  readonly from: MigrationPlace;
  readonly to: MigrationPlace;
}

/** A zone whose state is moved. */
export interface MigratingZone {
  readonly id: ZoneId;
  readonly name: string;
  readonly objects: number;
  /** How many earlier copies and records go with it. */
  readonly copies: number;
  readonly records: number;
  /** The move of this zone is complete, or only its mark at the new place is left. */
  readonly isMoved: boolean;
}

/** The locks of a zone at both places. */
export interface MigrationLeases {
  readonly from: Lease;
  readonly to: Lease;
}

/**
 * The zones that a move takes along. Throws `Refusal` with exit code 4 if the new place has another state of the
 * project, or the states were moved to yet another place; `StateError` if a state cannot be read.
 */
export async function migratingZones(migration: Migration): Promise<readonly MigratingZone[]> {
  const { from, to } = migration;
  const [left, arriving] = [await from.mark.read(), await to.mark.read()];
  if (left?.direction === "here") throw refused(`a move from ${left.other} to ${from.name} is not complete`);
  if (left && left.other !== to.name) throw refused(`the states were moved to ${left.other}`);
  if (arriving?.direction === "here" && arriving.other !== from.name)
    throw refused(`a move from ${arriving.other} to ${to.name} is not complete`);
  const ids = [...(await from.store.zones())];
  for (const id of await to.store.zones()) {
    if (left?.zones.includes(id)) continue;
    if (!arriving?.zones.includes(id)) {
      await refuseOther(to, id);
      continue;
    }
    // Its state went away from here, and was removed elsewhere: what is left of it must not count again.
    if (!ids.includes(id)) ids.push(id);
  }
  const found: MigratingZone[] = [];
  for (const id of ids) found.push(await migratingZone(migration, id, left?.zones.includes(id) === true));
  return found;
}

async function migratingZone({ from }: Migration, id: ZoneId, isMoved: boolean): Promise<MigratingZone> {
  const loaded = await loadState(from.store, id, { acceptsOlder: isMoved });
  return {
    id,
    name: loaded?.state.zone.name ?? id,
    objects: loaded?.state.objects.size ?? 0,
    copies: (await readableBackups(from.store, id)).length,
    records: (await from.store.names(id)).length,
    isMoved,
  };
}

/** What an interrupted move brought, and what an earlier move left there, may be replaced; nothing else. */
async function refuseOther(to: MigrationPlace, id: ZoneId): Promise<void> {
  if ((await to.store.read(id)) || (await to.store.backups(id)).length > 0)
    throw refused(`${to.name} has another state of zone ${id}`);
}

/**
 * Moves everything that is kept of the zones that `migratingZones` found, and returns what it moved. It takes the locks
 * of a zone at both places with `lock`; whoever calls it frees them. Everything is copied, read back and compared; only
 * then the old place says that the states are elsewhere. If it is interrupted, the old place counts until it says so, and
 * the new one refuses every command until the move is complete; calling it again completes it.
 */
export async function migrate(
  migration: Migration,
  found: readonly MigratingZone[],
  lock: (zone: ZoneId) => Promise<MigrationLeases>,
): Promise<readonly MigratingZone[]> {
  const { project, from, to } = migration;
  const leases = new Map<ZoneId, MigrationLeases>();
  const moved = new Map<ZoneId, MigratingZone>();
  let unlocked: readonly ZoneId[] = found.map(({ id }) => id);
  while (unlocked.length > 0) {
    for (const id of unlocked) leases.set(id, await lock(id));
    // Under the locks nobody changes them any more, but another zone may have got its first state.
    const zones = await migratingZones(migration);
    unlocked = zones.map(({ id }) => id).filter((id) => !leases.has(id));
    if (unlocked.length > 0) continue;
    for (const zone of zones) if (!moved.has(zone.id)) moved.set(zone.id, zone);
    const left = zones.filter(({ isMoved }) => !isMoved);
    await moveZones(migration, left, leases);
    // A state that was begun before the old place said where the others are. Whoever begins one later looks, and withdraws it.
    unlocked = (await from.store.zones()).filter((id) => !leases.has(id));
  }
  // From here on, the new place counts.
  await to.mark.change(
    (mark) => (mark?.direction === "here" ? undefined : mark),
    () => stillHeld(to, leases, ({ to: lease }) => lease),
  );
  for (const [id, lease] of leases) await from.claims.release(project, id, () => from.store.checkHeld(id, lease.from));
  return [...moved.values()];
}

async function moveZones(
  migration: Migration,
  zones: readonly MigratingZone[],
  leases: ReadonlyMap<ZoneId, MigrationLeases>,
): Promise<void> {
  const { from, to } = migration;
  if (zones.length === 0) return;
  const ids = zones.map(({ id }) => id);
  const before = (await to.mark.read())?.zones ?? [];
  await to.mark.change(withZones("here", from.name, ids), () => stillHeld(to, leases, ({ to: lease }) => lease));
  for (const id of ids) if (before.includes(id)) await clearPlace(to.store, id, leaseOf(leases, id).to);
  for (const { id } of zones) await copyZone(migration, id, leaseOf(leases, id).to);
  for (const { id } of zones) await verifyZone(migration, id);
  for (const { id } of zones) await takeClaims(migration, id, leaseOf(leases, id).to);
  await from.mark.change(withZones("away", to.name, ids), () => stillHeld(from, leases, ({ from: lease }) => lease));
}

/** A mark with these zones too. */
function withZones(
  direction: MovingMark["direction"],
  other: string,
  zones: readonly ZoneId[],
): (mark: MovingMark | undefined) => MovingMark {
  return (mark) => ({
    direction,
    other,
    zones: [...new Set([...(mark?.zones ?? []), ...zones])],
  });
}

async function stillHeld(
  { store }: MigrationPlace,
  leases: ReadonlyMap<ZoneId, MigrationLeases>,
  leaseIn: (leases: MigrationLeases) => Lease,
): Promise<void> {
  for (const [id, both] of leases) await store.checkHeld(id, leaseIn(both));
}

/**
 * Deletes what an earlier move or an interrupted one left at the new place. The state may have begun anew since, and then
 * what is left there has higher serials, or others of the same number.
 */
async function clearPlace(to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  for (const copy of await to.retire(zone, lease)) await to.discardCopy(zone, lease, copy);
}

/** What the project claims at the old place it has to get at the new one, or the states stay where they are. */
async function takeClaims({ project, from, to }: Migration, zone: ZoneId, lease: Lease): Promise<void> {
  const own = (await from.claims.list()).filter((claim) => claim.project === project && claim.zone === zone);
  const things = own.map(({ project: _project, zone: _zone, since: _since, ...thing }) => thing);
  const [conflict] = await to.claims.take({ project, zone, things }, () => to.store.checkHeld(zone, lease));
  if (conflict) throw refused(`in ${to.name}, project ${conflict.project} claims what project ${project} manages`);
}

function leaseOf(leases: ReadonlyMap<ZoneId, MigrationLeases>, zone: ZoneId): MigrationLeases {
  const found = leases.get(zone);
  if (!found) throw new Error("a move holds the locks of all its zones");
  return found;
}

async function copyZone({ from, to }: Migration, zone: ZoneId, lease: Lease): Promise<void> {
  await copyRecords(from.store, to.store, zone, lease);
  await copySnapshots(from.store, to.store, zone, lease);
  if (!(await isSame(from.store.journal(zone), to.store.journal(zone))))
    await to.store.rewriteJournal(zone, lease, from.store.journal(zone));
  // Without them, later runs know less of hostnames; nothing else is lost.
  if (!to.store.recordsNothing) await copyObservations(from.store, to.store, zone);
}

async function copyRecords(from: ProjectStore, to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  const names = await from.names(zone);
  for (const name of await to.names(zone)) if (!names.includes(name)) await to.discard(zone, lease, name);
  for (const name of names) {
    const lines = await from.kept(zone, name);
    if (lines) await to.keep(zone, lease, name, lines);
  }
}

/** Each snapshot that is replaced becomes a copy: so the earlier ones are written first, the oldest before the others. */
async function copySnapshots(from: ProjectStore, to: ProjectStore, zone: ZoneId, lease: Lease): Promise<void> {
  const before = await to.read(zone);
  const newest = before ? (await decodeState(before.lines, to.describe(zone), zone)).serial : 0;
  let version = before?.version;
  for (const serial of [...(await readableBackups(from, zone))].reverse())
    if (serial > newest) version = await to.write(zone, lease, version, from.backup(zone, serial));
  const [stored, present] = [await from.read(zone), await to.read(zone)];
  if (stored && !(present && (await isSame(stored.lines, present.lines)))) {
    const again = await from.read(zone);
    if (again) await to.write(zone, lease, version, again.lines);
  }
}

/** Reads back what was copied, and compares it line by line. Throws `StateError`. */
async function verifyZone({ from: { store: from }, to: { store: to } }: Migration, zone: ZoneId): Promise<void> {
  const check = (isEqual: boolean, what: string): void => {
    if (!isEqual) throw notTheSame(to.describe(zone), what);
  };
  const [stored, copied] = [await from.read(zone), await to.read(zone)];
  check(await isSame(stored?.lines ?? none(), copied?.lines ?? none()), "the state");
  check(await isSame(from.journal(zone), to.journal(zone)), "the journal");
  const names = await from.names(zone);
  check(names.join(" ") === (await to.names(zone)).join(" "), "the list of records");
  for (const name of names)
    check(
      await isSame((await from.kept(zone, name)) ?? none(), (await to.kept(zone, name)) ?? none()),
      `the record ${name}`,
    );
  const copies = await to.backups(zone);
  for (const serial of await readableBackups(from, zone)) {
    const isThere = copies.includes(serial) && (await isSame(from.backup(zone, serial), to.backup(zone, serial)));
    check(isThere, `the earlier copy of serial ${serial}`);
  }
  const isRecorded = to.recordsNothing === true || (await missingObservations(from, to, zone)).length === 0;
  check(isRecorded, "the observations of hostnames");
}

async function isSame(left: AsyncIterable<string>, right: AsyncIterable<string>): Promise<boolean> {
  const others = right[Symbol.asyncIterator]();
  try {
    for await (const line of left) {
      const other = await others.next();
      if (other.done || other.value !== line) return false;
    }
    return (await others.next()).done === true;
  } finally {
    await others.return?.();
  }
}

async function* none(): AsyncIterable<string> {}

function notTheSame(where: string, what: string): StateError {
  return new StateError({
    code: "state-copy-differs",
    message: `${what} differs from the original after it was copied, so nothing was switched: ${where}`,
    remedy: "run zoneform state migrate again; if it stays, check the disk or the server of the new place",
  });
}

function refused(why: string): Refusal {
  const remedy = "find out which state is right; then choose another place, or remove the state that is wrong";
  return new Refusal(
    [error({ code: "project-has-state", message: `nothing was moved: ${why}`, remedy })],
    EXIT.refused,
  );
}
