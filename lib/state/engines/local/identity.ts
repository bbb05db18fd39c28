import { optionalNumber, optionalText } from "../../../core/decode.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { decodeHolder, encodeHolder } from "../../lock.ts";
import type { LockHolder } from "../../store.ts";

/**
 * Distinguishes a process from every other one, here and on other machines. A text is empty if this machine does not
 * know it.
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
  /** The highest serial that a holder found; 0 if the last one found no state, or nothing says it. */
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
  const from = parse(content);
  const holder = from && decodeHolder(from);
  return from && holder && { holder, mark: decodeMark(from), serial: serialIn(from) };
}

function serialIn(from: JsonObject): number {
  const serial = optionalNumber(from, "serial") ?? 0;
  return Number.isSafeInteger(serial) && serial > 0 ? serial : 0;
}

function parse(content: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function decodeMark(from: JsonObject): ProcessMark {
  const pid = optionalNumber(from, "pid") ?? 0;
  return {
    host: optionalText(from, "host") ?? "",
    bootId: optionalText(from, "boot_id") ?? "",
    pidNamespace: optionalText(from, "pid_namespace") ?? "",
    pid,
    // To the system, ids of 0 and below name groups of processes, so we never look such a holder up.
    startTime: Number.isSafeInteger(pid) && pid > 0 ? (optionalText(from, "start_time") ?? "") : "",
  };
}
