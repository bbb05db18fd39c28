import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { REPAIR } from "../remedy.ts";
import { linesOf, type Subject } from "./lines.ts";
import { prepareSnapshot, putInPlace } from "./snapshot.ts";

const LINE_END = 10;

const JOURNAL: Subject = { name: "the journal", damage: "journal-damaged", remedy: REPAIR };

/** The complete lines of a journal, without a line that a crash cut off at the end; none if there is no file. */
export async function* journalLines(fs: FileSystem, path: string): AsyncIterable<string> {
  try {
    yield* linesOf(fs.stream(path), path, "leave out", JOURNAL);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** Prepares a journal for appending: it exists, its folder entry is durable, and it ends with a complete line. */
export async function readyJournal(fs: FileSystem, folder: string, path: string, temporary: string): Promise<void> {
  const state = await stateOf(fs, path);
  if (state === "missing") await makeEmpty(fs, folder, path);
  if (state === "torn") await cutTail(fs, folder, path, temporary);
  // The process that made it may have died before the folder entry was durable.
  if (state === "whole") await fs.syncDirectory(folder);
}

async function stateOf(fs: FileSystem, path: string): Promise<"missing" | "torn" | "whole"> {
  let last = LINE_END;
  try {
    for await (const piece of fs.stream(path)) last = piece.at(-1) ?? last;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "missing";
    throw error;
  }
  return last === LINE_END ? "whole" : "torn";
}

/** Flushes the folder before the first record: a record in a file that a power cut removes was never durable. */
async function makeEmpty(fs: FileSystem, folder: string, path: string): Promise<void> {
  const file = await fs.create(path, 0o600);
  await file.close();
  await fs.syncDirectory(folder);
}

/** If we appended to the file as it is, the torn line would become a bad record in the middle of the journal. */
async function cutTail(fs: FileSystem, folder: string, path: string, temporary: string): Promise<void> {
  await prepareSnapshot(fs, temporary, journalLines(fs, path));
  await putInPlace(fs, folder, temporary, path);
}

/**
 * Replaces a journal, if there is one, by an identical copy: a process that still has the old file open then writes to
 * nothing. `checkLock` runs last before the copy takes its place.
 */
export async function renewJournal(
  fs: FileSystem,
  folder: string,
  path: string,
  temporary: string,
  checkLock: () => Promise<void>,
): Promise<void> {
  if (!(await fs.stat(path))) return;
  await fs.copy(path, temporary);
  await checkLock();
  await putInPlace(fs, folder, temporary, path);
}
