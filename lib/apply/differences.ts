import type { LeafChange } from "../core/diff.ts";
import { equal, formatPath } from "../core/json.ts";
import type { Change, LeafConflict } from "../plan/change.ts";
import { isAskedInVain } from "../plan/proof.ts";
import { allLeaves } from "../plan/rests.ts";
import { isUpload } from "../plan/served.ts";
import { withFingerprints } from "../plan/secrets.ts";
import type { Comparison } from "../kinds/traits/compared.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { Client } from "../service/client.ts";
import { conflict } from "./conflict.ts";
import type { Outcome } from "./outcome.ts";
import { addressOf, type Performance } from "./performance.ts";

/** The change's object as it is now, by its id. With the client of an attempt, this is the read that its write rests on. */
export function reread(
  run: Performance,
  change: Change,
  kind: Kind,
  client: Client = run.client,
): Promise<Live | undefined> {
  return kind.read(client, run.zone, { id: change.id ?? "", key: change.key }, run.signal);
}

/** `none` where live is as wanted by now, a conflict where it is neither that nor as planned, undefined where it may be written. */
export function differenceFrom(run: Performance, change: Change, kind: Kind, live: Live): Outcome | "none" | undefined {
  const isReplacing = change.action === "replace";
  if (equal(kind.guarded(live, isReplacing ? [] : allLeaves(change)), change.expected)) return undefined;
  return !isReplacing && isWanted(run, change, kind, live) ? "none" : conflict(change, live);
}

/** The object, where a write whose answer was lost has taken effect. Not to be interrupted: somebody has to know. */
export async function rereadAsWanted(run: Performance, change: Change, kind: Kind): Promise<Live | undefined> {
  const live = await kind.read(run.client, run.zone, { id: change.id ?? "", key: change.key });
  return live && isWanted(run, change, kind, live) ? live : undefined;
}

/** Whether the planned leaves and rules are live. What the service never shows cannot be seen, so it does not count as wanted. */
export function isWanted(run: Performance, change: Change, kind: Kind, live: Live): boolean {
  if (change.leaves.some(({ path }) => isUpload(path))) return false;
  const { leaves, rules, held } = compareNow(run, change, kind, live);
  return rules.length === 0 && ![...leaves, ...(held?.leaves ?? [])].some(isPlanned(change));
}

/** Whether a new object is as it was sent, in all that the service shows of it: its name alone may be somebody else's. */
export function isAsSent(run: Performance, change: Change, kind: Kind, live: Live): boolean {
  const compared = compareAsApplied(run, change, kind, live);
  return compared.rules.length === 0 && notAsSent(change, kind, compared).length === 0;
}

/** Whether an edited object is as it was sent: what was sent is there, and rules that were to go are gone. */
export function isAsEdited(run: Performance, change: Change, kind: Kind, live: Live): boolean {
  const { rules } = compareNow(run, change, kind, live);
  return rules.length === 0 && leavesNotAsSent(run, change, kind, live).length === 0;
}

/** The planned leaves that live does not show as they were sent. */
export function differencesFromSent(run: Performance, change: Change, kind: Kind, live: Live): readonly LeafConflict[] {
  return leavesNotAsSent(run, change, kind, live).map(({ path, before, after }) => ({
    path,
    ...(before === undefined ? {} : { live: before }),
    ...(after === undefined ? {} : { wanted: after }),
  }));
}

function leavesNotAsSent(run: Performance, change: Change, kind: Kind, live: Live): readonly LeafChange[] {
  return notAsSent(change, kind, compareAsApplied(run, change, kind, live));
}

function notAsSent(change: Change, kind: Kind, { leaves, held }: Comparison): readonly LeafChange[] {
  const found = [...leaves, ...(held?.leaves ?? [])];
  if (found.length === 0) return found;
  return found.filter(({ path }) => !kind.writeOnly.includes(formatPath(path))).filter(isPlanned(change));
}

/**
 * Since the plan the service has moved on by itself, or another run has asked for the same, so that what was planned now
 * has to wait (docs/semantics.md#held-changes).
 */
export function heldNow(run: Performance, change: Change, kind: Kind, live: Live): Outcome | undefined {
  const { held } = compareNow(run, { ...change, ...appliedSince(run, change) }, kind, live);
  return held?.leaves.some(isPlanned(change)) ? { status: "held", reason: held.reason } : undefined;
}

/** What another run has applied since the plan was made. */
function appliedSince(run: Performance, change: Change): Pick<Change, "prior"> {
  const before = run.isStale ? run.before(addressOf(change)) : undefined;
  if (!before || before.pending || isAskedInVain(before, new Date(run.clock.now()).toISOString())) return {};
  return { prior: before.applied };
}

/** Compared as if it had been applied: what the service shows otherwise or not at all, such as the default CA, is as it was sent. */
function compareAsApplied(run: Performance, change: Change, kind: Kind, live: Live): Comparison {
  const desired = withFingerprints(change.desired ?? {}, kind.writeOnly, run.fingerprintOf);
  return kind.compare({ desired, prior: desired, live, options: change.options });
}

function compareNow(run: Performance, change: Change, kind: Kind, live: Live): Comparison {
  const desired = withFingerprints(change.desired ?? {}, kind.writeOnly, run.fingerprintOf);
  return kind.compare({ desired, prior: change.prior, live, options: change.options });
}

/** A replacement sends every leaf, whichever of them made it one. */
function isPlanned(change: Change): (leaf: Pick<LeafChange, "path">) => boolean {
  if (change.action === "replace") return () => true;
  const planned = new Set(change.leaves.map(({ path }) => path.join("\0")));
  return ({ path }) => planned.has(path.join("\0"));
}
