import type { Change, Plan } from "../plan/change.ts";
import { DELETION_LIMIT } from "../plan/deletion-limits.ts";
import { SOURCE_TAIL_GONE } from "../plan/sources.ts";

/** The refusals that `--approve HASH` lifts. */
const LIFTED: ReadonlySet<string> = new Set([DELETION_LIMIT, SOURCE_TAIL_GONE]);

/** Whether `--approve HASH` lets through what a guard refused with this code. */
export function isLifted(code: string): boolean {
  return LIFTED.has(code);
}

/** The plan with the command that carries out what was refused and can be approved. Only the code that prints it knows that command. */
export function withCommandToApprove(plan: Plan, command: string): Plan {
  const told = (change: Change): Change =>
    change.refused && isLifted(change.refused.code)
      ? { ...change, refused: { ...change.refused, commands: [command] } }
      : change;
  return { ...plan, zones: plan.zones.map((zone) => ({ ...zone, changes: zone.changes.map(told) })) };
}
