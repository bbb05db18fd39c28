import type { ZoneId } from "../core/brand.ts";
import { Refusal } from "../core/diagnostic.ts";
import type { FailedZone } from "../plan/change.ts";
import type { DriftCoverage, DriftJudgement } from "../plan/drift.ts";
import type { PlanInput, Selection } from "../plan/inputs.ts";
import { serviceNow } from "../plan/seen.ts";
import { type DriftCheck, encodeCheck, type FailedCheck } from "../state/observations.ts";
import { loadState } from "../state/load.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import { keepLines } from "./observe.ts";
import type { ProjectWorld } from "./world.ts";

/** A zone that was checked for drift. */
interface CheckedZone {
  readonly input: PlanInput;
  readonly judgement: DriftJudgement;
  readonly coverage: DriftCoverage;
}

/** The result of a drift check. */
interface Looked {
  readonly zones: readonly CheckedZone[];
  readonly failed: readonly FailedZone[];
  /** When it ended (ms since the epoch): by the service's clock if it responded, else by the local one. */
  readonly ended: number;
}

/** Whether the whole zone was checked: a check of a part says nothing about the zone. */
export function isWhole(selection: Selection | undefined): boolean {
  return (selection?.target.length ?? 0) + (selection?.exclude.length ?? 0) === 0;
}

/**
 * Records for each zone that it was checked for drift now; needs no lock. A failure to record is reported and does not
 * stop the run. A zone without a state has no place for the record.
 */
export async function recordChecks({ store, note }: ProjectWorld, { zones, failed, ended }: Looked): Promise<void> {
  const keep = async (zone: ZoneId, check: DriftCheck | FailedCheck): Promise<void> => {
    for (const found of await keepLines(store, zone, [encodeCheck(check)])) note?.(found);
  };
  // If the states cannot be reached, each further line would wait for them again.
  if (failed.some(({ diagnostics }) => diagnostics.some(({ code }) => code === "state-unreachable"))) return;
  for (const zone of zones) {
    const check = checkOf(zone);
    if (check) await keep(zone.input.desired.id, check);
  }
  for (const { zone, diagnostics } of failed) {
    const at = new Date(ended).toISOString();
    const errors = diagnostics.map(({ code }) => code);
    if (await isReadable(store, zone.id)) await keep(zone.id, { at, errors });
  }
}

function checkOf({ input, judgement, coverage }: CheckedZone): DriftCheck | undefined {
  const { state } = input;
  return (
    state && {
      at: serviceNow(input),
      lineage: state.lineage,
      serial: state.serial,
      counts: {
        ...coverage,
        beingChanged: judgement.underWay.length,
        notJudged: judgement.unjudged.length,
        drifted: judgement.drifted.filter(({ what }) => what !== "vanished").length,
        vanished: judgement.drifted.filter(({ what }) => what === "vanished").length,
        foreign: judgement.foreign.length,
        unread: judgement.unread.length,
      },
    }
  );
}

/** Nothing is added to a state that cannot be read: for other runs, a line under another passphrase would be damage. */
async function isReadable(store: ProjectStore, zone: ZoneId): Promise<boolean> {
  try {
    return (await loadState(store, zone)) !== undefined;
  } catch (thrown) {
    if (thrown instanceof Refusal) return false;
    throw thrown;
  }
}
