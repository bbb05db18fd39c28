import { isObject } from "../../lib/core/json.ts";

/** What the engine takes for granted, with room for the request itself to wait: no list lags behind for an hour. */
const LONGEST_LAG_MILLISECONDS = 45 * 60_000;

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
  const recent = (list: string): number =>
    writes.filter((write) => write.list === list && write.at > now() - LONGEST_LAG_MILLISECONDS).length;
  return {
    wrote: (path) => void writes.push({ list: listOf(path), at: now() }),
    within: (path, fault) => {
      const order: unknown = fault === undefined ? undefined : JSON.parse(fault);
      if (!isObject(order) || order["kind"] !== "stale-list") return fault;
      const most = Math.min(Number(order["writes"]), recent(listOf(path)));
      return most === 0 ? undefined : JSON.stringify({ ...order, writes: most });
    },
  };
}

function listOf(path: string): string {
  return /custom_hostnames|certificate_packs|rulesets/.exec(path)?.[0] ?? path;
}
