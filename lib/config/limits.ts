import { error } from "../core/diagnostic.ts";
import { defined } from "../core/json.ts";
import { API_CALLS, type Budget } from "../core/rate-limits.ts";
import type { KindName } from "../kinds/kind.ts";
import { KINDS } from "../kinds/registry.ts";
import type { BudgetSection, DeletionLimitSections } from "./document-types.ts";
import { placeOf } from "./document.ts";
import { shareOf } from "./source.ts";
import type { Report } from "./report.ts";
import type { DeletionLimit } from "./desired.ts";

/** The service's own limit (docs/service.md#issuance-limit). */
const PER_MINUTE = 15;

/** Half of the calls, and all but five of the certificates per minute. */
export const DEFAULT_BUDGET: Budget = {
  apiShare: 0.5,
  issuancePerMinute: PER_MINUTE,
  issuanceReserve: 5,
  countsPatches: true,
};

/** Decodes the `budget` of the project file, with defaults for what is missing. */
export function decodeBudget(section: BudgetSection, report: Report): Budget {
  const { api, issuance = {} } = section;
  const apiShare = api === "unlimited" ? api : (shareOf(api) ?? DEFAULT_BUDGET.apiShare);
  if (apiShare === 0) {
    const message = "budget.api allows no API calls";
    report(error({ code: "empty-budget", message, remedy: "allow at least 1%", at: placeOf(section, "api") }));
  }
  const budget = { apiShare, ...decodeIssuance(issuance, report), ...defined({ runners: section.runners }) };
  checkRunners(section, budget, report);
  return budget;
}

/** Refuses a number of runners that leaves one of them nothing: that runner could never apply. */
function checkRunners(section: BudgetSection, budget: Budget, report: Report): void {
  const { runners = 1, issuancePerMinute, issuanceReserve, apiShare } = budget;
  const certificates = issuancePerMinute === "unlimited" ? Infinity : issuancePerMinute - issuanceReserve;
  const calls = apiShare === "unlimited" ? Infinity : apiShare * API_CALLS;
  const most = Math.floor(Math.min(certificates, calls));
  if (runners <= Math.max(1, most)) return;
  const what = certificates <= calls ? `${certificates} certificates a minute` : `${Math.floor(calls)} API calls`;
  const message = `budget.runners divides ${what} among ${runners} runners, so none are left for each`;
  const remedy = `set budget.runners to ${most} or fewer, or raise budget.${certificates <= calls ? "issuance" : "api"}`;
  report(error({ code: "empty-budget", message, remedy, at: placeOf(section, "runners") }));
}

function decodeIssuance(section: NonNullable<BudgetSection["issuance"]>, report: Report): Omit<Budget, "apiShare"> {
  const { countsPatches } = DEFAULT_BUDGET;
  if (typeof section === "string") return { issuancePerMinute: "unlimited", issuanceReserve: 0, countsPatches };
  const perMinute = section.per_minute ?? PER_MINUTE;
  const reserve = section.reserve ?? DEFAULT_BUDGET.issuanceReserve;
  if (reserve >= perMinute) {
    const message = `budget.issuance reserves ${reserve} of ${perMinute} certificates per minute, so none are left`;
    const at = placeOf(section, "reserve");
    report(error({ code: "empty-budget", message, remedy: "make reserve smaller than per_minute", at }));
  }
  return {
    issuancePerMinute: perMinute,
    issuanceReserve: reserve,
    countsPatches: section.count_patches ?? countsPatches,
  };
}

/** The default: no more than a person would review. */
const DEFAULT: DeletionLimit = { count: 25 };

/** Decodes `deletion_limits`; `below` applies to what this section does not set (for a zone, it is the project's). */
export function decodeDeletionLimits(
  sections: DeletionLimitSections = {},
  below: ReadonlyMap<KindName, DeletionLimit> = new Map(),
): ReadonlyMap<KindName, DeletionLimit> {
  const limits = new Map<KindName, DeletionLimit>();
  for (const { name, lifetime } of KINDS) {
    if (lifetime !== "while-declared") continue;
    const [said, otherwise] = [sections[name], below.get(name) ?? DEFAULT];
    limits.set(name, {
      ...defined({ share: shareOf(said?.percent) ?? otherwise.share }),
      count: said?.count ?? otherwise.count,
    });
  }
  return limits;
}
