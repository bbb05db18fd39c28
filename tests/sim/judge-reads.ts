import type { Change } from "../../lib/plan/change.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import { SIM_KINDS } from "./kinds.ts";
import type { Content } from "./kinds/kind.ts";
import type { Ledger, Party } from "./ledger.ts";
import { type Look, objectWritten } from "./looks.ts";
import type { Write } from "./writes.ts";

/** A write is based on a read that is at most this old when the write is sent. */
const OLDEST_READ_MILLISECONDS = 1000;
/** Clocks are read in whole milliseconds. */
const GRACE_MILLISECONDS = 5;

/** One write as the service sees it. */
export interface Overwriting {
  readonly write: Write;
  readonly request: HttpRequest;
  readonly change: Change | undefined;
  /** The object's content just before and just after it. */
  readonly before: Content | undefined;
  readonly after: Content | undefined;
}

/**
 * A write is based on a read of its object: after the last wait, and at most a second before the write is sent. Returns
 * that read (invariant 15).
 */
export function judgeFreshness(
  ledger: Ledger,
  { looks, hasJump }: Party,
  { write, request, change }: Omit<Overwriting, "before" | "after">,
): Look | undefined {
  const object = objectWritten(write, request, change);
  if (object === undefined) return undefined;
  const name = `${write.verb} ${write.kind} ${write.key}`;
  const look = looks.last(object);
  if (!look) {
    ledger.blame("I15", `${name} was sent, and ${object} was not read again`);
    return undefined;
  }
  const age = looks.leftAt(request) - look.answeredAt;
  const throttledAt = looks.throttledAt(object);
  // Another pack's order may be refused while this write is on its way.
  if (look.answeredAt < throttledAt && throttledAt <= looks.leftAt(request))
    ledger.blame("I15", `${name} was sent again after a 429, and ${object} was not read again`);
  else if (age > OLDEST_READ_MILLISECONDS + GRACE_MILLISECONDS && !hasJump)
    ledger.blame("I15", `${name} rests on a read of ${object} that is ${Math.round(age)} ms old`);
  return look;
}

/**
 * What a foreign edit lost to a write. What was there when the object was last read must not be destroyed. Nobody can
 * see an edit between that read and the write itself: such a loss is counted (invariant 15).
 */
export function judgeDestroyed(ledger: Ledger, party: Party, look: Look, overwriting: Overwriting): void {
  const { write, before, after } = overwriting;
  const seen = look.content ?? {};
  const wrong = (what: string): void => ledger.blame("I15", `${write.verb} ${write.kind} ${write.key} ${what}`);
  for (const leaf of changedSincePlan(party, look, overwriting)) wrong(`writes over ${leaf}, changed since the plan`);
  if (after === undefined) return judgeTaken(ledger, seen, overwriting, wrong);
  const isOurs = ownedBy(overwriting);
  let isLost = false;
  for (const leaf of new Set([...Object.keys(before ?? {}), ...Object.keys(seen)])) {
    const [was, is] = [before?.[leaf], after[leaf]];
    if (was === is || was === seen[leaf]) {
      if (was !== undefined && was !== is && !isOurs(leaf)) wrong(`destroys ${leaf}, which it had read: ${was}`);
      continue;
    }
    // It was written, added or deleted between the read and this request.
    if (was !== undefined || is === seen[leaf]) isLost = true;
  }
  if (!isLost) return;
  ledger.excused += 1;
  if (write.verb === "change") party.overwrote.add(write.kind);
}

/** An object is deleted with everything in it. */
function judgeTaken(
  ledger: Ledger,
  seen: Content,
  { write, before = {} }: Overwriting,
  wrong: (what: string) => void,
): void {
  const foreign = Object.keys(seen).find((leaf) => SIM_KINDS[write.kind].isForeign?.(leaf));
  if (foreign !== undefined) wrong(`takes ${foreign} with it, which it had read`);
  const leaves = [...Object.keys(before), ...Object.keys(seen)];
  if (leaves.some((leaf) => before[leaf] !== seen[leaf])) ledger.excused += 1;
}

/** Fields that the plan may write. */
function ownedBy(overwriting: Overwriting): (leaf: string) => boolean {
  return SIM_KINDS[overwriting.write.kind].owned?.(overwriting) ?? (() => true);
}

/** Fields whose value in the plan is not the one of the last read, and neither is wanted. */
function changedSincePlan(party: Party, { content: seen = {} }: Look, overwriting: Overwriting): readonly string[] {
  const { write, request, change, after } = overwriting;
  if (!change) return [];
  const own = SIM_KINDS[write.kind].changedSincePlan?.(write, change, seen);
  if (own) return own;
  const planned = party.looks.planned(objectWritten(write, request, change) ?? "");
  if (!planned) return [];
  const isOurs = ownedBy(overwriting);
  const leaves = new Set([...Object.keys(planned.content ?? {}), ...Object.keys(seen)]);
  return [...leaves].filter(
    (leaf) =>
      isOurs(leaf) && planned.content?.[leaf] !== seen[leaf] && (after === undefined || seen[leaf] !== after[leaf]),
  );
}
