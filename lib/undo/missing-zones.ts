import type { DesiredZone } from "../config/desired.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { KEPT_RUNS, readRuns } from "../state/runs.ts";
import type { StateStore } from "../state/store.ts";
import { impossible } from "./findings.ts";
import type { UndoableRun } from "./run.ts";

const PUSHED_OUT = `the run may have changed it too, but its record is gone (only the last ${KEPT_RUNS} runs of a zone are kept)`;
const NOT_OURS = "the run may have changed it too, but the zone is no longer in the project";

/**
 * The zones of a run that its undo leaves alone, because no record is kept there. Excludes zones that were not asked
 * for, and zones that never lost a record: there the run never wrote.
 */
export async function missingZones(
  store: StateStore,
  zones: { readonly all: readonly DesiredZone[]; readonly asked: readonly DesiredZone[] },
  parts: readonly UndoableRun[],
): Promise<readonly Diagnostic[]> {
  const planned = new Set<string>(parts.map(({ zone }) => zone.id));
  const absent = new Set(parts.flatMap(({ header }) => header.zones ?? []).filter((id) => !planned.has(id)));
  const found: { readonly address: string; readonly because: string }[] = [];
  for (const id of absent) {
    const zone = zones.all.find((each) => each.id === id);
    if (!zone) found.push({ address: `zone ${id}`, because: NOT_OURS });
    else if (zones.asked.includes(zone) && (await mayHaveLost(store, zone)))
      found.push({ address: `zone ${zone.name}`, because: PUSHED_OUT });
  }
  return impossible(found);
}

/** Whether newer records may have replaced one of this zone, or one cannot be read. */
async function mayHaveLost(store: StateStore, { id }: DesiredZone): Promise<boolean> {
  const { headers, faults } = await readRuns(store, id);
  return headers.length >= KEPT_RUNS || faults.length > 0;
}
