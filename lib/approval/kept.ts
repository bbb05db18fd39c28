import { streamed } from "../core/lists.ts";
import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import type { Digest, ZoneId } from "../core/brand.ts";
import { type Approval, type ApprovedChange, placeOf } from "./approval.ts";
import type { Examination } from "../state/upkeep/doctor.ts";
import { StateError } from "../state/error.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import type { Lease } from "../state/lock.ts";
import { address, type Codec, digest, oneOf, optional, struct, structs, zone } from "../core/codec.ts";
import { DecodeError, decodeOr, optionalText, texts } from "../core/decode.ts";
import { isList, type JsonObject, parseObject, type Path } from "../core/json.ts";
import { ACTIONS } from "../plan/change.ts";
import type { ApprovedPart } from "./parts.ts";
import { DIGEST_VERSION, hashOfChanges } from "../plan/digest.ts";

/** How many approvals to keep beside a zone. An approval of a hundred thousand changes has tens of megabytes. */
export const MOST_KEPT = 5;

const PREFIX = "approval-";

/** The prefix of records that mark an approval as finished. */
const FINISHED = "finished";

/**
 * Makes sure that exactly one zone of a run keeps the approval. Returns once it is kept, and whether the caller was the
 * one. Throws what `keep` throws; then the next zone tries.
 */
export type KeepOnce = (keep: () => Promise<void>) => Promise<boolean>;

/** Lets the first zone that begins keep the approval of a run. */
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
 * Keeps an approval beside the state of a zone, again with each run, so that a stopped run continues under it in any
 * zone. If there are too many, it evicts finished approvals first, then the least recently used one. Throws what the
 * store throws.
 */
export async function keepApproval(
  store: ProjectStore,
  zone: ZoneId,
  lease: Lease,
  approval: Approval,
  nowMilliseconds: number,
): Promise<void> {
  const { names } = await store.view(zone, lease);
  const kept = names.filter((name) => name.startsWith(PREFIX));
  const now = `${PREFIX}${Math.floor(nowMilliseconds)}${ending(approval.hash)}`;
  const before = kept.filter((name) => name !== now && name.endsWith(ending(approval.hash)));
  const others = kept.filter((name) => !name.endsWith(ending(approval.hash)));
  const isFinished = (name: string): boolean => names.some((each) => isMark(each) && name.endsWith(endingOf(each)));
  const inTurn = [...others.filter(isFinished), ...others.filter((name) => !isFinished(name))];
  const surplus = inTurn.slice(0, Math.max(0, others.length + 1 - MOST_KEPT));
  const staying = others.filter((name) => !surplus.includes(name));
  // This approval is no longer finished, because a run begins under it again.
  const marks = names.filter((mark) => isMark(mark) && !staying.some((name) => name.endsWith(endingOf(mark))));
  await store.keep(zone, lease, now, streamed(encodeApproval(approval)), [...before, ...surplus, ...marks]);
}

/**
 * The records that mark an approval as finished in its zone; it stays while there is room. None for an approval that
 * covers other zones too, because this run does not know about those.
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
 * The kept approval with this hash, if a run has begun under it. One zone keeps it for all, so the zones of the plan
 * are searched first, then all others.
 */
export async function readKeptApproval(
  store: ProjectStore & Pick<ProjectStore, "zones">,
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
  store: ProjectStore,
  zones: readonly ZoneId[],
  hash: Digest,
): Promise<Approval | undefined> {
  for (const zone of zones) {
    const now = await store.view(zone);
    for (const name of now.names) {
      if (!name.startsWith(PREFIX) || !name.endsWith(ending(hash))) continue;
      const lines = now.kept(name);
      const approval = lines && (await decodeApproval(lines));
      if (typeof approval === "object" && approval.hash === hash) return approval;
    }
  }
  return undefined;
}

/**
 * Reads every approval that is kept for a zone and reports damaged ones, which no run can continue under. Approvals of
 * another version are old, and are evicted in time.
 */
export async function examineApprovals(store: ProjectStore, zone: ZoneId): Promise<Examination> {
  const findings: Diagnostic[] = [];
  let whole = 0;
  const now = await store.view(zone);
  for (const name of now.names.filter((each) => each.startsWith(PREFIX))) {
    try {
      const lines = now.kept(name);
      const approval = lines && (await decodeApproval(lines));
      if (lines && !approval) findings.push(damagedApproval(name));
      else if (typeof approval === "object") whole += 1;
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
      // The state does not depend on it.
      findings.push({ ...thrown.diagnostic, severity: "warning" });
    }
  }
  return { facts: [`approvals kept: ${whole}`], findings };
}

function damagedApproval(name: string): Diagnostic {
  return warning(problem("approval-damaged", { name }));
}

/** The end of a record's name: half of the hash; the record itself has all of it. */
function ending(hash: Digest): string {
  return `-${hash.slice(hash.indexOf(":") + 1).slice(0, 32)}`;
}

const FORMAT = "zoneform-approval";
const VERSION = 1;

/** An approval as lines: its hash, then a line for each change. No values, so no secrets. */
function* encodeApproval({ hash, changes }: Approval): Iterable<string> {
  yield JSON.stringify({ format: FORMAT, version: VERSION, digest_version: DIGEST_VERSION, hash });
  for (const { change: _change, ...rest } of changes.values()) yield JSON.stringify(rest);
}

/**
 * Reads an approval back. Returns undefined for anything damaged, or if the changes do not give its hash: anything that
 * we cannot verify counts as not approved. An approval of another version is intact, but has no meaning for this one.
 * Throws what reading the lines throws.
 */
async function decodeApproval(lines: AsyncIterable<string>): Promise<Approval | "of another version" | undefined> {
  const changes = new Map<string, ApprovedChange>();
  let header: JsonObject | undefined;
  for await (const line of lines) {
    const value = parseObject(line);
    if (!value) return undefined;
    if (header) {
      const change = decodeOr(
        () => CHANGE.decode(value),
        () => undefined,
      );
      if (!change) return undefined;
      changes.set(placeOf(change.zone, change.address), change);
    } else {
      if (value["format"] !== FORMAT) return undefined;
      if (isOfAnotherVersion(value)) return "of another version";
      header = value;
    }
  }
  if (!header) return undefined;
  const hash = hashOfChanges([...changes.values()]);
  return hash === header["hash"] ? { hash, changes } : undefined;
}

function isOfAnotherVersion({ version, digest_version: digests }: JsonObject): boolean {
  const isNumbered = typeof version === "number" && typeof digests === "number";
  return isNumbered && (version !== VERSION || digests !== DIGEST_VERSION);
}

const PART: Codec<ApprovedPart> = struct<ApprovedPart>({ digest, paths, sets: digest });

const CHANGE: Codec<ApprovedChange> = struct<Omit<ApprovedChange, "change">>({
  zone,
  address,
  action: oneOf(ACTIONS),
  digest,
  hazards: texts,
  rests: optionalDigest,
  parts: optional(structs(PART)),
  desired: optionalDigest,
  secretless: optionalDigest,
  refused: optionalText,
});

function paths(from: JsonObject, field: string): readonly Path[] {
  const value = from[field];
  if (!isList(value)) throw new DecodeError(field, "a list of paths", value);
  return value.map((path) => texts({ path }, "path"));
}

function optionalDigest(from: JsonObject, field: string): Digest | undefined {
  return optionalText(from, field) === undefined ? undefined : digest(from, field);
}
