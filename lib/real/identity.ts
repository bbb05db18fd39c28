import { readFileSync, readlinkSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { errorCode } from "../core/file-system.ts";
import type { Identity } from "../state/engines/local/generations.ts";

/**
 * This process, as the lock records it. Only Linux's /proc can prove that another process is dead; on other systems
 * those fields stay empty, and no process is ever considered dead.
 */
export function identity(): Identity {
  return {
    host: hostname(),
    bootId: orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: orEmpty(() => readlinkSync("/proc/self/ns/pid")),
    pid: process.pid,
    startTime: statOf(process.pid)?.startTime ?? "",
    isAlive,
  };
}

/**
 * The user who runs this process, for people to read: a name, or only the number if the machine has no name for it, as
 * in containers.
 */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

function isAlive(pid: number, startTime: string): boolean | undefined {
  if (!exists(pid)) return false;
  const found = statOf(pid);
  if (!found) return undefined;
  // The process was killed and its parent has not collected it: it has an entry, but no thread that could still write.
  if (found.startTime !== startTime || (found.state === "Z" && found.threads <= 1)) return false;
  return true;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other error, such as EPERM, means that the process exists.
    return errorCode(error) !== "ESRCH";
  }
}

/** Reads `/proc/<pid>/stat` (proc(5): fields 3, 20 and 22). The process name before them may contain any character. */
function statOf(pid: number): { state: string; threads: number; startTime: string } | undefined {
  const line = orEmpty(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state, threads, startTime] = [fields[0], fields[17], fields[19]];
  if (state === undefined || threads === undefined || startTime === undefined) return undefined;
  return { state, threads: Number(threads), startTime };
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
