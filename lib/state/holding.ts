import type { Holding } from "./store.ts";

/** Who holds a lock, in one line: who, for what, since when, where, and whether it lives. */
export function describeHolding({ holder, isAlive, unlockId }: Holding): string {
  if (!holder) return `held by somebody whose mark cannot be read, id ${unlockId}`;
  const life =
    isAlive === undefined ? "of which nothing is known here" : isAlive ? "which is running" : "which is dead";
  const page = holder.runUrl === undefined ? "" : `, ${holder.runUrl}`;
  return `held by ${holder.who} for ${holder.operation} since ${holder.since} (process ${holder.processId}, ${life}${page}), id ${unlockId}`;
}
