import { error } from "../core/diagnostic.ts";
import type { Budget } from "./desired.ts";
import { booleanOf, child, type Node, numberOf, textOf } from "./node.ts";
import { shareOf } from "./source.ts";
import type { Report } from "./report.ts";

/** Half of the calls, and all but five of the service's 15 certificates a minute (the description, section 8). */
export const DEFAULT_BUDGET: Budget = { apiShare: 0.5, issuancePerMinute: 15, issuanceReserve: 5, countsPatches: true };

/** The `budget` of the project file, with defaults for what it does not say. */
export function decodeBudget(node: Node | undefined, report: Report): Budget {
  const api = child(node, "api");
  const issuance = child(node, "issuance");
  const budget: Budget = {
    apiShare: shareOf(textOf(api)) ?? DEFAULT_BUDGET.apiShare,
    issuancePerMinute: numberOf(child(issuance, "per_minute")) ?? DEFAULT_BUDGET.issuancePerMinute,
    issuanceReserve: numberOf(child(issuance, "reserve")) ?? DEFAULT_BUDGET.issuanceReserve,
    countsPatches: booleanOf(child(issuance, "count_patches")) ?? DEFAULT_BUDGET.countsPatches,
  };
  if (api && budget.apiShare === 0) {
    const message = "budget.api leaves no calls at all";
    report(error({ code: "empty-budget", message, remedy: "allow at least 1%", at: api.at }));
  }
  if (issuance && budget.issuanceReserve >= budget.issuancePerMinute) {
    const message = `budget.issuance.reserve (${budget.issuanceReserve}) leaves none of ${budget.issuancePerMinute} certificates a minute`;
    const at = (child(issuance, "reserve") ?? issuance).at;
    report(error({ code: "empty-budget", message, remedy: "make reserve smaller than per_minute", at }));
  }
  return budget;
}
