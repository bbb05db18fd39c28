import type { Change, Plan } from "../../lib/plan/change.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import { type Dice, diceOf } from "./dice.ts";
import { holdEdit, hostnameEdit, rulesEdit, settingEdit } from "./edits.ts";
import { objectRead } from "./looks.ts";
import type { OutsideAct, Run } from "./scenario.ts";
import { FALLBACKS, type SimService } from "./sim-service.ts";
import { trueHostname } from "./truth.ts";
import { OWN_PREFIX } from "./wish.ts";

/** Ambushes must not throw the same dice as their run. */
const APART = 0x5bd1e995;
/** A name that no YAML ever writes to. */
const ELSEWHERE = "elsewhere.saas.net";

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
      plan.zones.flatMap(({ changes }) => changes.flatMap((each) => (dice.chance(rate) ? ownedEdits(dice, each) : []))),
    read: (request) => {
      const object = request.method === "GET" ? objectRead(request) : undefined;
      if (object === undefined || !dice.chance(rate)) return;
      const act = editOf(dice, service, object);
      if (act) edit(dice.pick([1, 40, 900, 5000, 40_000]), act);
    },
  };
}

/** Mostly edits of exactly the fields that a change writes. */
function ownedEdits(dice: Dice, { kind, key, rules }: Change): readonly OutsideAct[] {
  if (kind === "fallback_origin") return [{ act: "fallback", origin: ELSEWHERE }];
  if (kind === "total_tls") return [{ act: "total-tls", enabled: dice.chance(0.5), authority: "lets_encrypt" }];
  if (kind === "zone_hold") return [holdEdit(dice)];
  if (kind === "zone_setting") return [settingEdit(dice, key)];
  if (kind === "ruleset") {
    const [rule] = rules.filter(({ action }) => action === "edit" || action === "remove");
    const name = rule?.ref.slice(OWN_PREFIX.length);
    return [name === undefined || dice.chance(0.3) ? rulesEdit(dice) : { act: "edit-rule", name }];
  }
  if (kind !== "custom_hostname") return [];
  const throwOf = dice.fraction();
  if (throwOf < 0.35) return [{ act: "edit", name: key, tier: "lead" }];
  if (throwOf < 0.6) return [{ act: "edit-ssl", name: key, setting: "min_tls_version", value: "1.1" }];
  return [hostnameEdit(dice, key)];
}

function editOf(dice: Dice, service: SimService, object: string): OutsideAct | undefined {
  const [kind, id = ""] = object.split(" ");
  if (kind === "ruleset") return rulesEdit(dice);
  if (kind === "fallback_origin") return { act: "fallback", origin: dice.pick(FALLBACKS) };
  if (kind === "total_tls") return { act: "total-tls", enabled: dice.chance(0.5) };
  if (kind === "zone_hold") return holdEdit(dice);
  if (kind === "zone_setting") return settingEdit(dice, id);
  const name = kind === "custom_hostname" ? trueHostname(service, id)?.name : undefined;
  return name === undefined ? undefined : hostnameEdit(dice, name);
}
