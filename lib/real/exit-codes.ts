import type { ExitCode } from "../core/exit-code.ts";
import type { FoundDrift } from "../engine/drift.ts";
import { driftExit as zoneDriftExit, driftExits, exitOf, planExit as sectionExit } from "../engine/exit.ts";
import type { Plan } from "../plan/change.ts";

/** The exit codes of a command (docs/semantics.md#exit-codes): one for each zone, by its name, and one for all of them. */
export interface ExitCodes {
  readonly byZone: ReadonlyMap<string, ExitCode>;
  readonly code: ExitCode;
}

/** The codes with which `zoneform plan` ends; with `isDetailed` those of `plan --detailed-exitcode`. */
export function planExit(plan: Plan, isDetailed = false): ExitCodes {
  return exitOf(plan, (section) => sectionExit(section, isDetailed));
}

/** The codes with which `zoneform drift` ends; zones that could not be looked at have theirs. */
export function driftExit({ zones, failed }: Pick<FoundDrift, "zones" | "failed">): ExitCodes {
  const codes = zones.map(({ section, judgement }) => ({ name: section.zone.name, code: zoneDriftExit(judgement) }));
  return driftExits(codes, failed);
}
