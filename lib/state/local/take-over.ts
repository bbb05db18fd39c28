import type { ZoneId } from "../../core/brand.ts";
import { errorCode } from "../../core/file-system.ts";
import { copyObservations } from "../copy-observations.ts";
import { type Lease, type LockHolder, StoreConflict } from "../store.ts";
import type { ProjectStore, Role } from "../upkeep.ts";
import { findState, isTombstone, marksOf, tombstone, type TwoPlaces } from "./earlier-place.ts";
import { guard } from "./failure.ts";
import { listFiles } from "./files.ts";
import { claim, listGenerations, readGeneration } from "./generations.ts";
import { decodeGeneration, encodeGeneration } from "./holder.ts";
import type { Place } from "./place.ts";
import { prepareSnapshot, putInPlace } from "./snapshot.ts";

/** What moves with a state, in the order in which it is copied. */
const MOVING: readonly Role[] = ["set-aside", "backup", "record", "observations", "journal", "state"];

/** Nobody's process: a lock with this mark is never taken for one of a dead process. */
const NOBODY = { host: "", bootId: "", pidNamespace: "", pid: 0, startTime: "" } as const;

/** A project's folder, and the root in which its states were kept before. */
export interface TakeOver extends TwoPlaces {
  readonly project: string;
  /** The folder. */
  readonly to: Place;
  readonly store: ProjectStore;
  /** The root. */
  readonly from: Place;
  readonly earlier: ProjectStore;
}

/** How to wait for the lock in the root. */
export interface Waiting {
  readonly holder: Omit<LockHolder, "id">;
  readonly waitMilliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Moves the state of a zone from the root into the folder of the project, if it is still there. Needs the lock in the
 * folder, and takes the one in the root, for good: a Zoneform that knows only the root then starts no second state.
 * What is there is copied, and one rename makes the copies count: a process that dies before it leaves the state in the
 * root, and one that dies after it leaves it in the folder. The next call goes on from there.
 */
export async function takeOver(parts: TakeOver, zone: ZoneId, lease: Lease, waiting: Waiting): Promise<void> {
  const { from, to, root } = parts;
  const { moving, moved } = marksOf(parts, zone);
  if ((await guard(root, "read", () => findState(from.fs, parts, zone))) === "root") {
    const fence = await closeLock(parts, zone, waiting);
    await guard(root, "moved", async () => {
      await makeMark(from, moving);
      await copyFiles(parts, zone);
      await to.lockOf(zone).check(lease);
      await checkClosed(parts, zone, fence);
      await from.fs.rename(moving, moved);
      await from.fs.syncDirectory(root);
    });
  }
  await guard(root, "moved", () => cleanUp(parts, zone, moved));
}

/** Takes the lock in the root and never releases it; returns its fence. Throws `Locked`. */
async function closeLock(
  { from, project, folder, root }: TakeOver,
  zone: ZoneId,
  { holder, waitMilliseconds, signal }: Waiting,
): Promise<number> {
  const { fs, random, lockOf, pathsOf } = from;
  const locks = pathsOf(zone).lock;
  const closed = await closedBy(from, zone);
  if (closed?.project === project) return closed.fence;
  const lease = await lockOf(zone).acquire(holder, waitMilliseconds, signal);
  const id = random.uuid();
  const serial = (await lockOf(zone).taken())?.serial ?? 0;
  const operation = `do not unlock: the state was moved to ${root}/${folder}`;
  const content = encodeGeneration({ holder: { ...holder, operation, id }, mark: NOBODY, serial, movedTo: project });
  const isOurs = await guard(locks, "locked", () => claim(fs, locks, lease.fence + 1, id, content));
  if (!isOurs) throw new StoreConflict(`another process took the lock of zone ${zone} in ${root}`);
  await guard(locks, "locked", () => fs.syncDirectory(locks));
  return lease.fence + 1;
}

/** For which project the lock in the root is closed, and since which generation; undefined if it is not. */
export async function closedBy(
  { fs, pathsOf }: Place,
  zone: ZoneId,
): Promise<{ readonly project: string; readonly fence: number } | undefined> {
  const locks = pathsOf(zone).lock;
  return guard(locks, "read", async () => {
    if (!(await fs.stat(locks))) return undefined;
    const { newest, isReleased } = await listGenerations(fs, locks);
    if (newest === 0 || isReleased) return undefined;
    const project = decodeGeneration((await readGeneration(fs, locks, newest)) ?? "")?.movedTo;
    return project === undefined ? undefined : { project, fence: newest };
  });
}

async function checkClosed({ from, root }: TakeOver, zone: ZoneId, fence: number): Promise<void> {
  if ((await closedBy(from, zone))?.fence === fence) return;
  throw new StoreConflict(`somebody unlocked the state of zone ${zone} in ${root} while it was moved`);
}

async function makeMark({ fs, folder }: Place, path: string): Promise<void> {
  try {
    await (await fs.create(path, 0o600)).close();
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  await fs.syncDirectory(folder);
}

/** What an earlier attempt copied is removed first: the root may have changed since. */
async function copyFiles({ from, to }: TakeOver, zone: ZoneId): Promise<void> {
  for (const { path, role } of await listFiles(to.fs, to.folder, zone)) if (role !== "lock") await to.fs.remove(path);
  const found = await listFiles(from.fs, from.folder, zone);
  for (const role of MOVING) {
    for (const file of found)
      if (file.role === role) await to.fs.copy(file.path, `${to.folder}${file.path.slice(from.folder.length)}`);
  }
  await to.fs.syncDirectory(to.folder);
}

/** Leaves in the root what keeps an older Zoneform away, and nothing else. */
async function cleanUp(parts: TakeOver, zone: ZoneId, moved: string): Promise<void> {
  const { from, earlier, store, project, root } = parts;
  const { fs } = from;
  if (!(await fs.stat(moved))) return;
  if (!(await isTombstone(fs, root, zone, project))) {
    const { temporary } = await prepareSnapshot(fs, from.temporaryOf(zone), oneLine(tombstone(project)));
    await putInPlace(fs, root, temporary, from.pathsOf(zone).state);
  }
  const left = (await listFiles(fs, root, zone)).filter(
    ({ role }) => role !== "state" && (MOVING.includes(role) || role === "temporary"),
  );
  if (left.length === 0) return;
  // A run that takes no lock may have added lines in the root after they were copied.
  await copyObservations(earlier, store, zone);
  for (const { path } of left) await fs.remove(path);
  await fs.syncDirectory(root);
}

async function* oneLine(line: string): AsyncIterable<string> {
  yield line;
}
