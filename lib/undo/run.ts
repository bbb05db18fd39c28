import { type Diagnostic, error, problem, Refusal, refusal } from "../core/diagnostic.ts";
import type { DesiredZone } from "../config/desired.ts";
import { readRuns, type UnfinishedRun, unfinishedRuns } from "../state/runs.ts";
import { isSealFault } from "../state/zone/sealing/faults.ts";
import type { RunHeader } from "../state/run-record.ts";
import type { ProjectStore } from "../state/zone/store.ts";

/** A run of a zone that can be undone. */
export interface UndoableRun {
  readonly zone: DesiredZone;
  readonly header: RunHeader;
}

/** A shorter prefix of a run id could match many. */
const SHORTEST_ID = 6;

/**
 * The recorded runs of the zones, newest first. Throws `StateError` for records that were encrypted with another
 * passphrase.
 */
export async function undoableRuns(
  store: ProjectStore,
  zones: readonly DesiredZone[],
): Promise<readonly UndoableRun[]> {
  const found: UndoableRun[] = [];
  for (const zone of zones) {
    const { headers, faults } = await readRuns(await store.view(zone.id));
    const sealed = faults.find(isSealFault);
    if (sealed) throw sealed;
    found.push(...headers.map((header) => ({ zone, header })));
  }
  // The sort keeps equal times in order: within a zone, the newest is already first.
  return found.sort((left, right) => Date.parse(right.header.began) - Date.parse(left.header.began));
}

/**
 * The parts of one run, one for each zone: by its id, a prefix of it, or `last`. `last` is the newest run that is no
 * undo, because an undo with held changes is run again and must not itself be undone. Throws `Refusal` if the name is
 * unknown or ambiguous, or the run is unfinished: it has no record yet, and `last` would be the run before it.
 */
export async function findRun(
  store: ProjectStore,
  zones: readonly DesiredZone[],
  name: string,
): Promise<readonly UndoableRun[]> {
  const runs = await undoableRuns(store, zones);
  const stopped = await stoppedRuns(store, zones, runs);
  if (name === "last" && stopped.length > 0) throw notFinished(stopped);
  const ids = [...new Set([...runs.map(({ header }) => header.run), ...stopped.map(({ run }) => run)])];
  const last = runs.find(({ header }) => header.operation !== "undo");
  const meant = name === "last" ? (last ? [last.header.run] : []) : ids.filter((id) => isMeant(id, name));
  if (meant.length !== 1) throw notFound(name, meant);
  const unfinished = stopped.filter(({ run }) => run === meant[0]);
  if (unfinished.length > 0) throw notFinished(unfinished);
  return runs.filter(({ header }) => header.run === meant[0]);
}

function isMeant(id: string, name: string): boolean {
  return id === name || (name.length >= SHORTEST_ID && id.startsWith(name));
}

function notFound(name: string, meant: readonly string[]): Refusal {
  const none = name === "last" ? "there are no runs yet" : `there is no run ${JSON.stringify(name)}`;
  const message = meant.length > 1 ? `${JSON.stringify(name)} matches several runs: ${meant.join(", ")}` : none;
  return refusal(problem("unknown-run", { message }));
}

/** A run that is still in a zone's journal. */
interface StoppedRun extends UnfinishedRun {
  readonly zone: DesiredZone;
}

/**
 * The unfinished runs of the zones; `kept` are the records of the finished ones. Throws `StateError` for a damaged
 * journal.
 */
async function stoppedRuns(
  store: ProjectStore,
  zones: readonly DesiredZone[],
  kept: readonly { readonly zone: DesiredZone; readonly header: RunHeader }[],
): Promise<readonly StoppedRun[]> {
  const found: StoppedRun[] = [];
  for (const zone of zones) {
    const headers = kept.flatMap((each) => (each.zone.id === zone.id ? [each.header] : []));
    found.push(...(await unfinishedRuns(await store.view(zone.id), headers)).map((run) => ({ ...run, zone })));
  }
  return found;
}

/** Why nothing is undone until these runs are finished: what they did is not recorded yet. */
function notFinished(stopped: readonly StoppedRun[]): Refusal {
  return new Refusal(stopped.map(unfinished));
}

function unfinished({ run, operation, zone }: StoppedRun): Diagnostic {
  return error(problem("run-not-finished", { run, zone: zone.name, command: finishing(operation) }));
}

/** The command that finishes the run. */
function finishing(operation: string | undefined): string {
  if (operation === "undo") return "zoneform undo, with the id of the run it was undoing,";
  return operation === "destroy" ? "zoneform destroy" : "zoneform apply";
}
