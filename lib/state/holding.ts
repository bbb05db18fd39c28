import { momentAndAge } from "../core/moment.ts";
import type { Holding, Renewal } from "./store.ts";

/**
 * Describes who holds a lock in one line: who, for what, since when, where, and whether the process lives. `now` is in
 * ms since the epoch.
 */
export function describeHolding(holding: Holding, now: number): string {
  const { holder, unlockId } = holding;
  if (unlockId === undefined) return "held, and the server does not say by whom";
  if (!holder) return `held by an unknown process (the lock cannot be read), lock id ${unlockId}`;
  const parts = [
    holder.operation,
    // Another program does not say its process.
    ...(holder.processId === 0 ? [] : [`process ${holder.processId}`]),
    lifeOf(holding),
    ...(holder.runUrl === undefined ? [] : [holder.runUrl]),
  ];
  return `held by ${holder.who} (${parts.join(", ")}) since ${momentAndAge(holder.since, now)}, lock id ${unlockId}`;
}

/** What is known of the run that holds a lock and may be dead, as it follows "a run". */
export const RUNS_OR_WAS_KILLED = "still runs or was killed";

function lifeOf(holding: Holding): string {
  const { isAlive } = holding;
  if (isAlive === true) return "running";
  const renewed = renewedText(holding);
  if (isAlive === false) return renewed === undefined ? "dead" : `counts as dead, ${renewed}`;
  return renewed ?? RUNS_OR_WAS_KILLED;
}

/** When the holder renewed its lock, as `last renewed 8 s ago`; undefined if it renews none, or the time is not known. */
export function renewedText({ renewal }: Holding): string | undefined {
  if (renewal?.ageMilliseconds === undefined) return undefined;
  return `last renewed ${Math.round(renewal.ageMilliseconds / 1000)} s ago`;
}

/** What the next apply does about the lock of a dead run. */
export function takeOverText({ renewal }: Holding): string {
  if (!renewal) return "the next apply takes the lock";
  return `the next apply watches the lock for ${renewal.deadAfterMilliseconds / 1000} s, then takes it`;
}

/** Whoever is to see that a run does not renew its lock any more needs some time for the requests as well. */
const ROOM_SECONDS = 15;

/** The --lock-timeout with which a command takes the lock of a run that does not renew it any more. */
export function takeOverSeconds({ deadAfterMilliseconds }: Renewal): number {
  return deadAfterMilliseconds / 1000 + ROOM_SECONDS;
}
