import type { JsonObject } from "../../../lib/core/json.ts";
import type { HttpRequest } from "../../../lib/service/http.ts";
import { type Ledger, type Party, plannedChange } from "../ledger.ts";
import type { SimService } from "../sim-service.ts";
import type { WishedMigration } from "../wish.ts";
import { pathInZone } from "../zones.ts";
import { byDashboard, type Judged, type SimKind } from "./kind.ts";
import { isOurRule, otherRules, watchForeignRules } from "./ruleset.ts";

const MIGRATION = "waf_migration";
/** URI-based overrides, which a step of the migration deletes first. */
const OVERRIDES = "/firewall/waf/overrides";

/** The service's word for each target of a zone's migration. */
const REACHED = { validation: "validation", new: "complete" } as const;

/** What somebody else does to a zone that is to be migrated. */
export type MigrationAct =
  /** The dashboard deploys the new managed rules. */
  | { readonly act: "waf-deploy" }
  /** Somebody makes a URI-based override, which prevents the zone's migration. */
  | { readonly act: "waf-override" };

export const wafMigration: SimKind = {
  declared: ({ migration }, { zone }) => (migration ? { waf_migration: migrationEntry(migration, zone.id) } : {}),
  wished: (dice, { waf, isFirst }) => {
    if (dice.chance(0.1)) return { edit: "migration", as: null };
    // Only an Enterprise zone can have both versions at once.
    const isHalfway = waf === "enterprise" && dice.chance(isFirst ? 0.7 : 0.3);
    const target = isHalfway ? "validation" : "new";
    return { edit: "migration", as: { target, isConfirmed: dice.chance(0.7), dropsOverrides: dice.chance(0.6) } };
  },
  // What others do to a migration is part of their stories only: it never goes back.
  ambushed: () => [],
  editedMeanwhile: () => undefined,
  drifting: () => [],
  written: (request) => {
    const isStep = new URL(request.url).searchParams.has(MIGRATION);
    return isStep || isOverride(request) ? { key: "", verb: "change" } : undefined;
  },
  idAt: (path) => (path.includes(OVERRIDES) ? "" : undefined),
  // A step rewrites the entry point.
  overwritten: (_write, request) => (isOverride(request) ? MIGRATION : "ruleset"),
  shown: (_service, { url }, isFresh) =>
    isFresh && pathInZone(url).endsWith("/waf_migration/check") ? [MIGRATION] : [],
  content: (service) => {
    const { overrides } = service.zone().waf;
    return Object.fromEntries(overrides.map((override) => [override.id, JSON.stringify(override.urls)]));
  },
  differences: ({ service }, { migration }, { refused }) => {
    if (!migration || refused.has(MIGRATION)) return [];
    const live = trueMigration(service);
    const step = live.isFinishing && migration.target === "new" ? REACHED.new : live.state;
    return step === REACHED[migration.target] ? [] : [`the migration stands at ${step}, wished ${migration.target}`];
  },
  drifted: () => [],
  // The last step counts as done once it was requested: the service completes it by itself.
  untrue: (service, { action, desired, with: companion }) => {
    if (action !== "update") return [];
    const { state, isFinishing } = trueMigration(service);
    const isDone = desired?.["target"] === "new" ? isFinishing || state === "complete" : state !== "start";
    return [
      ...(isDone ? [] : [`the zone is at ${state}`]),
      ...(companion?.desired ? otherRules(service, companion.desired) : []),
    ];
  },
  judgeWrite: judgeStep,
  watch: watchForeignRules,
  owned: ({ request }) => (isOverride(request) ? (id) => request.url.includes(id) : isOurRule),
  changedSincePlan: () => [],
};

function migrationEntry({ target, isConfirmed, dropsOverrides }: WishedMigration, zone: string): JsonObject {
  return {
    target,
    delete_uri_overrides: dropsOverrides,
    ...(isConfirmed ? { confirm_irreversible: zone } : {}),
  };
}

/** Lets somebody deploy the new managed rules or make an override; `number` makes each override another one. */
export function editWaf(service: SimService, { act }: MigrationAct, number: number): void {
  if (act === "waf-deploy") service.admin.waf.deploy(service.id);
  else
    byDashboard(service, "POST", OVERRIDES, {
      urls: [`saas.net/${number}`],
      rules: { "100015": "disable" },
      groups: {},
      priority: 1,
    });
}

function isOverride({ url }: HttpRequest): boolean {
  return url.includes(OVERRIDES);
}

/** The state of the zone's migration to the new managed rules, as the service keeps it. */
interface TrueMigration {
  readonly state: string;
  /** The last step was requested; the previous rules turn off by themselves. */
  readonly isFinishing: boolean;
  readonly overrides: number;
}

function trueMigration(service: SimService): TrueMigration {
  const { migration, overrides } = service.zone().waf;
  return { state: migration.state, isFinishing: migration.dueAt !== null, overrides: overrides.length };
}

/**
 * The last step is irreversible: somebody has to have confirmed it, the zone has to be eligible as far as anybody could
 * know, and it is requested once (invariant 8).
 */
function judgeStep(
  { service, ledger, party, wish: { migration } }: Judged,
  _write: unknown,
  request: HttpRequest,
): void {
  const wrong = (what: string): void => ledger.blame("I8", what);
  const mode = new URL(request.url).searchParams.get(MIGRATION);
  if (mode === null) {
    if (migration?.dropsOverrides !== true) wrong("deletes an override, and nobody asked for that");
    return;
  }
  const live = trueMigration(service);
  const planned = plannedChange(party.plan, { kind: MIGRATION, key: "" });
  const isLast = mode === "pending";
  if (isLast !== (planned?.desired?.["target"] === "new")) wrong(`asks for ${mode}, which is not what was planned`);
  if (live.overrides > 0 && isKnownSince(ledger, party)) wrong(`asks for ${mode}, and was told that the zone may not`);
  if (!isLast) return;
  if (migration?.target !== "new" || !migration.isConfirmed) wrong("makes the last step, which nobody confirmed");
  if (planned?.hazards.includes("irreversible") !== true) wrong("makes the last step, and the plan did not warn of it");
  if ((live.isFinishing || live.state === "complete") && !isExcused(ledger, party))
    wrong("asks for the last step, which was asked for already");
}

/**
 * The dashboard deployed after the last read of the entry point. Or somebody restored a state from before the request:
 * the service does not show a request that has not taken effect.
 */
function isExcused({ touched }: Ledger, { rulesRereadAt, before }: Party): boolean {
  const isForgotten = touched.has("state-older") && before?.objects.get(MIGRATION)?.asked === undefined;
  return isForgotten || (touched.get("waf-deploy") ?? -Infinity) >= rulesRereadAt;
}

/** The override existed when the process last asked whether the zone may be migrated. */
function isKnownSince({ touched }: Ledger, { shown, sawStale }: Party): boolean {
  return !sawStale && (touched.get("waf-override") ?? -Infinity) < (shown.get(MIGRATION) ?? -Infinity);
}
