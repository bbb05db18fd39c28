import type { Dice } from "./dice.ts";
import { hostnameEdit } from "./kinds/custom-hostname.ts";
import { rulesEdit } from "./kinds/ruleset.ts";
import { type FaultKind, type FaultRates, LATER_KINDS } from "./faults.ts";
import type { Pause, Run, Scenario } from "./scenario.ts";

const SHARES = ["1%", "2%", "5%"] as const;
const FIRST_REQUESTS = 60;

/** What all runs of a seed share. */
interface Weather {
  readonly rates: FaultRates;
  readonly ambush: number;
  readonly pauseRate: number;
  readonly editRate: number;
}

/**
 * Adds to a scenario what the simulation learned later, with dice of its own, so that everything else in a seed stays
 * as it was: untrue and unreadable answers, refused writes, edits of undeclared fields, small budgets, and stopped
 * processes.
 */
export function weathered(dice: Dice, scenario: Scenario, names: readonly [string, ...string[]]): Scenario {
  if (dice.chance(0.3)) return scenario;
  const weather: Weather = {
    rates: ratesOf(dice),
    ambush: dice.pick([0, 0, 0.1, 0.3, 0.6]),
    pauseRate: dice.pick([0, 0, 0, 0, 0.4]),
    editRate: dice.pick([0, 0, 0.5]),
  };
  // A step of the migration takes more calls at once than a very small share has.
  const share = dice.chance(0.15) ? { apiShare: scenario.waf ? "5%" : dice.pick(SHARES) } : {};
  const within = <R extends Run>(run: R): R => ({ ...run, ...additions(dice, weather, run, names) });
  const sessions = scenario.sessions.map((session) => ({
    ...session,
    run: within(session.run),
    ...(session.second ? { second: within(session.second) } : {}),
  }));
  return { ...scenario, ...share, sessions };
}

function ratesOf(dice: Dice): FaultRates {
  const rates: { [kind in FaultKind]?: number } = {};
  if (dice.chance(0.3)) rates["throttle-write"] = dice.pick([0.1, 0.3]);
  if (dice.chance(0.25)) return { ...rates, [dice.pick(LATER_KINDS)]: 0.4 };
  const share = dice.pick([0, 0.1, 0.3]);
  for (const kind of LATER_KINDS) if (dice.chance(share)) rates[kind] = dice.pick([0.02, 0.05, 0.15]);
  return rates;
}

function additions(dice: Dice, weather: Weather, run: Run, names: readonly [string, ...string[]]): Partial<Run> {
  const edits = dice.chance(weather.editRate)
    ? Array.from({ length: 1 + dice.below(3) }, () => ({
        request: dice.below(dice.pick([2, 14, FIRST_REQUESTS])),
        act: dice.chance(0.7) ? hostnameEdit(dice, dice.pick(names)) : rulesEdit(dice),
        afterMilliseconds: dice.pick([0, 40, 1500, 10_000]),
      }))
    : [];
  return {
    rates: { ...run.rates, ...weather.rates },
    outside: [...run.outside, ...edits],
    ...(weather.ambush > 0 ? { ambush: weather.ambush } : {}),
    ...(dice.chance(weather.pauseRate) ? { pause: pauseOf(dice) } : {}),
  };
}

function pauseOf(dice: Dice): Pause {
  const at = 1 + dice.below(50);
  if (dice.chance(0.4)) return { at, milliseconds: dice.pick([120_000, 3_600_000]), isReplaced: true };
  return { at, milliseconds: dice.pick([1500, 30_000, 600_000]) };
}
