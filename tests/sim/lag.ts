import { isObject } from "../../lib/core/json.ts";

/** What the engine takes for granted, with room for the request itself to wait: no list lags behind for an hour. */
const LONGEST_LAG_MILLISECONDS = 45 * 60_000;

/**
 * And of packs, which have no name that is unique: a run that looks four times sees one list that does not lag. That this
 * is taken for granted is said in docs/reliability.md.
 */
const MOST_IN_A_ROW = 2;

/** Keeps lists that lag behind within what any service does: they miss the last writes, but none of long ago. */
export interface Lag {
  /** Something of the list at the path was written. */
  wrote(path: string): void;
  /** The fault for a request of a list, as the service is to be told; undefined where nothing was written lately. */
  within(path: string, fault: string | undefined): string | undefined;
}

/** A lag by a clock in milliseconds. */
export function openLag(now: () => number): Lag {
  const writes: { readonly list: string; readonly at: number }[] = [];
  let inARow = 0;
  const recent = (list: string): number =>
    writes.filter((write) => write.list === list && write.at > now() - LONGEST_LAG_MILLISECONDS).length;
  return {
    wrote: (path) => void writes.push({ list: listOf(path), at: now() }),
    within: (path, fault) => {
      const order: unknown = fault === undefined ? undefined : JSON.parse(fault);
      const isStale = isObject(order) && order["kind"] === "stale-list";
      const most = isStale ? Math.min(Number(order["writes"]), recent(listOf(path))) : 0;
      const isPacks = path.endsWith("/certificate_packs");
      const isShown = most === 0 || (isPacks && inARow >= MOST_IN_A_ROW);
      if (isPacks) inARow = isShown ? 0 : inARow + 1;
      if (!isStale) return fault;
      return isShown ? undefined : JSON.stringify({ ...order, writes: most });
    },
  };
}

function listOf(path: string): string {
  return /zones\/[^/]+\/(?:.*\/)?(?:custom_hostnames|certificate_packs|rulesets)/.exec(path)?.[0] ?? path;
}
