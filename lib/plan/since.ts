import type { Address } from "../core/brand.ts";
import { objects, optionalText } from "../core/decode.ts";
import { defined, equal, formatPath, type Json } from "../core/json.ts";
import type { LeafChange } from "../core/diff.ts";
import type { ObjectHazard } from "../kinds/hazards.ts";
import type { Change, Pending, Since } from "./change.ts";
import { allLeaves, onlyLetsGo } from "./write.ts";

/** Compares the changes of a zone with those that the earlier configuration has for the same live objects and state. */
export function comparePending(
  changes: readonly Change[],
  earlier: readonly Change[],
): Pick<Since, "pending" | "withdrawn"> {
  const before = new Map(earlier.flatMap(withCompanion).map((change) => [change.address, change]));
  const now = new Set(changes.flatMap(withCompanion).map(({ address }) => address));
  const pending = new Map<Address, Pending>();
  for (const change of changes) {
    const found = pendingPart(change, before.get(change.address));
    if (found) pending.set(change.address, found);
  }
  return { pending, withdrawn: [...before.keys()].filter((address) => !now.has(address)) };
}

/** Whether all of a change was pending before this branch. */
export function isPending(since: Since | undefined, { address }: Pick<Change, "address">): boolean {
  return since?.pending.get(address)?.branch.length === 0;
}

/** The hazards of a change, with what is known about them. */
type Hazards = Pick<Change, "hazards" | "hazardDetails" | "observed">;

/**
 * The hazards of a change that come from what this branch adds, or from what was pending before. One that is about
 * fields or rules of both has both, each with its own. One that nothing explains further is the branch's.
 */
export function hazardsSince({ pending }: Since, change: Change, side: keyof Pending): Hazards {
  const part = pending.get(change.address);
  if (part === undefined) return side === "branch" ? change : { hazards: [] };
  if (part.branch.length === 0) return side === "before" ? change : { hazards: [] };
  const isOfSide = (name: string): boolean => part.before.includes(name) === (side === "before");
  const details = (change.hazardDetails ?? []).map((detail): ObjectHazard => {
    const paths = detail.paths?.filter((path) => isOfSide(formatPath(path)));
    const rules = detail.rules?.filter((ref) => isOfSide(formatPath(["rules", ref])));
    return { ...detail, ...defined({ paths, rules }) };
  });
  const hazards = change.hazards.filter((hazard) => {
    const { paths, rules } = details.find((each) => each.hazard === hazard) ?? {};
    return paths === undefined && rules === undefined
      ? side === "branch"
      : (paths ?? []).length + (rules ?? []).length > 0;
  });
  const observed = side === "branch" ? change.observed : undefined;
  return { hazards, hazardDetails: details, ...defined({ observed }) };
}

/** A change, and the one that the same call applies. */
function withCompanion(change: Change): readonly Change[] {
  return change.with === undefined ? [change] : [change, change.with];
}

function pendingPart(change: Change, earlier: Change | undefined): Pending | undefined {
  if (earlier === undefined) return undefined;
  // A branch that lifts a protection, a limit or a hold is what lets the change happen.
  if (isStopped(earlier) && !isStopped(change)) return undefined;
  if (change.action !== earlier.action && [change, earlier].some(isOfWholeObject)) return undefined;
  const refs = new Set(refsOf(change));
  const common = new Set(refsOf(earlier).filter((ref) => refs.has(ref)));
  const [now, before] = [partsOf(change, common), partsOf(earlier, common)];
  const isBefore = (name: string): boolean => equal(now.get(name), before.get(name));
  const names = [...now.keys()];
  const branch = change.digest === earlier.digest ? [] : names.filter((name) => !isBefore(name));
  const found = { before: names.filter((name) => !branch.includes(name)), branch };
  return found.before.length === 0 && branch.length > 0 ? undefined : found;
}

/** Whether the change is blocked, or waits at least in part. */
function isStopped({ refused, held }: Change): boolean {
  return refused !== undefined || held !== undefined;
}

/** Whether the change is more than the sum of its fields: a deletion is none of an object that was to be updated. */
function isOfWholeObject(change: Change): boolean {
  switch (change.action) {
    case "create":
    case "replace":
    case "delete":
      return true;
    case "forget":
      return !onlyLetsGo(change);
    case "update":
    case "adopt":
    case "held":
    case "no-op":
      return false;
    default:
      return change satisfies never;
  }
}

/** The parts of a change by name, each with everything that it does to that part. */
function partsOf(change: Change, common: ReadonlySet<string>): ReadonlyMap<string, readonly Json[]> {
  const leaf = ({ path, before, after }: LeafChange): Json => [path, before ?? null, after ?? null];
  const order = refsOf(change).filter((ref) => common.has(ref));
  const parts = new Map<string, readonly Json[]>();
  const add = (name: string, what: Json): void => void parts.set(name, [...(parts.get(name) ?? []), what]);
  for (const each of allLeaves(change)) add(formatPath(each.path), leaf(each));
  for (const { action, ref, leaves } of change.rules) {
    // Positions count from the top, so a rule that the branch adds above would change all of them.
    const place = action === "insert" || action === "move" ? order.indexOf(ref) : null;
    add(formatPath(["rules", ref]), [action, place, leaves.map(leaf)]);
  }
  for (const path of change.letGo) add(formatPath(path), "released");
  if (change.with !== undefined) add(change.with.address, change.with.digest);
  return parts;
}

/** The refs of the declared rules, in their order. */
function refsOf({ desired }: Change): readonly string[] {
  return desired?.["rules"] === undefined
    ? []
    : objects(desired, "rules").flatMap((rule) => optionalText(rule, "ref") ?? []);
}
