import { type Changes, JOURNAL, replacedMeanwhile, STATE, type View } from "../../engine.ts";
import type { Lease } from "../../lock.ts";
import { guard } from "./failure.ts";
import { type JournalFile, journalsIn, namesOf, TEMPORARY, type ZonePlace } from "./place.ts";
import { viewOf } from "./view.ts";
import { keepCopy, prepareFile, putInPlace, refuseReadOnly } from "./whole-file.ts";
import { errorCode, type FileSystem, type WritableFile } from "../../../core/file-system.ts";
import { linesOf } from "./lines.ts";
import { asHolder } from "./lock.ts";

/**
 * Changes the files of a zone in an order in which every step leaves a whole state, wherever a process dies: see
 * `docs/architecture.md`. Copies come first. A replacement is complete and durable before it gets its name. What
 * depends on the state is removed before it, and the journal after it: any of them alone would look like a loss.
 */
export async function commit(at: ZonePlace, lease: Lease, changes: Changes): Promise<View> {
  const { fs, folder, lock, pathOf } = at;
  const { copy = new Map(), remove = [], put = new Map() } = changes;
  const goes = remove.filter((name) => !copy.has(name) && !put.has(name));
  await lock.check(lease);
  await checkExpected(at, changes);
  const [first = STATE] = put.keys();
  await guard(pathOf(first), "written", async () => {
    if (put.has(STATE)) await sweepTemporaries(at);
    const prepared: [target: string, temporary: string][] = [];
    for (const [name, lines] of put) {
      await refuseReadOnly(fs, pathOf(name));
      prepared.push([pathOf(name), await prepareFile(fs, at.temporary(), lines)]);
    }
    const lines = changes.journal && (await ifAny(changes.journal));
    const journal = lines && (await prepareFile(fs, at.temporary(), lines));
    // Checked again, because long lines take time to write. From here to the renames it is only an instant.
    await lock.check(lease);
    for (const [name, source] of copy) {
      const from = source === JOURNAL ? await journalWithLines(at) : pathOf(source);
      if (from !== undefined) await keepCopy(fs, from, at.temporary(), pathOf(name));
    }
    for (const name of goes) if (name !== STATE) await fs.remove(pathOf(name));
    for (const [target, temporary] of prepared) {
      await fs.rename(temporary, target);
      // The entries after the state record how new it is. Without the state itself they would report a lost newer one.
      if (target === pathOf(STATE)) await fs.syncDirectory(folder);
    }
    await fs.syncDirectory(folder);
    if (goes.includes(STATE)) {
      await fs.remove(pathOf(STATE));
      await fs.syncDirectory(folder);
    }
    if (changes.journal) await replaceJournal(at, lease, journal);
  });
  if (goes.includes(STATE)) await lock.forgetSerial(lease);
  return viewOf(at);
}

async function checkExpected({ fs, pathOf }: ZonePlace, { expect }: Changes): Promise<void> {
  if (!expect) return;
  const path = pathOf(expect.name);
  const found = await guard(path, "read", () => fs.stat(path));
  if (found?.version !== expect.tag) throw replacedMeanwhile();
}

/** Deletes temporary files of dead runs. Only the holder of the lock does this, so none of them is in use. */
async function sweepTemporaries(at: ZonePlace): Promise<void> {
  for (const name of await namesOf(at)) if (name.startsWith(TEMPORARY)) await at.fs.remove(at.pathOf(name));
}

/** The lines, or undefined if there are none. */
async function ifAny(lines: AsyncIterable<string>): Promise<AsyncIterable<string> | undefined> {
  const each = lines[Symbol.asyncIterator]();
  const first = await each.next();
  return first.done === true ? undefined : continued(first.value, { [Symbol.asyncIterator]: () => each });
}

async function* continued(first: string, others: AsyncIterable<string>): AsyncIterable<string> {
  yield first;
  yield* others;
}

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
async function journalWithLines(at: ZonePlace): Promise<string | undefined> {
  const path = (await journalsIn(at)).at(-1)?.path;
  const found = path === undefined ? undefined : await at.fs.stat(path);
  return found && found.sizeBytes > 0 ? path : undefined;
}

/** Replaces the holder's journal by a prepared one, or deletes it because the state contains it. */
async function replaceJournal(at: ZonePlace, lease: Lease, prepared: string | undefined): Promise<void> {
  const { fs, folder, ready } = at;
  const own = journalOf(at, lease);
  ready.delete(own);
  // A file that a process without the lock has put there since would count once this holder has none.
  for (const { path } of await earlierJournals(at, lease)) await fs.remove(path);
  await (prepared === undefined ? fs.remove(own) : fs.rename(prepared, own));
  await fs.syncDirectory(folder);
}
