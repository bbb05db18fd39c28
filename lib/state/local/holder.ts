import { optionalNumber, optionalText } from "../../core/decode.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { LockHolder } from "../store.ts";
import type { ProcessMark } from "./identity.ts";

/** No real field of a holder is longer. */
const LONGEST_FIELD = 300;

/** The content of a generation's file: who holds it, and how to tell whether the holder lives. */
export interface Generation {
  readonly holder: LockHolder;
  readonly mark: ProcessMark;
  /** The highest serial that a holder found; 0 if the last one found no state, or nothing says it. */
  readonly serial: number;
  /** The project in whose folder the state is now: this lock is never released. */
  readonly movedTo?: string;
}

/** Encodes a generation's file. */
export function encodeGeneration({ holder, mark, serial, movedTo }: Generation): string {
  const fields = {
    id: holder.id,
    who: holder.who,
    process_id: holder.processId,
    operation: holder.operation,
    since: holder.since,
    run_url: holder.runUrl,
    host: mark.host,
    boot_id: mark.bootId,
    pid_namespace: mark.pidNamespace,
    pid: mark.pid,
    start_time: mark.startTime,
    serial,
    moved_to: movedTo,
  };
  return `${JSON.stringify(fields)}\n`;
}

/** Reads a generation's file; undefined if it is junk. Anybody could have written it, so its texts are escaped. */
export function decodeGeneration(content: string): Generation | undefined {
  const from = parse(content);
  const id = from && optionalText(from, "id");
  if (!from || id === undefined) return undefined;
  const runUrl = optionalText(from, "run_url");
  const movedTo = optionalText(from, "moved_to");
  return {
    holder: {
      id: harmless(id),
      who: harmless(optionalText(from, "who") ?? "somebody"),
      processId: optionalNumber(from, "process_id") ?? 0,
      operation: harmless(optionalText(from, "operation") ?? "something"),
      since: harmless(optionalText(from, "since") ?? "an unknown time"),
      ...(runUrl === undefined ? {} : { runUrl: harmless(runUrl) }),
    },
    mark: decodeMark(from),
    serial: serialIn(from),
    ...(movedTo === undefined ? {} : { movedTo }),
  };
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

/** Escapes control and invisible characters, so that a lock file cannot write to anybody's terminal. */
function harmless(text: string): string {
  return text
    .slice(0, LONGEST_FIELD)
    .replace(/[\p{C}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}
