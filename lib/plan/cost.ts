import type { Budget } from "../config/desired.ts";
import { kindNamed } from "../resources/registry.ts";
import type { Change, Cost } from "./change.ts";

/** 1,200 calls in 5 minutes for everything that a user does (public fact, client API limits). */
const CALLS_PER_WINDOW = 1200;
const WINDOW_SECONDS = 300;
const MINUTE_SECONDS = 60;

/** What carrying out the changes takes of the service's limits, and how long that is within the budget at least. */
export function costOf(changes: readonly Change[], budget: Budget): Cost {
  let calls = 0;
  let issuances = 0;
  for (const change of changes) {
    const { kind, action, leaves, refused } = change;
    const write = refused ? undefined : writeOf(change);
    if (!write) continue;
    const cost = kindNamed(kind).cost(write, leaves);
    calls += cost.calls;
    issuances += budget.countsPatches || action === "create" || action === "replace" ? cost.issuances : 0;
  }
  const callShare = Math.max(1, Math.floor(CALLS_PER_WINDOW * budget.apiShare));
  const perMinute = Math.max(1, budget.issuancePerMinute - budget.issuanceReserve);
  const seconds = Math.max(waits(calls, callShare) * WINDOW_SECONDS, waits(issuances, perMinute) * MINUTE_SECONDS);
  return { calls, issuances, seconds };
}

/** What a change does live: an adoption writes only where something differs, the others as they are named. */
export function writeOf({ action, expected }: Change): "create" | "update" | "replace" | "delete" | undefined {
  switch (action) {
    case "create":
    case "update":
    case "replace":
    case "delete":
      return action;
    case "adopt":
      return expected === undefined ? undefined : "update";
    case "forget":
    case "held":
    case "no-op":
      return undefined;
    default:
      return action satisfies never;
  }
}

/** How many windows have to pass before the last of the calls may be made; the first window's worth goes at once. */
function waits(count: number, perWindow: number): number {
  return count === 0 ? 0 : Math.floor((count - 1) / perWindow);
}
