import { errorCode, type FileSystem, type WritableFile } from "../../../core/file-system.ts";
import { JOURNAL } from "../../engine.ts";
import type { Lease } from "../../store.ts";
import { guard } from "./failure.ts";
import { linesOf } from "./lines.ts";
import type { ZonePlace } from "./place.ts";
import { prepareFile, putInPlace } from "./whole-file.ts";

const LINE_END = 10;

/**
 * Appends lines; returns once they would survive a power cut and the lock is still held.
 *
 * A process can be stopped at any moment, even between its lock check and its write, and wake up after a person freed
 * the lock and another run continued. So it opens the file before that check, and whoever takes the lock over replaces
 * the file: a late write reaches a file that no longer has a name. The check after the flush stops the late run.
 */
export async function append(at: ZonePlace, lease: Lease, lines: readonly string[]): Promise<void> {
  const { lock, ready } = at;
  const path = at.pathOf(JOURNAL);
  const file = await open(at, path, lease);
  // It is ready again only after a complete write: whatever a failed write left at the end is cut off before the next.
  ready.delete(path);
  try {
    await lock.check(lease);
    await guard(path, "written", async () => {
      await file.write(lines.map((line) => `${line}\n`).join(""));
      await file.sync();
    });
  } finally {
    await file.close();
  }
  await lock.check(lease);
  ready.add(path);
}

async function open(at: ZonePlace, path: string, lease: Lease): Promise<WritableFile> {
  const { fs, lock, ready } = at;
  // A run that lost its lock must not make a journal.
  if (!ready.has(path)) await lock.check(lease);
  try {
    return await guard(path, "written", async () => {
      if (!ready.has(path)) await readyJournal(at, path);
      return fs.append(path);
    });
  } catch (error) {
    // If the lock is lost, its new holder removed the journal.
    await lock.check(lease);
    throw error;
  }
}

/** Prepares a journal for appending: it exists, its folder entry is durable, and it ends with a complete line. */
async function readyJournal({ fs, folder, temporary }: ZonePlace, path: string): Promise<void> {
  const last = await lastByte(fs, path);
  if (last === undefined) await (await fs.create(path, 0o600)).close();
  if (last === undefined || last === LINE_END) {
    // Before the first record, and again if the process that made it died too early: a record in a file that a power
    // cut removes was never durable.
    await fs.syncDirectory(folder);
    return;
  }
  // If we appended to the file as it is, the torn line would become a bad record in the middle of the journal.
  const whole = linesOf(fs.stream(path), path, "leave out");
  await putInPlace(fs, folder, await prepareFile(fs, temporary(), whole), path);
}

/** The last byte of a file, a line end if it is empty; undefined if there is none. */
async function lastByte(fs: FileSystem, path: string): Promise<number | undefined> {
  let last = LINE_END;
  try {
    for await (const piece of fs.stream(path)) last = piece.at(-1) ?? last;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return last;
}

/**
 * Replaces a journal that another run left by an identical copy: a process that still has the old file open then
 * writes to nothing.
 */
export async function takeOverJournal(
  { fs, folder, lock, pathOf, ready, temporary }: ZonePlace,
  lease: Lease,
): Promise<void> {
  const path = pathOf(JOURNAL);
  ready.delete(path);
  await guard(path, "written", async () => {
    if (!(await fs.stat(path))) return;
    const copy = temporary();
    await fs.copy(path, copy);
    await lock.check(lease);
    await putInPlace(fs, folder, copy, path);
  });
}

/** Whether there is a journal that is not empty. */
export async function hasJournal({ fs, pathOf }: ZonePlace): Promise<boolean> {
  return ((await fs.stat(pathOf(JOURNAL)))?.sizeBytes ?? 0) > 0;
}

/**
 * Puts a prepared journal in place of the journal, or deletes it, because the state contains it. If another process has
 * the lock now, the journal may be theirs, and stays.
 */
export async function replaceJournal(at: ZonePlace, lease: Lease, prepared: string | undefined): Promise<void> {
  const { fs, folder, lock, pathOf, ready } = at;
  const path = pathOf(JOURNAL);
  ready.delete(path);
  if (!(await lock.isHeld(lease))) return;
  await (prepared === undefined ? fs.remove(path) : fs.rename(prepared, path));
  await fs.syncDirectory(folder);
}
