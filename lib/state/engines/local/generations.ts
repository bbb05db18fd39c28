import { optionalNumber, optionalText } from "../../../core/decode.ts";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { type JsonObject, parseObject } from "../../../core/json.ts";
import { decodeHolder, encodeHolder, type LockHolder } from "../../lock.ts";
import { hasNoLinks } from "./failure.ts";

/** A longer file is junk, not a generation. */
const LONGEST_FILE_BYTES = 64 * 1024;
/** How many generations to keep besides the newest, because another process may be about to read them. */
const KEPT_GENERATIONS = 2;

/** The files in a lock's folder: `g<N>` was taken, `r<N>` was released, `t<N>-…` is about to become `g<N>`. */
export interface Generations {
  /** The number of the newest generation; 0 if there is none. */
  readonly newest: number;
  readonly isReleased: boolean;
}

interface Name {
  readonly letter: string;
  readonly number: number;
  readonly path: string;
}

/** Lists the folder. */
export async function listGenerations(fs: FileSystem, folder: string): Promise<Generations> {
  const names = await namesIn(fs, folder);
  // After a power cut, a generation may be lost while its release is kept: its number is not used again.
  const newest = names.reduce((most, { letter, number }) => (letter === "t" ? most : Math.max(most, number)), 0);
  return { newest, isReleased: names.some(({ letter, number }) => letter === "r" && number === newest) };
}

async function namesIn(fs: FileSystem, folder: string): Promise<readonly Name[]> {
  const names: Name[] = [];
  for (const name of fs.namesNow?.(folder) ?? (await fs.list(folder)).map((entry) => entry.name)) {
    const [, letter, digits] = /^([grt])([1-9][0-9]{0,14})(?:-.*)?$/.exec(name) ?? [];
    if (letter !== undefined) names.push({ letter, number: Number(digits), path: `${folder}/${name}` });
  }
  return names;
}

/** The content of a generation's file: undefined if it is gone, empty if it is too long or unreadable. */
export async function readGeneration(fs: FileSystem, folder: string, number: number): Promise<string | undefined> {
  try {
    return Buffer.from(await fs.read(`${folder}/g${number}`, LONGEST_FILE_BYTES)).toString("utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) === "ENOENT" ? undefined : "";
  }
}

/**
 * Takes a generation; false if another process has it. The file is linked into place with its content, so a generation
 * always has a readable holder.
 */
export async function takeGeneration(
  fs: FileSystem,
  folder: string,
  number: number,
  unique: string,
  content: string,
): Promise<boolean> {
  const temporary = `${folder}/t${number}-${unique}`;
  const generation = `${folder}/g${number}`;
  await makeFile(fs, temporary, content);
  try {
    return await link(fs, temporary, generation);
  } catch (error) {
    if (!hasNoLinks(error)) throw error;
    return await makeInPlace(fs, generation, content);
  } finally {
    await fs.remove(temporary);
  }
}

/**
 * Atomically replaces the content of a generation that the caller holds: a reader finds the old content or the new one.
 */
export async function rewriteGeneration(
  fs: FileSystem,
  folder: string,
  number: number,
  unique: string,
  content: string,
): Promise<void> {
  const temporary = `${folder}/t${number}-${unique}`;
  await makeFile(fs, temporary, content);
  await fs.rename(temporary, `${folder}/g${number}`);
  await fs.syncDirectory(folder);
}

/** Flushed before the file gets its name: otherwise a power cut could leave a lock that does not say who holds it. */
async function makeFile(fs: FileSystem, path: string, content: string): Promise<void> {
  const file = await fs.create(path, 0o600);
  try {
    await file.write(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function link(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await fs.link(from, to);
    return true;
  } catch (error) {
    // ENOENT: this took so long that a newer holder has deleted the temporary file.
    if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/**
 * For file systems without hard links. A process that dies here while it takes a generation leaves a mark that only
 * `unlock` removes.
 */
async function makeInPlace(fs: FileSystem, path: string, content: string): Promise<boolean> {
  try {
    await makeFile(fs, path, content);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Marks a generation as released; doing it twice is doing it once. */
export async function markReleased(fs: FileSystem, folder: string, number: number): Promise<void> {
  try {
    const file = await fs.create(`${folder}/r${number}`, 0o600);
    await file.close();
    await fs.syncDirectory(folder);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Deletes files that no process can need, as the holder of a generation. */
export async function sweep(fs: FileSystem, folder: string, newest: number): Promise<void> {
  for (const { number, path } of await namesIn(fs, folder)) {
    if (number < newest - KEPT_GENERATIONS) await fs.remove(path);
  }
}

/**
 * Tells this process from every other, here and on other machines. A text is empty if this machine does not know it.
 */
export interface ProcessMark {
  readonly host: string;
  /** Changes each time the machine starts. */
  readonly bootId: string;
  /** Process ids are unique only within the namespace that gave them. */
  readonly pidNamespace: string;
  readonly pid: number;
  /** When the process started, in the system's own units: process ids are reused, start times are not. */
  readonly startTime: string;
}

/** This process, and what it can find out about others on its machine. */
export interface Identity extends ProcessMark {
  /** Whether the process with this id and start time still lives; undefined if that cannot be told. */
  isAlive(pid: number, startTime: string): boolean | undefined;
}

/**
 * Whether the marked process lives, as far as this process can tell: it can only look up processes of the same host,
 * boot and namespace. Any other is undefined, and callers treat it as alive.
 */
export function isAlive(mark: ProcessMark, here: Identity): boolean | undefined {
  const isComparable =
    isSame(mark.host, here.host) &&
    isSame(mark.bootId, here.bootId) &&
    isSame(mark.pidNamespace, here.pidNamespace) &&
    mark.startTime !== "";
  return isComparable ? here.isAlive(mark.pid, mark.startTime) : undefined;
}

function isSame(left: string, right: string): boolean {
  return left !== "" && left === right;
}

/** The content of a generation's file: who holds it, and how to tell whether the holder lives. */
export interface Generation {
  readonly holder: LockHolder;
  readonly mark: ProcessMark;
  /** The highest serial that a holder found; 0 if the last one found no state, or if the file does not say it. */
  readonly serial: number;
}

/** Encodes a generation's file. */
export function encodeGeneration({ holder, mark, serial }: Generation): string {
  const fields = {
    ...encodeHolder(holder),
    host: mark.host,
    boot_id: mark.bootId,
    pid_namespace: mark.pidNamespace,
    pid: mark.pid,
    start_time: mark.startTime,
    serial,
  };
  return `${JSON.stringify(fields)}\n`;
}

/** Reads a generation's file; undefined if it is junk. */
export function decodeGeneration(content: string): Generation | undefined {
  const from = parseObject(content);
  const holder = from && decodeHolder(from);
  return from && holder && { holder, mark: decodeMark(from), serial: serialIn(from) };
}

function serialIn(from: JsonObject): number {
  const serial = optionalNumber(from, "serial") ?? 0;
  return Number.isSafeInteger(serial) && serial > 0 ? serial : 0;
}

function decodeMark(from: JsonObject): ProcessMark {
  const pid = optionalNumber(from, "pid") ?? 0;
  return {
    host: optionalText(from, "host") ?? "",
    bootId: optionalText(from, "boot_id") ?? "",
    pidNamespace: optionalText(from, "pid_namespace") ?? "",
    pid,
    // The system takes ids of 0 and below for groups of processes, so we never look up such a holder.
    startTime: Number.isSafeInteger(pid) && pid > 0 ? (optionalText(from, "start_time") ?? "") : "",
  };
}
