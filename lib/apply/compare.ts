import { defined } from "../core/defined.ts";
import type { LeafChange } from "../core/diff.ts";
import { equal, formatPath, type JsonObject } from "../core/json.ts";
import type { Change, LeafConflict } from "../plan/change.ts";
import { restsOnRuns } from "../plan/digest.ts";
import { isAskedInVain } from "../plan/proof.ts";
import { allLeaves } from "../plan/write.ts";
import { isUpload } from "../plan/served.ts";
import { withFingerprints } from "../plan/secrets.ts";
import type { Comparison } from "../kinds/traits/compared.ts";
import type { Live } from "../kinds/live.ts";
import type { Client } from "../service/client.ts";
import type { Attempt } from "./attempt.ts";
import { conflict } from "./conflict.ts";
import { serviceMoment } from "./moment.ts";
import type { Outcome } from "./outcome.ts";

/** Reads the change's object by its id. With the client of a try, this is the read that the write relies on. */
export function reread(attempt: Attempt, client: Client = attempt.client): Promise<Live | undefined> {
  const { change, kind, zone, signal } = attempt;
  return kind.read(client, zone, { id: change.id ?? "", key: change.key }, signal);
}

/**
 * `none` if live is already as declared, a conflict if it is neither that nor as planned, undefined if it may be
 * written.
 */
export function differenceFrom(attempt: Attempt, live: Live): Outcome | "none" | undefined {
  const { change, kind } = attempt;
  const isReplacing = change.action === "replace";
  if (equal(kind.guarded(live, isReplacing ? [] : allLeaves(change)), change.expected)) return undefined;
  return !isReplacing && isWanted(attempt, live) ? "none" : conflict(attempt, live);
}

/**
 * Whether another run, since the plan was made, has applied what this change would write: live looks as planned, because
 * somebody has set it back. What a run has begun and not finished is applied by nobody yet.
 */
export function isAppliedSince({ address, before, change, known }: Attempt): boolean {
  if (!known.isStale || before?.pending) return false;
  return !equal(restsOnRuns(change, known.by(address)), restsOnRuns(change));
}

/**
 * Returns the object if a write whose response was lost has taken effect. Ignores interrupts, because we need the
 * result.
 */
export async function rereadAsWanted(attempt: Attempt): Promise<Live | undefined> {
  const { change, kind, service, zone } = attempt;
  const live = await kind.read(service, zone, { id: change.id ?? "", key: change.key });
  return live && isWanted(attempt, live) ? live : undefined;
}

/** Whether the planned fields and rules are live. What the service never shows does not count as live. */
export function isWanted(attempt: Attempt, live: Live): boolean {
  const { change } = attempt;
  if (change.leaves.some(({ path }) => isUpload(path))) return false;
  const { leaves, rules, held } = compareNow(attempt, live);
  return rules.length === 0 && ![...leaves, ...(held?.leaves ?? [])].some(isPlanned(change));
}

/**
 * Whether a new object has what was sent, in everything that the service shows. Its name alone could be somebody
 * else's.
 */
export function isAsSent(attempt: Attempt, live: Live): boolean {
  const compared = compareAsApplied(attempt, live);
  return compared.rules.length === 0 && notAsSent(attempt, compared).length === 0;
}

/** Whether an edited object has what was sent, and no longer has the rules that the edit removed. */
export function isAsEdited(attempt: Attempt, live: Live): boolean {
  const { rules } = compareNow(attempt, live);
  return rules.length === 0 && leavesNotAsSent(attempt, live).length === 0;
}

/** The planned fields whose live value is not what was sent. */
export function differencesFromSent(attempt: Attempt, live: Live): readonly LeafConflict[] {
  return leavesNotAsSent(attempt, live).map(({ path, before, after }) => ({
    path,
    ...defined({ live: before, wanted: after }),
  }));
}

function leavesNotAsSent(attempt: Attempt, live: Live): readonly LeafChange[] {
  return notAsSent(attempt, compareAsApplied(attempt, live));
}

function notAsSent({ change, kind }: Attempt, { leaves, held }: Comparison): readonly LeafChange[] {
  const found = [...leaves, ...(held?.leaves ?? [])];
  if (found.length === 0) return found;
  return found.filter(({ path }) => !kind.writeOnly.includes(formatPath(path))).filter(isPlanned(change));
}

/**
 * Reports that the change now has to wait: since the plan, the service has moved on, or another run has sent the same
 * request (docs/semantics.md#held-changes).
 */
export function findHeld(attempt: Attempt, live: Live): Outcome | undefined {
  const { held } = compareNow(attempt, live, appliedSince(attempt) ?? attempt.change.prior);
  return held?.leaves.some(isPlanned(attempt.change)) ? { status: "held", reason: held.reason } : undefined;
}

/** What another run has applied since the plan was made. */
function appliedSince({ before, known, service, clock }: Attempt): JsonObject | undefined {
  if (!known.isStale || !before || before.pending) return undefined;
  return isAskedInVain(before, new Date(serviceMoment(service, clock)).toISOString()) ? undefined : before.applied;
}

/**
 * Compares as if the change had been applied: what the service shows differently or not at all, such as the default CA,
 * counts as sent.
 */
function compareAsApplied(attempt: Attempt, live: Live): Comparison {
  const desired = desiredOf(attempt);
  return attempt.kind.compare({ desired, prior: desired, live, options: attempt.change.options });
}

function compareNow(attempt: Attempt, live: Live, prior: JsonObject | undefined = attempt.change.prior): Comparison {
  return attempt.kind.compare({ desired: desiredOf(attempt), prior, live, options: attempt.change.options });
}

/** The declared values, with fingerprints in place of secrets. */
function desiredOf({ change, kind, fingerprintOf }: Attempt): JsonObject {
  return withFingerprints(change.desired ?? {}, kind.writeOnly, fingerprintOf);
}

/** A replacement sends every field, not only those that caused it. */
function isPlanned(change: Change): (leaf: Pick<LeafChange, "path">) => boolean {
  if (change.action === "replace") return () => true;
  const planned = new Set(change.leaves.map(({ path }) => path.join("\0")));
  return ({ path }) => planned.has(path.join("\0"));
}
