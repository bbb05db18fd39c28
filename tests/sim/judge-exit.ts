import { EXIT } from "../../lib/core/exit-code.ts";
import { applyExit, exitOf, planExit } from "../../lib/engine/exit.ts";
import type { Change } from "../../lib/plan/change.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { SIM_KINDS } from "./kinds.ts";
import { differencesFrom, leftIn, refusedIn } from "./liveness.ts";
import type { Wish } from "./wish.ts";

/**
 * An apply that ends with code 0 promises that live is as wished, except for what is held (invariant 12). Only for a
 * run without foreign acts that was shown live as it was. The state may still have an object that is gone: if the read
 * that should prove it failed, the next run drops it.
 */
export function judgeExit(stage: Stage, end: RunEnd, wish: Wish): void {
  const { plan, report, party, actsBefore } = end;
  if (!report || party.isUndo || party.sawStale || stage.ledger.outsideActs !== actsBefore) return;
  if (applyExit(report).code !== EXIT.done) return;
  const isWaiting = plan?.zones.some(({ changes }) => changes.some(waits));
  if (isWaiting === true || report.zones.some(({ ended }) => ended.some(isHeld))) return;
  const [difference] = differencesFrom(stage, wish, undefined, refusedIn(plan));
  if (difference !== undefined) stage.ledger.blame("I12", `an apply ends with code 0, and ${difference}`);
}

/** If nothing is left to do, the code of a detailed plan says so; if a guard blocks something, it says that. */
export function judgeIdleExit({ ledger }: Stage, { plan }: RunEnd): void {
  if (!plan) return;
  const { code } = exitOf(plan, (section) => planExit(section, true));
  const wanted = refusedIn(plan).size > 0 ? EXIT.refused : EXIT.done;
  if (leftIn(plan).length === 0 && code !== wanted) ledger.blame("I12", `an idle plan ends with code ${code}`);
}

/** An object that is replaced by creating first serves until its successor does, and is deleted by a later run. */
function waits({ kind, action, held }: Change): boolean {
  return action === "held" || held !== undefined || (action === "replace" && SIM_KINDS[kind].sharesKeys === true);
}

function isHeld({ outcome }: { readonly outcome: { readonly status: string } }): boolean {
  return outcome.status === "held";
}
