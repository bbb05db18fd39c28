import { error } from "../core/diagnostic.ts";
import type { Budget } from "../core/rate-limits.ts";
import { booleanOf, child, type Node, numberOf, textOf } from "./node.ts";
import { shareOf } from "./source.ts";
import type { Report } from "./report.ts";

/** The service's own limit (docs/service.md#issuance-limit). */
const PER_MINUTE = 15;

/** Half of the calls, and all but five of the certificates a minute. */
export const DEFAULT_BUDGET: Budget = {
  apiShare: 0.5,
  issuancePerMinute: PER_MINUTE,
  issuanceReserve: 5,
  countsPatches: true,
};

/** The `budget` of the project file, with defaults for what it does not say. */
export function decodeBudget(node: Node | undefined, report: Report): Budget {
  const api = child(node, "api");
  const issuance = child(node, "issuance");
  const apiShare = textOf(api) === "unlimited" ? "unlimited" : (shareOf(textOf(api)) ?? DEFAULT_BUDGET.apiShare);
  if (api && apiShare === 0) {
    const message = "budget.api leaves no calls at all";
    report(error({ code: "empty-budget", message, remedy: "allow at least 1%", at: api.at }));
  }
  return { apiShare, ...decodeIssuance(issuance, report) };
}

function decodeIssuance(node: Node | undefined, report: Report): Omit<Budget, "apiShare"> {
  const { countsPatches } = DEFAULT_BUDGET;
  if (textOf(node) === "unlimited") return { issuancePerMinute: "unlimited", issuanceReserve: 0, countsPatches };
  const perMinute = numberOf(child(node, "per_minute")) ?? PER_MINUTE;
  const reserve = numberOf(child(node, "reserve")) ?? DEFAULT_BUDGET.issuanceReserve;
  if (node && reserve >= perMinute) {
    const message = `budget.issuance.reserve (${reserve}) leaves none of ${perMinute} certificates a minute`;
    const at = (child(node, "reserve") ?? node).at;
    report(error({ code: "empty-budget", message, remedy: "make reserve smaller than per_minute", at }));
  }
  return {
    issuancePerMinute: perMinute,
    issuanceReserve: reserve,
    countsPatches: booleanOf(child(node, "count_patches")) ?? countsPatches,
  };
}
