import type { ZoneReport } from "../../lib/apply/outcome.ts";
import type { State } from "../../lib/state/state.ts";
import { idsIn, stagesOf } from "./court.ts";
import type { RunEnd, Stage } from "./engine-run.ts";
import { judgeState } from "./judge-state.ts";
import type { Trouble } from "./scenario.ts";
import { ZONES } from "./zones.ts";

/**
 * Judges the state of each zone. A state that knows an object of another zone is a violation (invariant 18). Returns
 * the states, the main zone's first.
 */
export async function judgeStates(main: Stage): Promise<readonly (State | undefined)[]> {
  const found: (State | undefined)[] = [];
  for (const stage of stagesOf(main)) {
    const state = await judgeState(stage);
    const foreign = new Set(stagesOf(main).flatMap((other) => (other === stage ? [] : idsIn(other))));
    for (const { kind, key, id } of state?.objects.values() ?? [])
      if (foreign.has(id))
        stage.ledger.blame("I18", `the state of ${stage.service.name} has ${kind} ${key} (${id}) of the other zone`);
    found.push(state);
  }
  return found;
}

/** Trouble in one zone must not keep a run from its work in the other one (invariant 18). */
export function judgeTrouble({ ledger }: Stage, { side, trouble }: Trouble, { plan, report }: RunEnd): void {
  if (!report) return;
  for (const zone of report.zones) {
    const { name, id } = zone.zone;
    const isTroubled = id === ZONES[side].id;
    const isBegun = zone.ended.some(({ outcome }) => outcome.status !== "not-started");
    if (isTroubled && trouble === "locked" && isBegun)
      ledger.blame("I6", `the apply goes on in ${name}, which somebody else has locked`);
    if (!isTroubled && isKept(zone))
      ledger.blame("I18", `the trouble of ${ZONES[side].name} keeps ${name} from being applied`);
  }
  if (plan?.zones.length !== report.zones.length) ledger.blame("I18", "the report has other zones than the plan");
}

/** Whether a zone's section stopped although nothing in it failed. */
function isKept({ locked, stopped, ended }: ZoneReport): boolean {
  const hasFailed = ended.some(({ outcome }) => outcome.status === "failed" || outcome.status === "unknown");
  return (
    locked !== undefined ||
    stopped !== undefined ||
    (!hasFailed && ended.some(({ outcome }) => outcome.status === "not-started"))
  );
}
