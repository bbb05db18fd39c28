import type { HttpRequest } from "../../lib/service/http.ts";
import { zoneId } from "../../lib/core/brand.ts";
import type { KindName } from "../../lib/kinds/kind.ts";
import type { Dice } from "./dice.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { SIM_KINDS } from "./kinds.ts";
import type { Rival, Scenario } from "./scenario.ts";
import type { Wish } from "./wish.ts";
import { writeOf } from "./writes.ts";

/** Another project of the same database. */
const RIVAL = "rival";
/** What it claims. */
const CLAIMED = ["custom_hostname", "fallback_origin", "total_tls"] as const satisfies readonly KindName[];

/**
 * Adds to some scenarios another project, which wants to manage something of a zone as well: before a run, or while it
 * is under way. It uses dice of its own, so that everything else in a seed stays as it would be without.
 */
export function rivalled(dice: Dice, scenario: Scenario): Scenario {
  const rate = dice.pick([0, 0.2, 0.6]);
  const sessions = scenario.sessions.map((session) => {
    if (!dice.chance(rate)) return session;
    const delayMilliseconds = dice.chance(0.5) ? 0 : dice.below(dice.pick([200, 2000, 60_000]));
    const isBeside = scenario.hasNeighbour === true && dice.chance(0.3);
    const rival: Rival = { kind: dice.pick(CLAIMED), delayMilliseconds, ...(isBeside ? { isBeside } : {}) };
    return { ...session, rival };
  });
  return { ...scenario, sessions };
}

/** The other project claims a kind of a zone, unless this one has it. Returns whether it got it. */
export async function claimAsRival({ shelf, service, ledger }: Stage, { kind }: Rival): Promise<boolean> {
  const conflicts = await shelf
    .claims?.()
    ?.take({ project: RIVAL, zone: zoneId(service.id), things: [{ kind }] }, async () => undefined);
  if (!conflicts || conflicts.length > 0) return false;
  ledger.claimedByOther = kind;
  return true;
}

/** The other project gives up what it claims. */
export async function releaseAsRival({ shelf, service, ledger }: Stage): Promise<void> {
  await shelf.claims?.()?.release(RIVAL, zoneId(service.id), async () => undefined);
  ledger.claimedByOther = undefined;
}

/** While another project claims something, nothing of it is written (invariant 21). */
export function judgeClaimed({ ledger }: Stage, request: HttpRequest): void {
  if (request.method === "GET" || ledger.claimedByOther === undefined) return;
  if (writeOf(ledger, request)?.kind === ledger.claimedByOther)
    ledger.blame("I21", `${request.method} ${request.url} writes what another project claims`);
}

/** A run whose YAML declares what another project claimed before is refused as a whole, before it writes anything. */
export function judgeRefused({ ledger }: Stage, { how, plan }: RunEnd, { kind }: Rival, wish: Wish): void {
  if (SIM_KINDS[kind].isClaimed?.(wish) && how === "applied" && plan)
    ledger.blame("I21", `a run plans and applies ${kind}, which another project claims`);
}
