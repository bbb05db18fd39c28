import { EXIT } from "../core/exit-code.ts";
import type { ApplyReport, Outcome, ZoneReport } from "./outcome.ts";

/**
 * Whether the same command again would get further than this run did. It would not where all that is left are conflicts:
 * what was approved rests on what live is no longer, so that they end the same way until somebody plans again.
 */
export function isResumable({ zones, interrupted }: ApplyReport): boolean {
  return (
    interrupted === true ||
    zones.some((zone) => isZoneToGoOn(zone) || zone.ended.some(({ outcome }) => GETS_FURTHER[outcome.status]))
  );
}

function isZoneToGoOn({ locked, stopped, unsaved }: ZoneReport): boolean {
  const isOtherwiseStopped = stopped !== undefined && stopped.exitCode !== EXIT.conflict;
  return locked !== undefined || isOtherwiseStopped || unsaved !== undefined;
}

/** What is done or waits is nobody's to repeat. What a guard refused goes on once the guard allows it. */
const GETS_FURTHER: Readonly<Record<Outcome["status"], boolean>> = {
  done: false,
  held: false,
  conflict: false,
  refused: true,
  failed: true,
  unknown: true,
  unconfirmed: true,
  "not-started": true,
};
