import type { LeafChange } from "../core/diff.ts";
import { AmbiguousError } from "../service/errors.ts";
import { equal, formatPath, type JsonObject, leaves, valueAt, withoutValueAt, withValueAt } from "../core/json.ts";
import { isFingerprint, type SecretReference } from "../core/secret.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Clock } from "../core/clock.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Change } from "../plan/change.ts";
import { seenOf } from "../plan/seen.ts";
import { withFingerprints } from "../plan/secrets.ts";
import { localAddress } from "../plan/targets.ts";
import type { Companion, Comparison, Kind, Live, Reveal, WriteContext } from "../resources/kind.ts";
import { kindNamed } from "../resources/registry.ts";
import { retiredKey } from "../resources/retired.ts";
import type { Client } from "../service/client.ts";
import { explainFailure } from "../service/explain-failure.ts";
import { isNotFound } from "../service/not-found.ts";
import type { Journal } from "../state/open-journal.ts";
import type { StateObject } from "../state/state.ts";
import { conflict, existsAlready, goneSince, secretChanged } from "./conflict.ts";
import { findAgain } from "./find-again.ts";
import type { Outcome } from "./outcome.ts";

/** What carrying out a change needs. */
export interface Performance {
  readonly client: Client;
  readonly clock: Clock;
  readonly zone: ZoneId;
  readonly journal: Journal;
  readonly reveal: Reveal;
  readonly fingerprintOf: (reference: SecretReference) => string;
  /** Whether the state has been written since the plan was made: then its word is newer than the plan's. */
  readonly isStale: boolean;
  /** What the state knew of an object when this run began. */
  readonly before: (address: string) => StateObject | undefined;
  /** The ids of the kind's objects that the state knew under other addresses than this one. */
  readonly idsBeside: (kind: string, address: string) => readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** An outcome, and the id of the object that it left behind. */
export interface Performed {
  readonly outcome: Outcome;
  readonly id?: string;
}

/**
 * Carries out one change: re-reads, compares with what the plan rested on, writes down the intent, writes, writes
 * down the result. Throws what the client throws; a write of unknown fate has been looked up before that.
 */
export async function perform(run: Performance, change: Change): Promise<Performed> {
  if (change.refused) return { outcome: { status: "refused", refused: change.refused } };
  const stale = staleSecret(run, change);
  if (stale) return { outcome: stale };
  switch (change.action) {
    case "create":
      return createOrResume(run, change);
    case "update":
      return update(run, change);
    case "adopt":
      return change.expected === undefined ? adopt(run, change) : update(run, change);
    case "replace":
      return replace(run, change);
    case "delete":
      return remove(run, change);
    case "forget":
      return forget(run, change);
    case "held":
      return { outcome: { status: "held", reason: change.held?.reason ?? "" } };
    case "no-op":
      return DONE;
    default:
      return change.action satisfies never;
  }
}

const DONE: Performed = { outcome: { status: "done" } };

/** A create of which the state knows already: this plan has been carried out before, wholly or until it was stopped. */
async function createOrResume(run: Performance, change: Change): Promise<Performed> {
  const before = run.before(addressOf(change));
  const kind = kindNamed(change.kind);
  if (!before) return create(run, change);
  const look = (): Promise<Live | undefined> =>
    kind.find(run.client, run.zone, change.key, run.signal, othersThan(run, change));
  // Where nothing keeps a second one from being created, a list that lags behind must not be taken at its word.
  const live = before.pending
    ? await (kind.createsBeforeDelete ? findAgain(run.clock, look) : look())
    : await kind.read(run.client, run.zone, { id: before.id, key: change.key }, run.signal);
  if (!live) return create(run, change);
  return isAsSent(run, change, kind, live)
    ? settled(run, change, live, "was so already")
    : { outcome: conflict(change, live) };
}

async function create(run: Performance, change: Change): Promise<Performed> {
  const kind = kindNamed(change.kind);
  const inTheWay = await alreadyThere(run, change, kind);
  if (inTheWay)
    return { outcome: conflict(change, inTheWay, "it was created by somebody else since the plan was made") };
  const startedAt = run.clock.now();
  await run.journal.intend({
    address: addressOf(change),
    action: "create",
    object: remembered(run, change, undefined),
  });
  try {
    return settled(
      run,
      change,
      await kind.create(contextOf(run), change.key, change.sent ?? change.desired ?? {}, change.options),
    );
  } catch (error) {
    if (error instanceof AmbiguousError) return createdAfterAll(run, change, kind, startedAt, error);
    run.journal.failed({ address: addressOf(change), action: "create" });
    const existing = existsAlready(error, change);
    if (existing) return { outcome: existing };
    throw error;
  }
}

/**
 * What a create would overwrite or double. The service itself refuses some duplicates; for the others this looks first.
 * What is created beside the one that it replaces doubles nothing, whatever else there is.
 */
function alreadyThere(run: Performance, change: Change, kind: Kind): Promise<Live | undefined> {
  if (kind.refusesDuplicates || (kind.createsBeforeDelete && change.action === "replace"))
    return Promise.resolve(undefined);
  return kind.find(run.client, run.zone, change.key, run.signal, othersThan(run, change));
}

async function createdAfterAll(
  run: Performance,
  change: Change,
  kind: Kind,
  startedAt: number,
  error: AmbiguousError,
): Promise<Performed> {
  const live = await findAgain(run.clock, () =>
    kind.find(run.client, run.zone, change.key, undefined, othersThan(run, change)),
  );
  if (!live || (kind.createsBeforeDelete && !isAsSent(run, change, kind, live))) throw error;
  if (isOlder(live, startedAt) || !isAsSent(run, change, kind, live)) {
    run.journal.failed({ address: addressOf(change), action: "create" });
    return { outcome: conflict(change, live, "it was created by somebody else before this run sent its own request") };
  }
  return settled(run, change, live, "its answer was lost; found again by its name");
}

/** Clocks differ: an object counts as older than the request only beyond this much. */
const CLOCK_TOLERANCE_MILLISECONDS = 5 * 60_000;

function isOlder(live: Live, startedAt: number): boolean {
  const createdAt = live.status["created_at"];
  if (typeof createdAt !== "string") return false;
  return Date.parse(createdAt) < startedAt - CLOCK_TOLERANCE_MILLISECONDS;
}

async function update(run: Performance, change: Change): Promise<Performed> {
  const kind = kindNamed(change.kind);
  const live = await reread(run, change, kind);
  if (!live) return gone(run, change);
  const desired = change.desired ?? {};
  const difference = differenceFrom(run, change, kind, live);
  if (difference === "none") return settledBoth(run, change, live, "was so already");
  if (difference) return { outcome: difference };
  const waiting = heldNow(run, change, kind, live);
  if (waiting) return { outcome: waiting };
  const beside = change.with && (await companionOf(run, change.with));
  if (beside && "outcome" in beside) return beside;
  await run.journal.intend({ address: addressOf(change), action: "update" });
  if (change.with) await intendCompanion(run, change.with);
  try {
    const { leaves, prior, options } = change;
    const input = { spec: desired, leaves, prior, live, options, ...(beside ? { companion: beside } : {}) };
    const written = await kind.update(contextOf(run), input);
    return await settledBoth(run, change, written);
  } catch (error) {
    if (!(error instanceof AmbiguousError)) disclaim(run, change);
    if (isNotFound(error) && !(await reread(run, change, kind))) return gone(run, change);
    if (error instanceof AmbiguousError && (await isAsWanted(run, change, kind)))
      return settledBoth(run, change, live, "its answer was lost; live is as wanted");
    throw error;
  }
}

/** Nothing was written: neither the object nor the one that would have been written along. */
function disclaim(run: Performance, change: Change): void {
  run.journal.failed({ address: addressOf(change), action: "update" });
  const companion = change.with;
  if (companion && !run.before(addressOf(companion))) {
    run.journal.failed({ address: addressOf(companion), action: "create" });
  }
}

async function settledBoth(run: Performance, change: Change, live: Live, noted?: string): Promise<Performed> {
  if (change.with) await settleCompanion(run, change.with);
  return settled(run, change, live, noted);
}

/** The object that is written along, re-read; a conflict where it is no longer as planned. */
async function companionOf(run: Performance, change: Change): Promise<Companion | Performed> {
  const kind = kindNamed(change.kind);
  const live = await kind.find(run.client, run.zone, change.key, run.signal);
  if (live && !equal(kind.guarded(live, []), change.expected)) return { outcome: conflict(change, live) };
  if (!live && change.expected) return { outcome: goneSince(change) };
  return { spec: change.desired ?? {}, prior: change.prior, live, options: change.options };
}

/** One that is not tracked yet is ours from the moment at which it is sent. */
async function intendCompanion(run: Performance, change: Change): Promise<void> {
  if (run.before(addressOf(change))) return;
  await run.journal.intend({
    address: addressOf(change),
    action: "create",
    object: remembered(run, change, undefined),
  });
}

async function settleCompanion(run: Performance, change: Change): Promise<void> {
  const live = await kindNamed(change.kind).find(run.client, run.zone, change.key);
  if (live) settled(run, { ...change, action: "update" }, live);
}

async function replace(run: Performance, change: Change): Promise<Performed> {
  const kind = kindNamed(change.kind);
  if (kind.createsBeforeDelete) return replaceAhead(run, change, kind);
  const live = await reread(run, change, kind);
  if (!live) return create(run, change);
  const difference = differenceFrom(run, change, kind, live);
  if (difference && difference !== "none") return { outcome: difference };
  const objection = objectionToRemoval(run, change, kind, live);
  if (objection) return { outcome: objection };
  const entry = { address: addressOf(change), action: "replace" as const };
  await run.journal.intend({ ...entry, object: remembered(run, change, undefined) });
  try {
    await kind.remove(contextOf(run), live, change.prior);
  } catch (error) {
    if (!(error instanceof AmbiguousError)) run.journal.failed(entry);
    if (!(error instanceof AmbiguousError) || (await reread(run, change, kind))) throw error;
  }
  run.journal.gone(entry);
  try {
    return await create(run, withCarried(change, kind, live));
  } catch (error) {
    if (error instanceof AmbiguousError) throw error;
    return { outcome: { status: "failed", diagnostic: halfReplaced(change, error), hasWritten: true } };
  }
}

/** A new object starts with what the old one had that nobody owns, so that replacing loses nothing of it. */
function withCarried(change: Change, kind: Kind, live: Live): Change {
  const desired = leaves(change.desired ?? {}, (path) => kind.writeOnly.includes(path.join("."))).reduce(
    (spec: JsonObject, { path, value }) => withValueAt(spec, path, value),
    kind.declared(live),
  );
  return { ...change, sent: desired };
}

function halfReplaced(change: Change, error: unknown): Diagnostic {
  const { message, ...rest } = explainFailure(error);
  return {
    ...rest,
    address: change.address,
    message: `the old one has been deleted, and the new one could not be created: ${message}`,
  };
}

/**
 * Replaces by creating first. Before anything is sent the old object is known under an address of its own, from which
 * it goes once the new one serves: a run that is stopped at any moment leaves nothing live that the next does not know.
 */
async function replaceAhead(run: Performance, change: Change, kind: Kind): Promise<Performed> {
  const retired = retiredKey(change.key, change.id ?? "");
  const old = await reread(run, change, kind);
  const made =
    old && !run.before(localAddress(kind.name, retired))
      ? await createBeside(run, change, kind, old)
      : // This plan was carried out before, until it was stopped; or somebody deleted the old one meanwhile.
        await createOrResume(run, change);
  if (!old || made.outcome.status !== "done") return made;
  if (!(await servesSoon(run, kind, { id: made.id ?? "", key: change.key }))) {
    const note = `${old.id} serves on until this one does; it is deleted by a later apply`;
    return { ...made, outcome: { status: "done", note } };
  }
  await take(run, kind, old, { address: localAddress(kind.name, retired), action: "delete" }, change.prior);
  return made;
}

async function createBeside(run: Performance, change: Change, kind: Kind, old: Live): Promise<Performed> {
  const difference = differenceFrom(run, change, kind, old);
  if (difference && difference !== "none") return { outcome: difference };
  const [address, key] = [addressOf(change), retiredKey(change.key, old.id)];
  const before = run.before(address);
  const known = { kind: kind.name, key, id: old.id, applied: before?.applied ?? old.values };
  const retired = localAddress(kind.name, key);
  run.journal.done({ address: retired, action: "adopt", object: known });
  run.journal.gone({ address, action: "replace" });
  const putBack = (): void => {
    if (before) run.journal.done({ address, action: "adopt", object: before });
    run.journal.done({ address: retired, action: "forget" });
  };
  try {
    const made = await create(run, change);
    if (made.outcome.status !== "done") putBack();
    return made;
  } catch (error) {
    if (!(error instanceof AmbiguousError)) putBack();
    throw error;
  }
}

/** How long a run waits for a new object to serve before it leaves the old one to a later run. */
const LONGEST_REPLACEMENT_MILLISECONDS = 5 * 60_000;
const FIRST_LOOK_MILLISECONDS = 5_000;

/** Whether the object serves before long. An interrupted wait is none that failed: a later run goes on. */
async function servesSoon(run: Performance, kind: Kind, target: { id: string; key: string }): Promise<boolean> {
  const deadline = run.clock.now() + LONGEST_REPLACEMENT_MILLISECONDS;
  try {
    for (let wait = FIRST_LOOK_MILLISECONDS; ; wait *= 1.5) {
      const live = await kind.read(run.client, run.zone, target, run.signal);
      const readiness = live ? (kind.readiness?.(live) ?? "ready") : undefined;
      if (readiness === "ready") return true;
      if (!readiness || readiness.isFinal || run.clock.now() + wait > deadline) return false;
      await run.clock.sleep(wait, run.signal);
    }
  } catch (error) {
    if (run.signal?.aborted) return false;
    throw error;
  }
}

async function remove(run: Performance, change: Change): Promise<Performed> {
  const kind = kindNamed(change.kind);
  const live = await reread(run, change, kind);
  const entry = { address: addressOf(change), action: "delete" as const };
  if (!live) {
    run.journal.gone(entry);
    return { outcome: { status: "done", note: "was gone already" } };
  }
  if (!equal(kind.guarded(live, []), change.expected)) return { outcome: conflict(change, live) };
  const objection = objectionToRemoval(run, change, kind, live);
  if (objection) return { outcome: objection };
  await take(run, kind, live, entry, change.prior);
  return DONE;
}

/** Why an object may not be taken away now, although the plan was right: it was protected since, or doing so has become more dangerous. */
function objectionToRemoval(run: Performance, change: Change, kind: Kind, live: Live): Outcome | undefined {
  if (run.before(addressOf(change))?.protect && !change.refused) {
    const message = `it has been protected since the plan was made, and this would ${change.action} it`;
    return { status: "refused", refused: { code: "protected", message, remedy: "apply protect: false for it first" } };
  }
  const action = change.action === "replace" ? "replace" : "delete";
  const now = kind.hazards({ action, key: change.key, desired: change.desired, live, comparison: undefined });
  const more = now.filter((hazard) => !change.hazards.includes(hazard));
  return more.length === 0
    ? undefined
    : conflict(change, live, `it would by now be more than was approved: ${more.join(", ")}`);
}

/** Deletes an object, with the intent before and the result behind it. */
async function take(
  run: Performance,
  kind: Kind,
  live: Live,
  entry: { readonly address: string; readonly action: "delete" },
  prior: JsonObject | undefined,
): Promise<void> {
  await run.journal.intend(entry);
  try {
    await kind.remove(contextOf(run), live, prior);
  } catch (error) {
    if (!(error instanceof AmbiguousError)) run.journal.failed(entry);
    if (!(error instanceof AmbiguousError) || (await kind.read(run.client, run.zone, live))) throw error;
  }
  run.journal.done(entry);
}

function adopt(run: Performance, change: Change): Performed {
  run.journal.done({ address: addressOf(change), action: "adopt", object: remembered(run, change, undefined) });
  return { ...DONE, ...(change.id === undefined ? {} : { id: change.id }) };
}

/** Drops an object from the state, or only those leaves of it that are declared no more. */
function forget(run: Performance, change: Change): Performed {
  const address = addressOf(change);
  if (change.desired) run.journal.done({ address, action: "adopt", object: remembered(run, change, undefined) });
  else run.journal.done({ address, action: "forget" });
  return DONE;
}

/** The object is gone since the plan. Where the application owns its life that is no conflict (product semantics 2). */
function gone(run: Performance, change: Change): Performed {
  if (!change.undeclared) return { outcome: goneSince(change) };
  run.journal.gone({ address: addressOf(change), action: "update" });
  return { outcome: { status: "done", note: "the application deleted it meanwhile" } };
}

/** The ids of objects that are known under other addresses: where several may have one key, what is looked for is none of them. */
function othersThan(run: Performance, change: Change): ReadonlySet<string> | undefined {
  if (!kindNamed(change.kind).createsBeforeDelete) return undefined;
  const others = new Set(run.idsBeside(change.kind, addressOf(change)));
  return change.action === "replace" && change.id !== undefined ? others.add(change.id) : others;
}

function reread(run: Performance, change: Change, kind: Kind): Promise<Live | undefined> {
  return kind.read(run.client, run.zone, { id: change.id ?? "", key: change.key }, run.signal);
}

/** `none` where live is as wanted by now, a conflict where it is neither that nor as planned, undefined where it may be written. */
function differenceFrom(run: Performance, change: Change, kind: Kind, live: Live): Outcome | "none" | undefined {
  const isReplacing = change.action === "replace";
  if (equal(kind.guarded(live, isReplacing ? [] : change.leaves), change.expected)) return undefined;
  return !isReplacing && isWanted(run, change, kind, live) ? "none" : conflict(change, live);
}

async function isAsWanted(run: Performance, change: Change, kind: Kind): Promise<boolean> {
  const live = await kind.read(run.client, run.zone, { id: change.id ?? "", key: change.key });
  return live !== undefined && isWanted(run, change, kind, live);
}

/** Whether the planned leaves and rules are live. What the service never shows cannot be seen, so it does not count as wanted. */
function isWanted(run: Performance, change: Change, kind: Kind, live: Live): boolean {
  const { leaves, rules, held } = compareNow(run, change, kind, live);
  return rules.length === 0 && ![...leaves, ...(held?.leaves ?? [])].some(isPlanned(change));
}

/** Whether a new object is as it was sent, in all that the service shows of it: its name alone may be somebody else's. */
function isAsSent(run: Performance, { prior: _prior, ...change }: Change, kind: Kind, live: Live): boolean {
  const { leaves, rules, held } = compareNow(run, change, kind, live);
  const shown = [...leaves, ...(held?.leaves ?? [])].filter(({ path }) => !kind.writeOnly.includes(formatPath(path)));
  return rules.length === 0 && !shown.some(isPlanned(change));
}

/** Since the plan the service has moved on by itself, so that what was planned now has to wait (product semantics 4). */
function heldNow(run: Performance, change: Change, kind: Kind, live: Live): Outcome | undefined {
  const { held } = compareNow(run, change, kind, live);
  return held?.leaves.some(isPlanned(change)) ? { status: "held", reason: held.reason } : undefined;
}

function compareNow(run: Performance, change: Change, kind: Kind, live: Live): Comparison {
  const desired = withFingerprints(change.desired ?? {}, kind.writeOnly, run.fingerprintOf);
  return kind.compare({ desired, prior: change.prior, live, options: change.options });
}

function isPlanned(change: Change): (leaf: Pick<LeafChange, "path">) => boolean {
  const planned = new Set(change.leaves.map(({ path }) => path.join("\0")));
  return ({ path }) => planned.has(path.join("\0"));
}

function settled(run: Performance, change: Change, live: Live, noted?: string): Performed {
  const action = change.action === "create" || change.action === "replace" ? change.action : "update";
  run.journal.done({ address: addressOf(change), action, object: remembered(run, change, live) });
  return { outcome: { status: "done", ...(noted === undefined ? {} : { note: noted }) }, id: live.id };
}

/** What the state is to keep of the object after this change. What is held was not sent, so it keeps its last applied value. */
function remembered(run: Performance, change: Change, live: Live | undefined): StateObject {
  const before = run.before(addressOf(change));
  const now = new Date(run.clock.now()).toISOString();
  return {
    kind: change.kind,
    key: change.key,
    id: live?.id ?? change.id ?? "",
    applied: withoutHeld(
      change,
      withFingerprints(change.desired ?? {}, kindNamed(change.kind).writeOnly, run.fingerprintOf),
    ),
    ...((run.isStale && before ? before.protect : change.protect) ? { protect: true as const } : {}),
    ...(live ? seenOf(live, before, now) : seenBefore(change, before)),
    ...(change.undeclared ? { undeclared: true as const } : {}),
  };
}

/** Nothing was re-read: the plan's word, else the state's. */
function seenBefore(change: Change, before: StateObject | undefined): Pick<StateObject, "seen"> {
  const seen = change.seen ?? before?.seen;
  return seen ? { seen } : {};
}

function withoutHeld(change: Change, applied: JsonObject): JsonObject {
  return (change.held?.leaves ?? []).reduce((kept, { path, prior }) => {
    return prior === undefined ? withoutValueAt(kept, path) : withValueAt(kept, path, prior);
  }, applied);
}

/** A secret that is another one than the plan was approved with. */
function staleSecret(run: Performance, change: Change): Outcome | undefined {
  const desired = change.desired;
  if (!desired) return undefined;
  for (const { path, after, sensitive } of change.leaves) {
    if (!sensitive || !isFingerprint(after)) continue;
    const now = valueAt(withFingerprints(desired, kindNamed(change.kind).writeOnly, run.fingerprintOf), path);
    if (now !== after) return secretChanged(change, path);
  }
  return undefined;
}

function contextOf({ client, zone, reveal, signal }: Performance): WriteContext {
  return { client, zone, reveal, signal };
}

function addressOf(change: Change): string {
  return localAddress(change.kind, change.key);
}
