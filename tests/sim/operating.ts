import type { Dice } from "./dice.ts";
import type { Ending } from "./machine.ts";
import type { Run, Scenario, Session, StateCommand } from "./scenario.ts";
import type { Edit } from "./wish.ts";

/** How many hostnames the service shows on a page when it shows few. */
const FEW = [2, 3] as const;
const MOST_POINTS = 60;

/** What a seed's people do besides editing and applying. */
interface Habits {
  readonly undoRate: number;
  readonly forgetRate: number;
  readonly truncationRate: number;
  readonly commandRate: number;
  readonly importRate: number;
}

/**
 * Adds to a scenario what people do besides editing and applying, with dice of its own, so that everything else in a
 * seed stays as it was: undoing the last run, state commands, imports, releases, hostnames in a CSV file, truncations
 * of that file, and lists of many pages.
 */
export function operated(dice: Dice, scenario: Scenario, names: readonly [string, ...string[]]): Scenario {
  const pages = dice.chance(0.2) ? { pageSize: dice.pick(FEW) } : {};
  const hasCsv = dice.chance(0.25);
  const habits: Habits = {
    undoRate: dice.pick([0, 0, 0, 0.4]),
    forgetRate: dice.pick([0, 0, 0, 0.3]),
    truncationRate: hasCsv ? 0.4 : 0,
    commandRate: dice.pick([0, 0, 0, 0.4]),
    importRate: dice.pick([0, 0, 0, 0.4]),
  };
  const sessions = scenario.sessions.map((session) => ({ ...session, ...additions(dice, habits, session, names) }));
  return { ...scenario, ...pages, ...(hasCsv ? { hasCsv: true as const } : {}), sessions };
}

function additions(
  dice: Dice,
  { undoRate, forgetRate, truncationRate, commandRate, importRate }: Habits,
  { edits, run }: Session,
  names: readonly [string, ...string[]],
): Partial<Session> {
  const forgotten: readonly Edit[] = dice.chance(forgetRate) ? [{ edit: "forget", name: dice.pick(names) }] : [];
  return {
    edits: [...edits, ...forgotten],
    ...(dice.chance(truncationRate) ? { truncation: { share: dice.fraction(), dice: dice.next() } } : {}),
    ...(dice.chance(undoRate) ? { undo: besides(dice, run) } : {}),
    ...(dice.chance(commandRate) ? { commands: commandsOf(dice) } : {}),
    ...(dice.chance(importRate) ? { imported: { ...besides(dice, run), imports: dice.pick(names) } } : {}),
  };
}

function commandsOf(dice: Dice): readonly StateCommand[] {
  return Array.from({ length: 1 + dice.below(2) }, () => ({
    command: dice.pick(["rm", "rm", "pull", "push", "push-older", "repair"] as const),
    dice: dice.next(),
    ...(dice.chance(0.3) ? { ending: { at: 1 + dice.below(20), moment: dice.pick(["before", "half", "after"]) } } : {}),
  }));
}

/** With the fault rates of the run before it, and with an end of its own. */
function besides(dice: Dice, { parallelism, rates, ending, ambush }: Run): Run {
  const isEnded = ending !== undefined && dice.chance(0.5);
  return {
    dice: dice.next(),
    parallelism,
    rates,
    outside: [],
    ...(isEnded ? { ending: endingLike(dice, ending) } : {}),
    ...(ambush === undefined ? {} : { ambush }),
  };
}

function endingLike(dice: Dice, ending: Ending): Ending {
  return { ...ending, at: 1 + dice.below(MOST_POINTS) };
}
