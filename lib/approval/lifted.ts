import type { Change, Plan } from "../plan/change.ts";
import { DELETION_LIMIT } from "../plan/deletion-limits.ts";
import { SOURCE_TAIL_GONE } from "../plan/sources.ts";

/** The codes of the blocks that `--approve HASH` lifts. */
const LIFTED: ReadonlySet<string> = new Set([DELETION_LIMIT, SOURCE_TAIL_GONE]);

/** Whether `--approve HASH` lifts a block with this code. */
export function isLifted(code: string): boolean {
  return LIFTED.has(code);
}

/**
 * The plan with the command that applies blocked changes which an approval can lift. Only the caller that prints it
 * knows that command.
 */
export function withCommandToApprove(plan: Plan, command: string): Plan {
  const told = (change: Change): Change =>
    change.refused && isLifted(change.refused.code)
      ? { ...change, refused: { ...change.refused, commands: [command] } }
      : change;
  return { ...plan, zones: plan.zones.map((zone) => ({ ...zone, changes: zone.changes.map(told) })) };
}
