import type { ExitCode } from "../core/exit-code.ts";
import type { FoundDrift } from "../engine/drift.ts";
import { driftExit as zoneDriftExit, driftExits, exitOf, planExit as sectionExit } from "../engine/exit.ts";
import type { Hazard } from "../kinds/hazards.ts";
import type { Plan } from "../plan/change.ts";

/** A command's exit codes (docs/semantics.md#exit-codes): one for each zone, by name, and one for the whole. */
export interface ExitCodes {
  readonly byZone: ReadonlyMap<string, ExitCode>;
  readonly code: ExitCode;
}

/** The exit codes of `zoneform plan`; with `isDetailed` those of `plan --detailed-exitcode`. */
export function planExit(plan: Plan, isDetailed = false): ExitCodes {
  return exitOf(plan, (section) => sectionExit(section, isDetailed));
}

/** The exit codes of `zoneform drift`, including the zones that could not be read; with `failOn` only these hazards count. */
export function driftExit(
  { zones, failed }: Pick<FoundDrift, "zones" | "failed">,
  failOn: readonly Hazard[] = [],
): ExitCodes {
  const codes = zones.map(({ section, judgement }) => ({
    name: section.zone.name,
    code: zoneDriftExit(judgement, failOn),
  }));
  return driftExits(codes, failed);
}
