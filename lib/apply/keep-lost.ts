import { Refusal } from "../core/diagnostic.ts";
import { streamed } from "../core/streams.ts";
import type { ZonePlan } from "../plan/change.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { encodeLost } from "../state/lost-results.ts";
import type { Journal } from "../state/open-journal.ts";
import type { State } from "../state/state.ts";
import type { Lost } from "./outcome.ts";
import type { ApplyRun } from "./run.ts";

/**
 * Keeps the results that could not be stored in a file of this machine, for `zoneform state merge`: encrypted where the
 * state is. Returns undefined if everything is stored.
 */
export async function keepLost(
  { id, world: { lost, project, store } }: ApplyRun,
  { zone }: ZonePlan,
  { lineage, serial }: State,
  journal: Journal,
): Promise<Lost | undefined> {
  const records = journal.unstored();
  if (records.length === 0) return undefined;
  const lines = streamed(encodeLost({ project, zone, lineage, baseSerial: serial, run: id, records }));
  try {
    const sealed = store.outside?.seal(zone.id, lines) ?? lines;
    return { results: records.length, kept: { file: await lost.keep(`${zone.id}-${id}.results`, sealed) } };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { results: records.length, kept: { failure: explainFailure(thrown) } };
  }
}
