import type { Dice } from "./dice.ts";
import { ALL_KINDS } from "./kinds.ts";
import { RULES } from "./kinds/ruleset.ts";
import type { OutsideAct } from "./outside.ts";
import type { Scenario } from "./scenario.ts";

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
    const drifting = { hostname: dice.pick(names), rule: dice.pick(RULES) };
    const [first, ...others] = ALL_KINDS.flatMap(([, kind]) => kind.drifting(dice, drifting));
    if (!first) throw new Error("somebody can edit something");
    return dice.pick([first, ...others]);
  });
}
