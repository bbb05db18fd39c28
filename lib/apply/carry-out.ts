import type { ZonePlan } from "../plan/change.ts";
import { observedState } from "../state/observations.ts";
import type { Journal } from "../state/open-journal.ts";
import type { State } from "../state/state.ts";
import { type Attempt, openAttempts } from "./attempt.ts";
import { judgeFailure } from "./failure.ts";
import { foreseenIntents } from "./foreseen.ts";
import { indexKnown } from "./known.ts";
import { serviceMoment } from "./moment.ts";
import type { Ended, Performed } from "./outcome.ts";
import { perform } from "./perform.ts";
import { type ApplyRun, whyStopped } from "./run.ts";
import { walk } from "./walk.ts";

/** Applies the changes of a zone in their order, several at once. A failed change never throws. */
export async function carryOut(
  run: ApplyRun,
  { zone, changes }: ZonePlan,
  { state, isStale }: { readonly state: State; readonly isStale: boolean },
  journal: Journal,
): Promise<readonly Ended[]> {
  const { world, client, options } = run;
  const observed = await observedState(world.store, state, serviceMoment(client, world.clock));
  const openAttempt = openAttempts(run, zone.id, state, indexKnown(state, observed, isStale), journal);
  journal.foresee(foreseenIntents(changes, openAttempt));
  const ended = await walk(changes, options.parallelism, {
    isStopped: () => whyStopped(run),
    started: ({ address, action }) => options.report({ type: "start", address, action }),
    ended: (ended) => options.report({ type: "end", ended }),
    perform: (change) => performOrFail(openAttempt(change)),
  });
  journal.withdraw();
  return ended;
}

async function performOrFail(attempt: Attempt): Promise<Performed> {
  try {
    return await perform(attempt);
  } catch (thrown) {
    return judgeFailure(attempt, thrown);
  }
}
