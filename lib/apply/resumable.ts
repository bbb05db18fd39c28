import { EXIT } from "../core/exit-code.ts";
import type { ApplyReport, Ended, Outcome, ZoneReport } from "./outcome.ts";

/**
 * Whether the same command again would get further than this run did. It would not where all that is left are conflicts
 * and refusals, by a guard or by the service for good: they end the same way until somebody plans again, or does what is
 * said with the refusal. Nor would it where there was nothing to do.
 */
export function isResumable({ zones, interrupted }: ApplyReport): boolean {
  return (
    interrupted === true ||
    zones.some((zone) => isZoneToGoOn(zone) || zone.ended.some(({ outcome }) => getsFurther(outcome)))
  );
}

function isZoneToGoOn({ ended, locked, stopped, unsaved }: ZoneReport): boolean {
  const isOtherwiseStopped = stopped !== undefined && stopped.exitCode !== EXIT.conflict;
  return (ended.length > 0 && (locked !== undefined || isOtherwiseStopped)) || unsaved !== undefined;
}

function getsFurther(outcome: Outcome): boolean {
  return GETS_FURTHER[outcome.status] && !(outcome.status === "failed" && outcome.isFinal);
}

/** Whether nothing is left to do of a change under the same approval: what waits is done later. */
export function isOver({ outcome }: Ended): boolean {
  return outcome.status !== "held" && !getsFurther(outcome);
}

/** What is done or waits is nobody's to repeat. */
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
