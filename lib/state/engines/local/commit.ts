import { type Changes, JOURNAL, replacedMeanwhile, STATE, type View } from "../../engine.ts";
import type { Lease } from "../../lock.ts";
import { guard } from "./failure.ts";
import { journalWithLines, replaceJournal } from "./journal.ts";
import { namesOf, TEMPORARY } from "./listing.ts";
import type { ZonePlace } from "./place.ts";
import { viewOf } from "./view.ts";
import { keepCopy, prepareFile } from "./whole-file.ts";
import { refuseReadOnly } from "./whole-file.ts";

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
