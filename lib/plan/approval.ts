import { formatAddress, parseAddress } from "../core/address.ts";
import type { Address, Digest } from "../core/brand.ts";
import { digest } from "../core/digest.ts";
import { isFingerprint } from "../core/secret.ts";
import { successorKey } from "../resources/retired.ts";
import type { Change, Plan, Refused } from "./change.ts";
import { contestedLeaves } from "./contested.ts";
import { DELETION_LIMIT } from "./deletion-limits.ts";
import { digestOf } from "./digest.ts";

/** What somebody approved: a set of changes, known by their addresses, and the hash over them (product semantics 7). */
export interface Approval {
  readonly hash: Digest;
  readonly changes: ReadonlyMap<Address, ApprovedChange>;
}

/** What is kept of a change that was approved. */
export interface ApprovedChange {
  readonly action: Change["action"];
  readonly digest: Digest;
  /** Over what of the live object it rests on; absent where it rests on nothing. */
  readonly rests?: Digest;
  /** Over all values that were declared; absent for delete and forget. */
  readonly desired?: Digest;
  /** Over the change without its secrets, where they were not hashed yet because the zone had no state. */
  readonly secretless?: Digest;
  /** The change itself, where the plan is at hand: for the message when it is another one by now. */
  readonly change?: Change;
}

/** The approval of a whole plan. */
export function approvalOf({ hash, zones }: Pick<Plan, "hash" | "zones">): Approval {
  const changes = zones.flatMap((zone) => zone.changes).map((change) => [change.address, approved(change)] as const);
  return { hash, changes: new Map(changes) };
}

function approved(change: Change): ApprovedChange {
  return {
    action: change.action,
    digest: change.digest,
    ...(change.expected ? { rests: digest(change.expected) } : {}),
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
 * The part of a fresh plan that was approved. What was not approved is refused (exit code 4), what was approved
 * otherwise is contested (exit code 5), and what is needed no more is dropped: so a run that was stopped goes on under
 * the same approval, and nothing is ever done that nobody approved (product semantics 7). `liftsLimits`: what a deletion
 * limit refuses is carried out, where it is in the approved set.
 */
export function withApproval(
  fresh: Plan,
  approval: Approval,
  { liftsLimits = false }: { readonly liftsLimits?: boolean } = {},
): Plan {
  const lifted = (change: Change): Change => (liftsLimits ? withoutLimit(change) : change);
  const addresses = new Set(fresh.zones.flatMap(({ changes }) => changes.map(({ address }) => address)));
  const dropped = [...approval.changes.keys()].filter((address) => !addresses.has(address));
  const zones = fresh.zones.map((zone) => ({
    ...zone,
    changes: zone.changes.map((change) => judged(lifted(change), approval)),
  }));
  return { ...fresh, zones, approval: { hash: approval.hash, dropped: dropped.sort() } };
}

function judged(change: Change, { changes }: Approval): Change {
  // What waits writes nothing, so that there is nothing to approve about it.
  if (change.action === "held" || change.refused) return change;
  const known = changes.get(change.address);
  if (!known) return isPartOfReplacement(change, changes) ? change : { ...change, refused: NOT_APPROVED };
  if (isAsApproved(change, known)) return change;
  return { ...change, refused: contested(change, known) };
}

function withoutLimit(change: Change): Change {
  const { refused, ...rest } = change;
  return refused?.code === DELETION_LIMIT ? rest : change;
}

/** The code of a change that nobody approved: it was never part of what was to be done. */
export const NOT_AMONG_APPROVED = "not-approved";

const NOT_APPROVED: Refused = {
  code: NOT_AMONG_APPROVED,
  message: "it is not among the changes that were approved",
  remedy: "plan again, and have that plan approved",
};

/** An object that is replaced by creating first has an address of its own until it goes: it was approved with its successor. */
function isPartOfReplacement(change: Change, approved: Approval["changes"]): boolean {
  const successor = change.action === "delete" ? successorKey(change.key) : undefined;
  const parts = parseAddress(change.address);
  if (successor === undefined || !parts) return false;
  return approved.get(formatAddress({ ...parts, key: successor }))?.action === "replace";
}

function isAsApproved(change: Change, known: ApprovedChange): boolean {
  if (isContinuation(change, known)) return true;
  const isSame =
    change.digest === known.digest || (known.secretless !== undefined && secretless(change) === known.secretless);
  return isSame && (change.expected ? digest(change.expected) : undefined) === known.rests;
}

/** The rest of a create or replacement that was approved, begun, and cut off. */
function isContinuation({ action, desired, resumes }: Change, known: ApprovedChange): boolean {
  const wasMaking = known.action === "create" || known.action === "replace";
  const isMaking = action === "create" || (action === "adopt" && resumes === true);
  const isLeft = known.action === "replace" ? isMaking : isMaking && resumes === true;
  return wasMaking && isLeft && desired !== undefined && digest(desired) === known.desired;
}

/** Why it is not as approved, in the words in which apply says it of a change that it meets so itself. */
function contested(change: Change, known: ApprovedChange): Refused {
  const remedy = "look at the difference, then plan again";
  const isThere = change.action !== "create";
  if (known.action === "create" && isThere) {
    const message = "it was created by somebody else since the plan was made";
    return { code: "exists-already", message, remedy, contested: [] };
  }
  if (known.action !== "create" && !isThere)
    return { code: "gone-since-plan", message: "it was deleted since the plan was made", remedy, contested: [] };
  const fields = known.change ? contestedLeaves(known.change, change) : [];
  if (change.expected && digest(change.expected) !== known.rests && known.action === change.action)
    return { code: "changed-since-plan", message: "it was changed since the plan was made", remedy, contested: fields };
  return {
    code: "changed-since-approval",
    message: `what would be done to it (${change.action}) is not what was approved (${known.action})`,
    remedy: "look at the difference, plan again, and have that plan approved",
    contested: fields,
  };
}
