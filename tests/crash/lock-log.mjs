// Reads the log of `lock.mjs`: how often the lock was taken, who was killed with it, and whether two had it at once.
import { openSync, readSync } from "node:fs";

const PIECE_BYTES = 64 * 1024;

/**
 * Reads a log as it grows. Holders write `enter PID FENCE` and `leave PID FENCE`. `kill PID` is written before the kill is sent:
 * from then on another process may take the lock, and the killed one must not write any more.
 */
export function openLog(path) {
  const file = openSync(path, "r");
  const counts = { acquisitions: 0, kills: 0, holdersKilled: 0, overlaps: [] };
  const killed = new Set();
  let inside;
  let newest = 0;
  let rest = "";

  function take(line) {
    const [word, pid, fence] = line.split(" ");
    if (word === "kill") {
      killed.add(pid);
      counts.kills += 1;
    } else if (word === "enter") enter(pid, Number(fence));
    else leave(pid);
  }

  function enter(pid, fence) {
    if (inside !== undefined && !killed.has(inside)) counts.overlaps.push(`${pid} came in while ${inside} was inside`);
    if (fence <= newest) counts.overlaps.push(`${pid} came in under ${fence}, after ${newest}`);
    if (killed.has(inside)) counts.holdersKilled += 1;
    counts.acquisitions += 1;
    newest = Math.max(newest, fence);
    inside = pid;
  }

  function leave(pid) {
    if (inside !== pid) counts.overlaps.push(`${pid} was still inside when ${inside ?? "somebody"} had come in`);
    inside = undefined;
  }

  return {
    /** Reads the new lines, and returns the totals so far. */
    read: () => {
      const buffer = Buffer.alloc(PIECE_BYTES);
      for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) {
        const lines = (rest + buffer.toString("latin1", 0, length)).split("\n");
        rest = lines.pop();
        for (const line of lines) take(line);
      }
      return { ...counts, inside };
    },
  };
}
