import type { DesiredZone } from "../config/desired.ts";
import { type Diagnostic, error, Refusal } from "../core/diagnostic.ts";
import type { RunHeader } from "../state/run-record.ts";
import { type UnfinishedRun, unfinishedRuns } from "../state/runs.ts";
import type { StateStore } from "../state/store.ts";

/** A run that a zone's journal still holds. */
export interface StoppedRun extends UnfinishedRun {
  readonly zone: DesiredZone;
}

/**
 * The unfinished runs of the zones; `kept` are the records of the finished ones. Throws `StateError` for a damaged
 * journal.
 */
export async function stoppedRuns(
  store: StateStore,
  zones: readonly DesiredZone[],
  kept: readonly { readonly zone: DesiredZone; readonly header: RunHeader }[],
): Promise<readonly StoppedRun[]> {
  const found: StoppedRun[] = [];
  for (const zone of zones) {
    const headers = kept.flatMap((each) => (each.zone.id === zone.id ? [each.header] : []));
    found.push(...(await unfinishedRuns(store, zone.id, headers)).map((run) => ({ ...run, zone })));
  }
  return found;
}

/** Why nothing is undone until these runs are finished: what they did is not recorded yet. */
export function notFinished(stopped: readonly StoppedRun[]): Refusal {
  return new Refusal(stopped.map(unfinished));
}

function unfinished({ run, operation, zone }: StoppedRun): Diagnostic {
  return error({
    code: "run-not-finished",
    message: `run ${run} is unfinished in ${zone.name}: it was stopped, or is still running, so its record is not complete`,
    remedy: `finish it with ${finishing(operation)}; then zoneform undo last undoes the newest run that is no undo, and zoneform undo ${run} this one`,
  });
}

/** The command that finishes the run. */
function finishing(operation: string | undefined): string {
  if (operation === "undo") return "zoneform undo, with the id of the run it was undoing,";
  return operation === "destroy" ? "zoneform destroy" : "zoneform apply";
}
