import { isObject } from "../../lib/core/json.ts";
import { ALL_KINDS, kindListedAt } from "./kinds.ts";
import { inZone } from "./zones.ts";

/** The engine assumes that no list lags for an hour; this leaves room for the request itself to wait. */
const LONGEST_LAG_MILLISECONDS = 45 * 60_000;

/**
 * For packs, which have no unique name, the engine also assumes that a run that looks four times sees one list that does
 * not lag (docs/reliability.md says so).
 */
const MOST_IN_A_ROW = 2;

/** Limits lists that lag to what any service does: they miss the last writes, but none of long ago. */
export interface Lag {
  /** Something in the list at the path was written. */
  wrote(path: string): void;
  /** The fault to give the service for a request of a list; undefined if nothing was written lately. */
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
      const isLimited = ALL_KINDS.some(([, { sharesKeys, list }]) => sharesKeys && list === inZone(path));
      const isShown = most === 0 || (isLimited && inARow >= MOST_IN_A_ROW);
      if (isLimited) inARow = isShown ? 0 : inARow + 1;
      if (!isStale) return fault;
      return isShown ? undefined : JSON.stringify({ ...order, writes: most });
    },
  };
}

/** The list of the zone that a path belongs to; the path itself if there is none. */
function listOf(path: string): string {
  const rest = inZone(path);
  const list = kindListedAt(rest)?.list;
  return list === undefined ? path : path.slice(0, path.length - rest.length + list.length);
}
