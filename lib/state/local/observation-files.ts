import { collected } from "../../core/streams.ts";
import type { ZoneId } from "../../core/brand.ts";
import { errorCode, type FileSystem, type WritableFile } from "../../core/file-system.ts";
import { StateError } from "../error.ts";
import type { StateStore } from "../store.ts";
import { guard, guarded } from "./failure.ts";
import { makeLastingFolder } from "./lasting-folder.ts";
import { looseLines } from "./loose-lines.ts";
import type { Place } from "./place.ts";

/**
 * Lines that several runs append to one file at once stay separate only if one call writes each chunk: the system
 * appends a chunk of this size in one go.
 */
const PIECE_CHARACTERS = 16 * 1024;

/** Another process condenses the record now and then, but never this often while one run adds a few lines. */
const MOST_TRIES = 20;

/** Names the record in messages; it is not part of a state. */
const RECORD = "the record of hostnames";

/**
 * The observations of the zones of a folder, in append-only files: `<zone id>.observations-<n>`. Any number of runs
 * write them at once, without the lock.
 *
 * A run that appended lines then checks whether its file is still the newest one; if not, it appends them to the newest
 * one again. This allows condensing a file while others append to it: first a newer, empty file is made; then the lines
 * of the older ones are put into it; then the older ones are deleted. Until then all of them are read. A line may
 * appear twice, and no line is lost that `observe` has returned for.
 */
export function observationFiles({
  fs,
  folder,
  pathsOf,
}: Place): Pick<StateStore, "observe" | "observations" | "condense"> {
  const pathOf = (zone: ZoneId, number: number): string => pathsOf(zone).observations(number);

  /** The numbers of the existing files, in order. */
  async function numbersOf(zone: ZoneId): Promise<readonly number[]> {
    const start = `${zone}.observations-`;
    const found = (await listIfThere(fs, folder)).flatMap((name) =>
      name.startsWith(start) && /^[1-9]\d{0,14}$/.test(name.slice(start.length))
        ? [Number(name.slice(start.length))]
        : [],
    );
    return found.sort((left, right) => left - right);
  }

  async function observe(zone: ZoneId, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    await guard(pathOf(zone, 1), "written", () => add(zone, lines), RECORD);
  }

  async function add(zone: ZoneId, lines: readonly string[]): Promise<void> {
    if (!(await fs.stat(folder))) await makeLastingFolder(fs, folder);
    await refuseReadOnly(fs, folder);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const number = (await numbersOf(zone)).at(-1);
      const path = pathOf(zone, number ?? 1);
      await refuseReadOnly(fs, path);
      if (number === undefined) await makeNew(fs, path);
      if (!(await addLines(fs, path, lines))) continue;
      if (number === undefined) await fs.syncDirectory(folder);
      if ((await numbersOf(zone)).at(-1) === (number ?? 1)) return;
    }
    throw new StateError({ code: "state-disk", message: `other processes keep rewriting ${RECORD}` });
  }

  async function* linesOf(zone: ZoneId, numbers: readonly number[]): AsyncIterable<string> {
    for (const number of numbers) {
      const path = pathOf(zone, number);
      yield* guarded(path, wholeLines(looseLines(fs, path)), RECORD);
    }
  }

  async function* observations(zone: ZoneId): AsyncIterable<string> {
    const list = (): Promise<readonly number[]> => guard(folder, "read", () => numbersOf(zone), RECORD);
    let read: readonly number[] = [];
    let numbers = await list();
    // A file that disappeared meanwhile was condensed into a newer one, which we read too.
    while (numbers.length > 0) {
      yield* linesOf(zone, numbers);
      read = [...read, ...numbers];
      numbers = (await list()).filter((number) => !read.includes(number));
    }
  }

  async function condense(zone: ZoneId, keep: (lines: AsyncIterable<string>) => AsyncIterable<string>): Promise<void> {
    const before = await guard(folder, "read", () => numbersOf(zone), RECORD);
    const last = before.at(-1);
    if (last === undefined) return;
    await guard(
      pathOf(zone, last),
      "written",
      async () => {
        await refuseReadOnly(fs, folder);
        if (!(await makeNew(fs, pathOf(zone, last + 1)))) return;
        await fs.syncDirectory(folder);
        // From here on, a run that appends to an older file appends to this one too.
        const older = (await numbersOf(zone)).filter((number) => number <= last);
        await observe(zone, await collected(keep(linesOf(zone, older))));
        for (const number of older) await fs.remove(pathOf(zone, number));
        await fs.syncDirectory(folder);
      },
      RECORD,
    );
  }

  return { observe, observations, condense };
}

async function listIfThere(fs: FileSystem, folder: string): Promise<readonly string[]> {
  try {
    return (await fs.list(folder)).map(({ name }) => name);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Whether this call made the file: another process may have made it just before. */
async function makeNew(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await (await fs.create(path, 0o600)).close();
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** An administrator could write anyway, but whoever removed the write permission meant it. */
async function refuseReadOnly(fs: FileSystem, path: string): Promise<void> {
  const found = await fs.stat(path);
  if (!found || (found.mode & 0o200) !== 0) return;
  const what = found.kind === "directory" ? "its folder" : "its file";
  throw new StateError({ code: "state-read-only", message: `${RECORD} cannot be written: ${what} is read-only` });
}

/**
 * Puts each line on a line of its own, whatever a crash left before it, with an empty line between any two: so a line
 * that is directly followed by another was cut off. Returns whether the file still existed: another process may have
 * condensed it.
 */
async function addLines(fs: FileSystem, path: string, lines: readonly string[]): Promise<boolean> {
  const file = await appendIfThere(fs, path);
  if (!file) return false;
  try {
    for (const piece of piecesOf(lines)) await file.write(piece);
    await file.sync();
    return true;
  } finally {
    await file.close();
  }
}

async function appendIfThere(fs: FileSystem, path: string): Promise<WritableFile | undefined> {
  try {
    return await fs.append(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function* piecesOf(lines: readonly string[]): Iterable<string> {
  let piece = "";
  for (const line of lines) {
    piece += `\n${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** The lines that are followed by an empty line or by the end. */
async function* wholeLines(lines: AsyncIterable<string>): AsyncIterable<string> {
  let last = "";
  for await (const line of lines) {
    if (line === "" && last !== "") yield last;
    last = line;
  }
  if (last !== "") yield last;
}
