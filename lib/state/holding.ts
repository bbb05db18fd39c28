import type { Holding } from "./store.ts";

/**
 * Describes who holds a lock in one line: who, for what, since when, where, and whether the process lives. `now` is in
 * ms since the epoch.
 */
export function describeHolding({ holder, isAlive, remark, unlockId }: Holding, now: number): string {
  if (unlockId === undefined) return "held, and the server does not say by whom";
  if (!holder) return `held by an unknown process (its lock file cannot be read), lock id ${unlockId}`;
  const life = isAlive === undefined ? "maybe on another machine" : isAlive ? "running" : "dead";
  const page = holder.runUrl === undefined ? "" : `, ${holder.runUrl}`;
  // Another program does not say its process.
  const process = holder.processId === 0 ? "" : `, process ${holder.processId}`;
  return `held by ${holder.who} (${holder.operation}${process}, ${life}${page}) since ${holder.since}${ageOf(holder.since, now)}${remark === undefined ? "" : ` (${remark})`}, lock id ${unlockId}`;
}

/** What becomes of the lock of a dead run by itself. */
export function whenTakenOver(deadAfterMilliseconds: number): string {
  return `the next apply takes the lock by itself ${deadAfterMilliseconds / 1000} s after the last renewal`;
}

/** How long ago a time was, as `, 12 minutes ago`; empty if it is not a time, or in the future by this clock. */
export function ageOf(since: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(since)) / 60_000);
  if (Number.isNaN(minutes) || minutes < 0) return "";
  if (minutes >= 48 * 60) return `, ${Math.floor(minutes / 1440)} days ago`;
  if (minutes >= 120) return `, ${Math.floor(minutes / 60)} hours ago`;
  return `, ${minutes} ${minutes === 1 ? "minute" : "minutes"} ago`;
}
