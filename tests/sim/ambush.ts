import type { Plan } from "../../lib/plan/change.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import { diceOf } from "./dice.ts";
import { kindOfObject, objectAt, SIM_KINDS } from "./kinds.ts";
import type { OutsideAct } from "./outside.ts";
import type { Run } from "./scenario.ts";
import type { SimService } from "./sim-service.ts";

/** Ambushes must not throw the same dice as their run. */
const APART = 0x5bd1e995;

/** Somebody who waits for a run: random edits seldom hit a planned object just before it is written. */
export interface Ambush {
  /** What somebody does before the plan is applied. */
  planned(plan: Plan): readonly OutsideAct[];
  /** The apply reads something, which may be edited at once, or in a wait that may follow. */
  read(request: HttpRequest): void;
}

/** An ambush of a run. `edit` lets somebody act after this many milliseconds. */
export function ambushOf(
  service: SimService,
  run: Pick<Run, "dice" | "ambush">,
  edit: (milliseconds: number, act: OutsideAct) => void,
): Ambush {
  const dice = diceOf(run.dice ^ APART);
  const rate = run.ambush ?? 0;
  return {
    planned: (plan) =>
      plan.zones.flatMap(({ changes }) =>
        changes.flatMap((each) => (dice.chance(rate) ? SIM_KINDS[each.kind].ambushed(dice, each) : [])),
      ),
    read: (request) => {
      const object = request.method === "GET" ? objectAt(request) : undefined;
      if (object === undefined || !dice.chance(rate)) return;
      const { kind, id } = kindOfObject(object);
      const act = kind.editedMeanwhile(dice, service, id);
      if (act) edit(dice.pick([1, 40, 900, 5000, 40_000]), act);
    },
  };
}
