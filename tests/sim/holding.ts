import type { Dice } from "./dice.ts";
import { holdEdit, SETTING_VALUES, settingEdit } from "./edits.ts";
import type { OutsideAct, Run, Scenario, Session } from "./scenario.ts";
import type { Edit } from "./wish.ts";

/** Settings that the wish may have. */
const NAMES = ["min_tls_version", "always_use_https", "ssl"] as const;

/** How a seed's people treat the settings of their zones. */
interface Habits {
  /** Only an Enterprise zone can be held. */
  readonly canHold: boolean;
  readonly hasNeighbour: boolean;
  readonly editRate: number;
  readonly outsideRate: number;
}

/** Adds a hold and settings of the zones to some scenarios, with dice of its own: all other seeds stay as they were. */
export function holding(dice: Dice, scenario: Scenario): Scenario {
  if (!dice.chance(0.2)) return scenario;
  const habits: Habits = {
    canHold: scenario.waf !== "business",
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
  const { hasNeighbour, canHold, editRate, outsideRate } = habits;
  const here = isFirst || dice.chance(editRate) ? [editOf(dice, canHold)] : [];
  const beside = hasNeighbour && dice.chance(editRate) ? [editOf(dice, true)] : [];
  const acts = dice.chance(outsideRate) ? [actOf(dice, habits)] : [];
  return {
    edits: [...edits, ...here],
    ...(beside.length > 0 ? { editsBeside: [...editsBeside, ...beside] } : {}),
    ...(acts.length > 0 ? { run: { ...run, outside: [...run.outside, ...acts] } } : {}),
  };
}

function editOf(dice: Dice, canHold: boolean): Edit {
  const isGone = dice.chance(0.15);
  if (canHold && dice.chance(0.5)) {
    const hold = dice.chance(0.7);
    return { edit: "hold", as: isGone ? null : { hold, subdomains: hold && dice.chance(0.5) } };
  }
  const name = dice.pick(NAMES);
  return { edit: "setting", name, as: isGone ? null : dice.pick(SETTING_VALUES.get(name) ?? ["on"]) };
}

function actOf(dice: Dice, { hasNeighbour, canHold }: Habits): Run["outside"][number] {
  const isBeside = hasNeighbour && dice.chance(0.3);
  const act: OutsideAct =
    (canHold || isBeside) && dice.chance(0.5) ? holdEdit(dice) : settingEdit(dice, dice.pick(NAMES));
  return { request: dice.below(24), act, ...(isBeside ? { isBeside: true as const } : {}) };
}
