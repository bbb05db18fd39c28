import { EXIT } from "../core/exit-code.ts";
import { type ApplyReport, type Ended, isHeld, type Outcome, type ZoneReport } from "./outcome.ts";

/**
 * Whether running the same command again would get further. It would not if only conflicts and final refusals are left,
 * by a guard or by the service: they stay until somebody plans again or follows the remedy. Nor would it if there was
 * nothing to do.
 */
export function isResumable({ zones, interrupted, isUndo }: ApplyReport): boolean {
  const goesOn = (ended: Ended): boolean => getsFurther(ended.outcome) || (isUndo === true && isHeld(ended));
  return interrupted === true || zones.some((zone) => isZoneToGoOn(zone) || zone.ended.some(goesOn));
}

function isZoneToGoOn({ ended, locked, stopped, unsaved }: ZoneReport): boolean {
  const isOtherwiseStopped = stopped !== undefined && stopped.exitCode !== EXIT.conflict;
  return (ended.length > 0 && (locked !== undefined || isOtherwiseStopped)) || unsaved !== undefined;
}

function getsFurther(outcome: Outcome): boolean {
  return GETS_FURTHER[outcome.status] && !(outcome.status === "failed" && outcome.isFinal);
}

/** Whether nothing is left to do for a change under the same approval; a held change is applied later. */
export function isOver({ outcome }: Ended): boolean {
  return outcome.status !== "held" && !getsFurther(outcome);
}

/** Changes that are done or held need no repetition. */
const GETS_FURTHER: Readonly<Record<Outcome["status"], boolean>> = {
  done: false,
  held: false,
  conflict: false,
  refused: false,
  failed: true,
  unknown: true,
  unconfirmed: true,
  "not-started": true,
};
