import type { Digest, ZoneId } from "../core/brand.ts";
import { type Diagnostic, warning } from "../core/diagnostic.ts";
import type { Approval } from "./approval.ts";
import { decodeApproval, encodeApproval } from "./record.ts";
import type { Examination } from "../state/upkeep/doctor.ts";
import { StateError } from "../state/error.ts";
import { atOnce, type Lease, type StateReader, type StateStore } from "../state/store.ts";

/** How many approvals to keep beside a zone: one of a hundred thousand changes has tens of megabytes. */
export const MOST_KEPT = 5;

const PREFIX = "approval-";

/** The records that say of which approvals nothing is left to do. */
const FINISHED = "finished";

/**
 * For the zones of a run, of which only one keeps the approval: whether the caller is the one. It returns once the
 * approval is kept, by whichever zone, and throws what `keep` throws; then the next zone tries.
 */
export type KeepOnce = (keep: () => Promise<void>) => Promise<boolean>;

/** Lets the zone that begins first keep the approval of a run. */
export function keepingOnce(): KeepOnce {
  let kept: Promise<boolean> = Promise.resolve(false);
  return async (keep) => {
    const before = kept.catch(() => false);
    let isKeeper = false;
    kept = before.then(async (isKept) => {
      isKeeper = !isKept;
      if (isKeeper) await keep();
      return true;
    });
    await kept;
    return isKeeper;
  };
}

/**
 * Keeps an approval beside the state of a zone, so that a run that is stopped goes on under it, in whichever zone; anew
 * with each run. Where there are too many, finished approvals are evicted first, then the least recently used one. Throws
 * what the store throws.
 */
export async function keepApproval(
  store: StateStore,
  zone: ZoneId,
  lease: Lease,
  approval: Approval,
  nowMilliseconds: number,
): Promise<void> {
  const names = await (await atOnce(store, zone, lease)).names(zone);
  const kept = names.filter((name) => name.startsWith(PREFIX));
  const now = `${PREFIX}${Math.floor(nowMilliseconds)}${ending(approval.hash)}`;
  const before = kept.filter((name) => name !== now && name.endsWith(ending(approval.hash)));
  const others = kept.filter((name) => !name.endsWith(ending(approval.hash)));
  const isFinished = (name: string): boolean => names.some((each) => isMark(each) && name.endsWith(endingOf(each)));
  const inTurn = [...others.filter(isFinished), ...others.filter((name) => !isFinished(name))];
  const surplus = inTurn.slice(0, Math.max(0, others.length + 1 - MOST_KEPT));
  const staying = others.filter((name) => !surplus.includes(name));
  // This one is begun again.
  const marks = names.filter((mark) => isMark(mark) && !staying.some((name) => name.endsWith(endingOf(mark))));
  await store.keep(zone, lease, now, streamed(approval), [...before, ...surplus, ...marks]);
}

/**
 * The records that say that nothing is left to do under an approval in its zone: it stays for as long as there is room.
 * None of an approval that covers other zones too: nobody knows that of them.
 */
export function finishedRecords(zone: ZoneId, { hash, changes }: Approval): ReadonlyMap<string, AsyncIterable<string>> {
  const isOfOthers = [...changes.values()].some((change) => change.zone !== zone);
  return new Map(isOfOthers ? [] : [[`${FINISHED}${ending(hash)}`, lineOf(hash)]]);
}

function isMark(name: string): boolean {
  return name.startsWith(`${FINISHED}-`);
}

function endingOf(mark: string): string {
  return mark.slice(FINISHED.length);
}

async function* lineOf(hash: Digest): AsyncIterable<string> {
  yield JSON.stringify({ format: "zoneform-finished", version: 1, hash });
}

/**
 * The approval of a hash, where a run has begun under it. It is looked for beside the zones of the plan first, then beside
 * all others: one zone keeps it for all of them.
 */
export async function readKeptApproval(
  store: StateReader & Pick<StateStore, "zones">,
  zones: readonly ZoneId[],
  hash: Digest,
): Promise<Approval | undefined> {
  return (
    (await approvalBeside(store, zones, hash)) ??
    approvalBeside(
      store,
      (await store.zones()).filter((zone) => !zones.includes(zone)),
      hash,
    )
  );
}

async function approvalBeside(
  store: StateReader,
  zones: readonly ZoneId[],
  hash: Digest,
): Promise<Approval | undefined> {
  for (const zone of zones) {
    const now = await atOnce(store, zone);
    for (const name of await now.names(zone)) {
      if (!name.startsWith(PREFIX) || !name.endsWith(ending(hash))) continue;
      const lines = await now.kept(zone, name);
      const approval = lines && (await decodeApproval(lines));
      if (typeof approval === "object" && approval.hash === hash) return approval;
    }
  }
  return undefined;
}

/** Reads every approval that is kept of a zone: one that is damaged is of no use to the run that was to go on under it. Those of another version are old, and are evicted in time. */
export async function examineApprovals(store: StateReader, zone: ZoneId): Promise<Examination> {
  const findings: Diagnostic[] = [];
  let whole = 0;
  const now = await atOnce(store, zone);
  for (const name of (await now.names(zone)).filter((each) => each.startsWith(PREFIX))) {
    try {
      const lines = await now.kept(zone, name);
      const approval = lines && (await decodeApproval(lines));
      if (lines && !approval) findings.push(damagedApproval(name));
      else if (typeof approval === "object") whole += 1;
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
      // The state does not rest on it.
      findings.push({ ...thrown.diagnostic, severity: "warning" });
    }
  }
  return { facts: [`approvals kept: ${whole}`], findings };
}

function damagedApproval(name: string): Diagnostic {
  return warning({
    code: "approval-damaged",
    message: `the approval that is kept as ${name} is damaged, so no run can be resumed under it`,
    remedy: `plan again and have that approved, or apply the plan file; nothing else depends on it`,
  });
}

/** Half of the hash names a record; the whole of it stands inside. */
function ending(hash: Digest): string {
  return `-${hash.slice(hash.indexOf(":") + 1).slice(0, 32)}`;
}

async function* streamed(approval: Approval): AsyncIterable<string> {
  yield* encodeApproval(approval);
}
