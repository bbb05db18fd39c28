import type { HttpRequest } from "../../lib/service/http.ts";
import { type Dice, diceOf } from "./dice.ts";
import { hostnameEdit, rulesEdit } from "./edits.ts";
import { objectRead } from "./looks.ts";
import type { OutsideAct, Run } from "./scenario.ts";
import { FALLBACKS, type SimService } from "./sim-service.ts";
import { trueHostname } from "./truth.ts";

/** The same throw as a run's own would be no throw at all. */
const APART = 0x5bd1e995;

/** Sees what an apply reads, and may have somebody edit it: at once, or in a wait that may follow. */
export function ambushOf(
  service: SimService,
  run: Pick<Run, "dice" | "ambush">,
  plan: (milliseconds: number, act: OutsideAct) => void,
): (request: HttpRequest) => void {
  const dice = diceOf(run.dice ^ APART);
  return (request) => {
    const object = request.method === "GET" ? objectRead(request) : undefined;
    if (object === undefined || !dice.chance(run.ambush ?? 0)) return;
    const act = editOf(dice, service, object);
    if (act) plan(dice.pick([1, 40, 900, 5000, 40_000]), act);
  };
}

function editOf(dice: Dice, service: SimService, object: string): OutsideAct | undefined {
  const [kind, id = ""] = object.split(" ");
  if (kind === "ruleset") return rulesEdit(dice);
  if (kind === "fallback_origin") return { act: "fallback", origin: dice.pick(FALLBACKS) };
  if (kind === "total_tls") return { act: "total-tls", enabled: dice.chance(0.5) };
  const name = kind === "custom_hostname" ? trueHostname(service, id)?.name : undefined;
  return name === undefined ? undefined : hostnameEdit(dice, name);
}
