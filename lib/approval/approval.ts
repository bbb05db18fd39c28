import { problem } from "../core/diagnostic.ts";
import { formatAddress, parseAddress, withoutZone } from "../core/address.ts";
import { type Address, brandAddress, type Digest, type ZoneId } from "../core/brand.ts";
import { digest } from "../core/digest.ts";
import { isFingerprint } from "../core/secret.ts";
import { moment } from "../core/moment.ts";
import { successorKey } from "../kinds/retired.ts";
import { type ApprovedPart, isRestOf, partsOf } from "./parts.ts";
import type { ApprovedAs, Change, Plan, Refused, Settled, ZonePlan } from "../plan/change.ts";
import { contestedLeaves, isSameAction } from "./contested.ts";
import { digestOf, type Hashed, hashedOf, runsRestedOn } from "../plan/digest.ts";
import { EVERYTHING, type Selection } from "../plan/inputs.ts";
import { isLifted } from "./lifted.ts";
import { ANOTHER_OF_THIS_NAME } from "../plan/findings.ts";
import { waitsForUpdate } from "../plan/write.ts";
import { selector } from "../plan/targets.ts";
import type { RunHeader } from "../state/run-record.ts";
import { isGivenUp, shortRun } from "../state/state.ts";

/** An approved set of changes, and the hash over them (docs/semantics.md#approval). */
export interface Approval {
  readonly hash: Digest;
  /** By place: see `placeOf`. */
  readonly changes: ReadonlyMap<string, ApprovedChange>;
}

/**
 * Identifies a change: its zone's id and the address within the zone. The zone's name is left out, because it depends
 * on whether the project has other zones.
 */
export function placeOf(zone: ZoneId, address: Address): string {
  return `${zone} ${withoutZone(address)}`;
}

/** What is kept of an approved change: its zone, and the guard that blocked it in the plan, if one did. */
export interface ApprovedChange extends Hashed {
  /** As in the approved plan. */
  readonly address: Address;
  readonly action: Change["action"];
  /** The digest of the live values that it rests on, to say what changed since; absent if it rests on none. */
  readonly rests?: Digest;
  /**
   * A digest for each field that it edits, if there are several, so that the rest of a half-done edit is approved as
   * well.
   */
  readonly parts?: readonly ApprovedPart[];
  /** The digest of all declared values; absent for delete and forget. */
  readonly desired?: Digest;
  /** The digest of the change without its secrets, if they were not hashed yet because the zone had no state. */
  readonly secretless?: Digest;
  /** The change itself, if the plan is available; for the message if the change differs by now. */
  readonly change?: Change;
}

/** The approval of a whole plan. */
export function approvalOf({ hash, zones }: Pick<Plan, "hash" | "zones">): Approval {
  const changes = zones.flatMap(({ zone, changes: planned }) =>
    planned.map((change) => [placeOf(zone.id, change.address), approved(zone.id, change)] as const),
  );
  return { hash, changes: new Map(changes) };
}

function approved(zone: ZoneId, change: Change): ApprovedChange {
  const parts = partsOf(change) ?? [];
  return {
    ...hashedOf(zone, change),
    address: change.address,
    action: change.action,
    ...(change.expected ? { rests: digest(change.expected) } : {}),
    ...(parts.length > 1 ? { parts } : {}),
    ...(change.desired ? { desired: digest(change.desired) } : {}),
    ...(change.leaves.some(isReference) ? { secretless: secretless(change) } : {}),
    change,
  };
}

function isReference({ sensitive, after }: Change["leaves"][number]): boolean {
  return sensitive === true && after !== undefined && !isFingerprint(after);
}

function secretless(change: Change): Digest {
  const leaves = change.leaves.map((leaf) => (leaf.sensitive ? { ...leaf, after: "(sensitive)" } : leaf));
  return digestOf({ ...change, leaves });
}

/**
 * The approved part of a fresh plan. A change that was not approved is blocked (exit code 4), one that was approved
 * differently is a conflict (exit code 5), and one that is no longer needed is dropped. So a stopped run continues
 * under the same approval, and nothing is ever done without one (docs/semantics.md#approval). `liftsLimits`: approved
 * changes are applied even if a deletion limit blocks them. What any other guard blocked in the approved plan stays
 * blocked, whatever the guard says now. Losing a hazard is no conflict; a new hazard blocks its change (exit code 4).
 */
export function withApproval(
  fresh: Plan,
  approval: Approval,
  { liftsLimits = false, selection = EVERYTHING, runs = [] }: Judging = {},
): Plan {
  const done: DoneBefore = {
    own: new Set(runs.flatMap(({ run, planHash }) => (planHash === approval.hash ? [shortRun(run)] : []))),
    began: new Map(runs.map(({ run, began }) => [shortRun(run), began])),
  };
  const lifted = (change: Change): Change => (liftsLimits ? withoutLimit(change) : change);
  const zones = fresh.zones.map((section) => {
    const approved = approvedIn(section.zone.id, approval, liftsLimits);
    return { ...section, changes: section.changes.map((change) => judge(lifted(change), approved, done)) };
  });
  return {
    ...fresh,
    zones,
    approval: { hash: approval.hash, ...notPlanned(fresh, approval, { liftsLimits, selection }) },
  };
}

/** How to compare a fresh plan with an approval. */
interface Judging {
  readonly liftsLimits?: boolean;
  /** The scope of the fresh plan; everything by default. */
  readonly selection?: Selection;
  /** The recorded runs, to name those that used the approval; none by default. */
  readonly runs?: readonly Pick<RunHeader, "run" | "began" | "planHash">[];
}

/** Sorts approved changes that the fresh plan does not have. Those outside its scope may still be needed. */
function notPlanned(
  { zones }: Plan,
  { changes }: Approval,
  { liftsLimits, selection }: Required<Omit<Judging, "runs">>,
): Pick<ApprovedAs, "dropped" | "leftOut" | "takenOver"> {
  const places = new Set(
    zones.flatMap(({ zone, changes: planned }) => planned.map((each) => placeOf(zone.id, each.address))),
  );
  const settled = new Map(zones.map((section) => [section.zone.id, section.settled]));
  const takenOver = new Set(zones.flatMap(placesTakenOver));
  const isSelected = new Map(zones.map(({ zone }) => [zone.id, selector({ selection, desired: zone })]));
  const dropped: ApprovedAs["dropped"][number][] = [];
  const leftOut: Address[] = [];
  const gone: Address[] = [];
  for (const [place, known] of changes) {
    if (places.has(place)) continue;
    const { address, zone, action } = known;
    // Reported even if it was shown as blocked: the state forgets the object, so no later run could report it.
    const isTakenOver = action === "delete" && takenOver.has(place);
    if (!isTakenOver && !wasApproved(known, liftsLimits)) continue;
    const parts = parseAddress(address);
    const isLookedAt = parts !== undefined && isSelected.get(zone)?.(parts.kind, parts.key ?? "") === true;
    if (!isLookedAt) leftOut.push(address);
    else if (isTakenOver) gone.push(address);
    else dropped.push({ address, because: settled.get(zone)?.get(withoutZone(address)) ?? settledBy(action) });
  }
  return { dropped: dropped.sort(byAddress), leftOut: leftOut.sort(), takenOver: gone.sort() };
}

/** Why nothing is left to do for an object that is neither declared, tracked nor live. */
function settledBy(action: Change["action"]): Settled {
  return action === "delete" || action === "forget" ? "applied" : action === "create" ? "undeclared" : "gone";
}

function byAddress(left: { readonly address: Address }, right: { readonly address: Address }): number {
  return left.address < right.address ? -1 : 1;
}

function placesTakenOver({ zone, findings }: ZonePlan): readonly string[] {
  return findings.flatMap(({ code, address }) =>
    code === ANOTHER_OF_THIS_NAME && address !== undefined ? placeOf(zone.id, brandAddress(address)) : [],
  );
}

/**
 * Finds what was approved for an object of the zone, by its address; also changes that the approved plan showed as
 * blocked.
 */
type ApprovedIn = (address: Address) => ApprovedChange | typeof SHOWN_AS_REFUSED | undefined;

const SHOWN_AS_REFUSED = "shown as refused";

function approvedIn(zone: ZoneId, { changes }: Approval, liftsLimits: boolean): ApprovedIn {
  return (address) => {
    const known = changes.get(placeOf(zone, address));
    if (!known) return undefined;
    return wasApproved(known, liftsLimits) ? known : SHOWN_AS_REFUSED;
  };
}

/** A change that the approved plan showed as blocked was not approved; `--approve` lifts only the deletion limits. */
function wasApproved({ refused }: ApprovedChange, liftsLimits: boolean): boolean {
  return refused === undefined || (liftsLimits && isLifted(refused));
}

/** What earlier runs did; runs are named as the state names them. */
interface DoneBefore {
  /** The runs under this approval. */
  readonly own: ReadonlySet<string>;
  /** When each began, RFC 3339. */
  readonly began: ReadonlyMap<string, string>;
}

function judge(change: Change, approvedFor: ApprovedIn, done: DoneBefore): Change {
  if (change.refused) return change;
  const known = approvedFor(change.address);
  // A held change writes nothing, so it needs no approval. Only if it is the same edit as the approved one is it
  // compared.
  if (change.action === "held" && (!known || known === SHOWN_AS_REFUSED || !isSameEdit(change, known))) return change;
  if (known === SHOWN_AS_REFUSED) return { ...change, refused: REFUSED_WHEN_APPROVED };
  if (!known) return isPartOfReplacement(change, approvedFor) ? change : { ...change, refused: NOT_APPROVED };
  if (!isAsApproved(change, known, done)) return { ...change, refused: contested(change, known, done) };
  const gained = change.hazards.filter((hazard) => !known.hazards.includes(hazard));
  return gained.length === 0 ? change : { ...change, refused: hazardNotApproved(gained) };
}

/** Whether a held change was approved as an edit, held or not. */
function isSameEdit(change: Change, { action }: ApprovedChange): boolean {
  return waitsForUpdate(change.held) && (action === "update" || action === "adopt" || action === "held");
}

function withoutLimit(change: Change): Change {
  const { refused, ...rest } = change;
  return refused && isLifted(refused.code) ? rest : change;
}

/** The code of a change that differs from the one that was approved for its object. */
export const CHANGED_SINCE_APPROVAL = "changed-since-approval";

/** The code of a change that was never part of the approved plan. */
export const NOT_AMONG_APPROVED = "not-approved";

/** A change that is as approved, but has a new hazard that was not approved. */
function hazardNotApproved(gained: readonly string[]): Refused {
  const hazards = gained.length === 1 ? "the hazard" : "the hazards";
  return problem("hazard-not-approved", { hazards: `${hazards} ${gained.join(", ")}` });
}

const NOT_APPROVED: Refused = notApproved("it was not part of the approved plan");
const REFUSED_WHEN_APPROVED: Refused = notApproved("it was blocked in the approved plan");

function notApproved(message: string): Refused {
  return problem(NOT_AMONG_APPROVED, { message }, { remedy: "plan again and have that plan approved" });
}

/**
 * An object that is replaced with create-first has an address of its own until it is deleted. Its deletion was approved
 * with its successor, for the object as it was then, once the successor serves traffic. Deleting it for any other
 * reason was not approved.
 */
function isPartOfReplacement({ address, key, expected, replaced }: Change, approvedFor: ApprovedIn): boolean {
  const successor = replaced ? successorKey(key) : undefined;
  const parts = parseAddress(address);
  if (successor === undefined || !parts || !expected) return false;
  const known = approvedFor(formatAddress({ ...parts, key: successor }));
  return known !== SHOWN_AS_REFUSED && known?.action === "replace" && known.rests === digest(expected);
}

/**
 * The digest decides, as it does for a plan with exactly the approved hash. Other live values, such as foreign rules,
 * are copied from the read before the write; where they matter, the digest covers them.
 */
function isAsApproved(change: Change, known: ApprovedChange, done: DoneBefore): boolean {
  return (
    change.digest === known.digest ||
    isContinuation(change, known, done) ||
    isRestOf(change, known.parts) ||
    isSameButForHashes(change, known)
  );
}

/** Whether only the hashes of secrets are new: the references are as approved, and so is everything else. */
function isSameButForHashes(change: Change, known: ApprovedChange): boolean {
  if (known.secretless === undefined || secretless(change) !== known.secretless) return false;
  return change.desired !== undefined && digest(change.desired) === known.desired;
}

/** The rest of an approved create or replacement that was interrupted. */
function isContinuation(change: Change, known: ApprovedChange, { own }: DoneBefore): boolean {
  const { action, desired, prior, resumes } = change;
  const wasMaking = known.action === "create" || known.action === "replace";
  const isMaking = action === "create" || (action === "adopt" && resumes === true);
  // A run under this approval deleted the object to replace it, and could not create the new one.
  const isHalfDone = known.action === "replace" && !prior && runsRestedOn(change).every((run) => own.has(run));
  const isLeft = isMaking && (resumes === true || isHalfDone);
  return wasMaking && isLeft && desired !== undefined && digest(desired) === known.desired;
}

/** Why it is not as approved, in the same words that apply uses when it finds such a conflict itself. */
function contested(change: Change, known: ApprovedChange, done: DoneBefore): Refused {
  const isThere = change.action !== "create";
  if (known.action === "create" && isThere && !change.prior) return { ...problem("exists-already", {}), contested: [] };
  if (known.action !== "create" && !isThere) return { ...problem("gone-since-plan", {}), contested: [] };
  const fields = known.change ? contestedLeaves(known.change, change) : [];
  const spent = spentBy(change, known, done);
  if (spent) return { ...spent, contested: fields };
  if (change.expected && digest(change.expected) !== known.rests && isSameAction(known.action, change.action))
    return {
      ...problem("changed-since-plan", { message: "it was changed after the plan was made" }),
      contested: fields,
    };
  const message = isSameAction(known.action, change.action)
    ? `the plan would now ${change.action} it in another way than was approved`
    : `the plan would now ${change.action} it; approved was to ${known.action} it`;
  return { ...problem(CHANGED_SINCE_APPROVAL, { message }), contested: fields };
}

/** The code of a change whose approval a run has used, or that another run has applied or undone since. */
export const APPROVAL_SPENT = "approval-spent";

/** Why an approval no longer holds although nothing that it shows differs: runs have applied this since. */
function spentBy(change: Change, known: ApprovedChange, { own, began }: DoneBefore): Refused | undefined {
  const used = runsRestedOn(change).filter((run) => own.has(run));
  const later = runsSince(change, known);
  const isAsThen = (change.expected && digest(change.expected)) === known.rests;
  const isSameDesired = (change.desired && digest(change.desired)) === known.desired;
  const isSame = isAsThen && isSameDesired && isSameAction(known.action, change.action);
  if (used.length === 0 && (later.length === 0 || !isSame)) return undefined;
  if (used.length === 0 && later.every(isGivenUp)) {
    const message = "the state no longer knows whether a run applied this after the plan was made";
    return problem(APPROVAL_SPENT, { message });
  }
  const named = (all: readonly string[]): string =>
    all
      .map((run) => {
        const at = began.get(run);
        return `run ${run}${at === undefined ? "" : ` on ${moment(at)}`}`;
      })
      .join(" and ");
  const message =
    used.length > 0
      ? `this was applied by ${named(used)}, and has been ${isAsThen ? "set back" : "changed"} since`
      : `this was changed by ${named(later.filter((run) => !isGivenUp(run)))}, after the plan was made`;
  return problem(APPROVAL_SPENT, { message });
}

/**
 * The runs that have applied what was approved since the plan was made. It considers the approved change, because an
 * edit of the YAML also makes another change, and no run caused that. Without the plan, all runs that the change rests
 * on.
 */
function runsSince(change: Change, { change: approvedThen }: ApprovedChange): readonly string[] {
  if (!approvedThen) return runsRestedOn(change);
  const then = new Set(runsRestedOn(approvedThen));
  return runsRestedOn(approvedThen, change.by).filter((run) => !then.has(run));
}
