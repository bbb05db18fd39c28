import type { Dice } from "./dice.ts";
import { SIM_KINDS } from "./kinds.ts";
import type { Habits as WishHabits } from "./kinds/kind.ts";
import { holdEdit } from "./kinds/zone-hold.ts";
import { anySettingEdit } from "./kinds/zone-setting.ts";
import type { Run, Scenario, Session } from "./scenario.ts";
import type { Edit } from "./wish.ts";

/** How a seed's people treat the settings of their zones. */
interface Habits {
  readonly names: readonly [string, ...string[]];
  readonly waf: Scenario["waf"];
  readonly hasNeighbour: boolean;
  readonly editRate: number;
  readonly outsideRate: number;
}

/** Adds a hold and settings of the zones to some scenarios, with dice of its own: all other seeds stay as they were. */
export function holding(dice: Dice, scenario: Scenario, names: Habits["names"]): Scenario {
  if (!dice.chance(0.2)) return scenario;
  const habits: Habits = {
    names,
    waf: scenario.waf,
    hasNeighbour: scenario.hasNeighbour === true,
    editRate: dice.pick([0.3, 0.6]),
    outsideRate: dice.pick([0, 0.2, 0.5]),
  };
  const sessions = scenario.sessions.map((session, index) => ({
    ...session,
    ...additions(dice, habits, session, index === 0),
  }));
  return { ...scenario, sessions };
}

function additions(
  dice: Dice,
  habits: Habits,
  { edits, editsBeside = [], run }: Session,
  isFirst: boolean,
): Partial<Session> {
  const { names, waf, hasNeighbour, editRate, outsideRate } = habits;
  const here = isFirst || dice.chance(editRate) ? [editOf(dice, { names, waf, isFirst })] : [];
  const beside = hasNeighbour && dice.chance(editRate) ? [editOf(dice, { names, waf: undefined, isFirst })] : [];
  const acts = dice.chance(outsideRate) ? [actOf(dice, habits)] : [];
  return {
    edits: [...edits, ...here],
    ...(beside.length > 0 ? { editsBeside: [...editsBeside, ...beside] } : {}),
    ...(acts.length > 0 ? { run: { ...run, outside: [...run.outside, ...acts] } } : {}),
  };
}

function editOf(dice: Dice, habits: WishHabits): Edit {
  const isGone = dice.chance(0.15);
  const kind = canHold(habits.waf) && dice.chance(0.5) ? "zone_hold" : "zone_setting";
  return SIM_KINDS[kind].wished(dice, { ...habits, isGone });
}

function actOf(dice: Dice, { hasNeighbour, waf }: Habits): Run["outside"][number] {
  const isBeside = hasNeighbour && dice.chance(0.3);
  const act = (canHold(waf) || isBeside) && dice.chance(0.5) ? holdEdit(dice) : anySettingEdit(dice);
  return { request: dice.below(24), act, ...(isBeside ? { isBeside: true as const } : {}) };
}

/** Only an Enterprise zone can be held. */
function canHold(waf: Scenario["waf"]): boolean {
  return waf !== "business";
}
