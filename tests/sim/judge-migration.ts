import type { HttpRequest } from "../../lib/service/http.ts";
import type { Ledger, Party } from "./ledger.ts";
import { plannedChange } from "./ledger.ts";
import type { SimService } from "./sim-service.ts";
import { trueMigration } from "./truth.ts";
import type { Wish } from "./wish.ts";
import { MIGRATION } from "./writes.ts";

/** What a step of the migration is judged by: the service's own truth, and the present YAML. */
interface Facts {
  readonly service: SimService;
  readonly ledger: Ledger;
  readonly wish: Wish;
}

/**
 * Checks a request of the migration before it is carried out. The last step is irreversible: somebody has to have
 * confirmed it, the zone has to be eligible as far as anybody could know, and it is requested once (invariant 8).
 */
export function judgeMigration({ service, ledger, wish }: Facts, party: Party, request: HttpRequest): void {
  const wrong = (what: string): void => ledger.blame("I8", what);
  const { migration } = wish;
  const mode = new URL(request.url).searchParams.get("waf_migration");
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

/** The dashboard deployed after the last read of the entry point. */
function isExcused({ touched }: Ledger, { rulesRereadAt }: Party): boolean {
  return (touched.get("waf-deploy") ?? -Infinity) >= rulesRereadAt;
}

/** The override existed when the process last asked whether the zone may be migrated. */
function isKnownSince({ touched }: Ledger, { shown, sawStale }: Party): boolean {
  return !sawStale && (touched.get("waf-override") ?? -Infinity) < (shown.get(MIGRATION) ?? -Infinity);
}
