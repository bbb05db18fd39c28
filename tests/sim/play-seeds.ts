import { type Place, scenarioOf } from "./derive.ts";
import { play, type Verdict } from "./play.ts";
import type { Scenario } from "./scenario.ts";
import { addVerdict, emptyTally, type Tally } from "./tally.ts";

/** Which seeds one thread plays. */
export interface Share {
  readonly from: number;
  readonly to: number;
  readonly isTwice: boolean;
  readonly isLoud: boolean;
  readonly place: Place;
  /** Ends at the first violation. */
  readonly isHunt: boolean;
}

/** Plays seeds one after the other. */
export async function playSeeds({ from, to, isTwice, isLoud, place, isHunt }: Share): Promise<Tally> {
  const tally = emptyTally();
  for (let seed = from; seed < to; seed += 1) {
    const scenario = scenarioOf(seed, place);
    const verdict = await play(scenario, { isLoud });
    addVerdict(tally, seed, isTwice ? await comparedWithItself(scenario, verdict, isLoud) : verdict);
    if (isHunt && tally.bad.length > 0) break;
  }
  return tally;
}

/** Plays the same seed once more: everything has to happen again, in the same order. */
async function comparedWithItself(scenario: Scenario, first: Verdict, isLoud: boolean): Promise<Verdict> {
  const second = await play(scenario, { isLoud });
  if (second.hash === first.hash) return first;
  const what = `the trace was ${first.hash} and then ${second.hash}`;
  return { ...first, violations: [...first.violations, { invariant: "I11", what }] };
}
