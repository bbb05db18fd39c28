import { collected } from "../../../core/lists.ts";
import { errorCode, type FileSystem, type WritableFile } from "../../../core/file-system.ts";
import { StateError } from "../../error.ts";
import { guard, guarded } from "./failure.ts";
import { looseLines } from "./lines.ts";
import { namesOf, type ZonePlace } from "./place.ts";
import { makeLastingFolder, refuseReadOnly } from "./whole-file.ts";

/**
 * How much to append in one call. The system appends a chunk of this size in one go, so lines that several runs append
 * to one file at once stay separate.
 */
const PIECE_CHARACTERS = 16 * 1024;

/**
 * How often to retry a write that meets a condensation. Other processes condense rarely, never this often while one run
 * adds a few lines.
 */
const MOST_TRIES = 20;

/** The name of the record in messages; it is not part of a state. */
const RECORD = "the record of hostnames";

/**
 * The observations of a zone, in append-only files: `<zone id>.observations-<n>`. Any number of runs write them at
 * once, without the lock.
 *
 * After appending, a run checks whether its file is still the newest; if not, it appends its lines to the newest one
 * again. So a file can be condensed while others append to it: first a new, empty file is made, then the lines to keep
 * from the older files are put into it, then the older files are deleted. Until then all of them are read. A line may
 * appear twice, and no line is lost once `addSightings` has returned.
 */
export async function* linesSeen(at: ZonePlace): AsyncIterable<string> {
  let read: readonly number[] = [];
  let numbers = await list(at);
  // A file that disappears meanwhile was condensed into a newer one, which is read too.
  while (numbers.length > 0) {
    yield* linesOf(at, numbers);
    read = [...read, ...numbers];
    numbers = (await list(at)).filter((number) => !read.includes(number));
  }
}

/** The size of the observations. */
export async function bytesSeen(at: ZonePlace): Promise<number> {
  const sizes = (await list(at)).map(async (number) => (await at.fs.stat(pathOf(at, number)))?.sizeBytes ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Adds lines; returns once they would survive a power cut. */
export function addSightings(at: ZonePlace, lines: readonly string[]): Promise<void> {
  return guard(pathOf(at, 1), "written", () => add(at, lines), RECORD);
}

async function add(at: ZonePlace, lines: readonly string[]): Promise<void> {
  const { fs, folder } = at;
  if (!(await fs.stat(folder))) await makeLastingFolder(fs, folder);
  await refuseReadOnly(fs, folder, RECORD);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const number = (await numbersOf(at)).at(-1);
    const path = pathOf(at, number ?? 1);
    await refuseReadOnly(fs, path, RECORD);
    if (number === undefined) await makeNew(fs, path);
    if (!(await addLines(fs, path, lines))) continue;
    if (number === undefined) await fs.syncDirectory(folder);
    if ((await numbersOf(at)).at(-1) === (number ?? 1)) return;
  }
  throw new StateError({ code: "state-disk", message: `other processes keep rewriting ${RECORD}` });
}

/** Replaces the lines by what `keep` returns for them. */
export async function condenseSightings(
  at: ZonePlace,
  keep: (lines: AsyncIterable<string>) => AsyncIterable<string>,
): Promise<void> {
  const { fs, folder } = at;
  const last = (await list(at)).at(-1);
  if (last === undefined) return;
  await guard(
    pathOf(at, last),
    "written",
    async () => {
      await refuseReadOnly(fs, folder, RECORD);
      if (!(await makeNew(fs, pathOf(at, last + 1)))) return;
      await fs.syncDirectory(folder);
      // From here on, runs that append to an older file append to this one too.
      const older = (await numbersOf(at)).filter((number) => number <= last);
      const kept = await collected(keep(linesOf(at, older)));
      if (kept.length > 0) await add(at, kept);
      for (const number of older) await fs.remove(pathOf(at, number));
      await fs.syncDirectory(folder);
    },
    RECORD,
  );
}

function pathOf(at: ZonePlace, number: number): string {
  return at.pathOf(`observations-${number}`);
}

function list(at: ZonePlace): Promise<readonly number[]> {
  return guard(at.folder, "read", () => numbersOf(at), RECORD);
}

/** The numbers of the existing files, in order. */
async function numbersOf(at: ZonePlace): Promise<readonly number[]> {
  const found = (await namesOf(at)).flatMap((name) => /^observations-([1-9]\d{0,14})$/.exec(name)?.[1] ?? []);
  return found.map(Number).sort((left, right) => left - right);
}

async function* linesOf(at: ZonePlace, numbers: readonly number[]): AsyncIterable<string> {
  for (const number of numbers) {
    const path = pathOf(at, number);
    yield* guarded(path, wholeLines(looseLines(at.fs, path)), RECORD);
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

/**
 * Puts each line on a line of its own, whatever a crash left before it, with an empty line between any two. So a line
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
