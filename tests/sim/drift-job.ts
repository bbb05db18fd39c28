import type { Dice } from "./dice.ts";
import { holdEdit, hostnameEdit, RULES, rulesEdit, SETTING_VALUES, settingEdit } from "./edits.ts";
import type { OutsideAct, Scenario } from "./scenario.ts";
import { FALLBACKS } from "./sim-service.ts";

/**
 * Adds to some scenarios a job that looks for drift between two sessions, after somebody's edits; with dice of its own,
 * so that all other seeds stay as they were.
 */
export function watched(dice: Dice, scenario: Scenario, names: readonly [string, ...string[]]): Scenario {
  if (!dice.chance(0.3)) return scenario;
  const rate = dice.pick([0.3, 1]);
  const sessions = scenario.sessions.map((session, index) =>
    index > 0 && dice.chance(rate) ? { ...session, drift: { dice: dice.next(), acts: actsOf(dice, names) } } : session,
  );
  return { ...scenario, sessions };
}

function actsOf(dice: Dice, names: readonly [string, ...string[]]): readonly OutsideAct[] {
  return Array.from({ length: dice.below(4) }, (): OutsideAct => {
    const name = dice.pick(names);
    const rule = dice.pick(RULES);
    return dice.pick<OutsideAct>([
      hostnameEdit(dice, name),
      { act: "edit", name, tier: `by-hand-${dice.below(3)}` },
      { act: "delete", name },
      rulesEdit(dice),
      { act: "edit-rule", name: rule },
      { act: "drop-rule", name: rule },
      { act: "put-in-front", name: dice.pick(["x", "y", "z"]) },
      { act: "total-tls", enabled: dice.chance(0.5) },
      { act: "fallback", origin: dice.pick(FALLBACKS) },
      settingEdit(dice, dice.pick(SETTINGS)),
      holdEdit(dice),
    ]);
  });
}

const [FIRST = "min_tls_version", ...OTHERS] = [...SETTING_VALUES.keys()];
const SETTINGS: readonly [string, ...string[]] = [FIRST, ...OTHERS];
