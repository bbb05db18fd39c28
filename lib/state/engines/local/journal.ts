import { errorCode, type FileSystem, type WritableFile } from "../../../core/file-system.ts";
import { JOURNAL } from "../../engine.ts";
import type { Lease } from "../../lock.ts";
import { guard } from "./failure.ts";
import { linesOf } from "./lines.ts";
import { type JournalFile, journalsIn } from "./listing.ts";
import { asHolder } from "./lock.ts";
import type { ZonePlace } from "./place.ts";
import { prepareFile, putInPlace } from "./whole-file.ts";

const LINE_END = 10;

/**
 * Appends lines; returns once they would survive a power cut and the lock is still held.
 *
 * A process can be stopped at any moment, even between its lock check and its write, and continue after a person freed
 * the lock and another run took it. So each holder has a journal of its own, and the next holder continues a copy under
 * its own name. What the late process still writes, renames or deletes is a file that no longer counts. The check after
 * the flush stops it.
 */
export async function append(at: ZonePlace, lease: Lease, lines: readonly string[]): Promise<void> {
  const { lock, ready } = at;
  const path = journalOf(at, lease);
  const file = await open(at, path, lease);
  // It is ready again only after a complete write. Whatever a failed write left at the end is cut off before the next
  // one.
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
  return asHolder(lock, lease, () =>
    guard(path, "written", async () => {
      if (!ready.has(path)) await readyJournal(at, path);
      return fs.append(path);
    }),
  );
}

/** Prepares a journal for appending: it exists, its folder entry is durable, and it ends with a complete line. */
async function readyJournal({ fs, folder, temporary }: ZonePlace, path: string): Promise<void> {
  const last = await lastByte(fs, path);
  if (last === undefined) await (await fs.create(path, 0o600)).close();
  if (last === undefined || last === LINE_END) {
    // Before the first record, and again if the process that made it died too early: a record in a file that disappears
    // in a power cut was never durable.
    await fs.syncDirectory(folder);
    return;
  }
  // If we appended to the file as it is, the torn line would become a bad record in the middle of the journal.
  const whole = linesOf(fs.stream(path), path, "leave out");
  await putInPlace(fs, folder, await prepareFile(fs, temporary(), whole), path);
}

/** The last byte of a file; a line end if the file is empty, undefined if there is no file. */
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

/** The journal of the holder of the lock. */
function journalOf({ pathOf }: ZonePlace, { fence }: Lease): string {
  return pathOf(`${JOURNAL}-${fence}`);
}

/** Continues what another run left, in a copy under this holder's name. */
export async function takeOverJournal(at: ZonePlace, lease: Lease): Promise<void> {
  const { fs, folder, lock, temporary } = at;
  const own = journalOf(at, lease);
  await guard(own, "written", async () => {
    for (;;) {
      const earlier = await earlierJournals(at, lease);
      const last = earlier.at(-1);
      if (!last) return;
      const copy = temporary();
      if (!(await copyIfThere(fs, last.path, copy))) continue;
      await lock.check(lease);
      await putInPlace(fs, folder, copy, own);
      for (const { path } of earlier) await fs.remove(path);
      return;
    }
  });
}

/** The journals that a holder may delete at any time: its own journal contains what counted in them. */
async function earlierJournals(at: ZonePlace, lease: Lease): Promise<readonly JournalFile[]> {
  return (await journalsIn(at)).filter(({ fence }) => fence < lease.fence);
}

/** False if there is no such file: a process that lost the lock has just deleted its own. */
async function copyIfThere(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await fs.copy(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** The path of the journal that counts, if it is not empty. */
export async function journalWithLines(at: ZonePlace): Promise<string | undefined> {
  const path = (await journalsIn(at)).at(-1)?.path;
  const found = path === undefined ? undefined : await at.fs.stat(path);
  return found && found.sizeBytes > 0 ? path : undefined;
}

/** Replaces the holder's journal by a prepared one, or deletes it because the state contains it. */
export async function replaceJournal(at: ZonePlace, lease: Lease, prepared: string | undefined): Promise<void> {
  const { fs, folder, ready } = at;
  const own = journalOf(at, lease);
  ready.delete(own);
  // A file that a process without the lock has put there since would count once this holder has none.
  for (const { path } of await earlierJournals(at, lease)) await fs.remove(path);
  await (prepared === undefined ? fs.remove(own) : fs.rename(prepared, own));
  await fs.syncDirectory(folder);
}
