import { equal } from "../core/json.ts";
import type { Change } from "../plan/change.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { kindNamed } from "../kinds/registry.ts";
import { overwrote } from "./conflict.ts";
import { isWanted } from "./differences.ts";
import { contextOf, type Performance, type Performed } from "./performance.ts";

/** Adds what the write took with it of somebody else's. Our write is on record by then, whatever this look meets. */
export async function withOverwritten(
  run: Performance,
  change: Change,
  before: Live,
  performed: Performed,
  after: Live,
): Promise<Performed> {
  const kind = kindNamed(change.kind);
  // A request that was delivered twice, or one whose answer was lost, is a version of our own.
  const isOurs = (live: Live): boolean => equal(live.values, after.values) || isAlsoWanted(run, change, kind, live);
  const lost = await kind.overwritten?.(contextOf(run), before, after, isOurs);
  return lost ? { ...performed, outcome: overwrote(change, before, lost) } : performed;
}

function isAlsoWanted(run: Performance, change: Change, kind: Kind, live: Live): boolean {
  return change.desired !== undefined && isWanted(run, change, kind, live);
}
