import { bucketed, type Some } from "../../core/bucketed.ts";
import { defined } from "../../core/defined.ts";
import type { Address } from "../../core/brand.ts";
import type { Cause, LeafChange } from "../../core/diff.ts";
import { formatPosition } from "../../core/diagnostic.ts";
import { equal, formatPath, type Json, type Path } from "../../core/json.ts";
import type { Action, Change, Refused } from "../../plan/change.ts";
import { onlyLetsGo } from "../../plan/let-go.ts";
import type { Hazard } from "../../kinds/traits/judged.ts";
import type { Held, RuleChange } from "../../kinds/traits/compared.ts";
import type { KindName } from "../../kinds/kind.ts";
import { isSensitive } from "../lines/value.ts";
import { counted } from "../lines/words.ts";

/** A leaf of a group. */
export interface GroupLeaf extends LeafChange {
  /** The objects of the group get different values: none is shown. */
  readonly varies?: true;
}

/** Changes that read the same, as one. A change that is like no other is a group of one. */
export interface ChangeGroup {
  readonly action: Action;
  readonly kind: KindName;
  readonly addresses: readonly Address[];
  readonly cause: Cause;
  readonly reason?: string;
  readonly leaves: readonly GroupLeaf[];
  readonly rules: readonly RuleChange[];
  readonly notes: readonly string[];
  readonly hazards: readonly Hazard[];
  readonly refused?: Refused;
  /** Where the objects are declared: the first place, and how many others there are; absent for what is declared nowhere. */
  readonly place?: string;
}

/** Objects of which the same leaves wait for the same reason. */
export interface HeldGroup {
  readonly kind: KindName;
  readonly addresses: readonly Address[];
  readonly reason: string;
  /** What would lift it. */
  readonly lifts?: string;
  readonly leaves: readonly LeafChange[];
}

/** Objects of which the same leaves left the YAML and stay as they are. */
export interface LetGoGroup {
  readonly kind: KindName;
  readonly addresses: readonly Address[];
  readonly paths: readonly Path[];
}

/** Changes in groups, what destroys first, else in the order of the plan. Linear in the number of changes. */
export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = [...bucketed(changes.filter(isShown), changeKey).values()].map(changeGroup);
  return groups.sort((left, right) => ORDER.indexOf(left.action) - ORDER.indexOf(right.action));
}

const ORDER: readonly Action[] = ["delete", "replace", "update", "create", "adopt", "forget", "held", "no-op"];

/** What waits, by reason; a change may wait in part, or altogether (`held`). */
export function groupHeld(changes: readonly Change[]): HeldGroup[] {
  const waiting = changes.flatMap((change) => {
    const held = heldOf(change);
    return held === undefined ? [] : [{ change, held }];
  });
  const buckets = bucketed(waiting, ({ change, held }) =>
    JSON.stringify([change.kind, held.reason, held.lifts ?? null, leafKeys(held.leaves)]),
  );
  return [...buckets.values()].map(([first, ...others]) => ({
    kind: first.change.kind,
    addresses: [first, ...others].map(({ change }) => change.address),
    reason: first.held.reason,
    ...defined({ lifts: first.held.lifts }),
    leaves: first.held.leaves,
  }));
}

/** What is let go, by the leaves. */
export function groupLetGo(changes: readonly Change[]): LetGoGroup[] {
  const going = changes.filter((change) => change.letGo.length > 0);
  const buckets = bucketed(going, (change) => JSON.stringify([change.kind, change.letGo]));
  return [...buckets.values()].map(([first, ...others]) => ({
    kind: first.kind,
    addresses: [first, ...others].map(({ address }) => address),
    paths: first.letGo,
  }));
}

/** What only waits, or only lets leaves go, has its own section. */
function isShown(change: Change): boolean {
  if (change.refused !== undefined) return true;
  return change.action !== "held" && change.action !== "no-op" && !onlyLetsGo(change);
}

function changeKey(change: Change): string {
  const { kind, action, cause, reason, leaves, rules, notes, refused } = change;
  const lost = action === "delete" || action === "replace" ? change.hazards : [];
  const shown = action === "create" ? leaves.map(({ path }) => path) : leafKeys(leaves);
  return JSON.stringify([kind, action, cause, reason, shown, rules, notes, refused, lost]);
}

/** What of leaves is shown, to tell whether others show the same: the values of secrets are not, so that secrets group as well. */
export function leafKeys(leaves: readonly LeafChange[]): Json {
  return leaves.map((leaf) => {
    const { path, cause, before, after, prior } = leaf;
    if (leaf.sensitive || isSensitive(before) || isSensitive(after))
      return [path, cause, "sensitive", before === undefined];
    return [path, cause, some(before), some(after), cause === "config" ? [] : some(prior)];
  });
}

/** A value in a list, and nothing in an empty one: absent and `null` stay apart. */
function some(value: Json | undefined): Json {
  return value === undefined ? [] : [value];
}

function changeGroup(bucket: Some<Change>): ChangeGroup {
  const [first] = bucket;
  return {
    action: first.action,
    kind: first.kind,
    addresses: bucket.map(({ address }) => address),
    cause: first.cause,
    ...defined({ reason: first.reason }),
    leaves: first.action === "create" ? commonLeaves(bucket) : first.leaves,
    rules: first.rules,
    notes: first.notes,
    hazards: first.hazards,
    ...defined({ refused: first.refused, place: placeOf(bucket) }),
  };
}

function placeOf(bucket: readonly Change[]): string | undefined {
  const [first, ...others] = new Set(bucket.flatMap(({ at }) => (at === undefined ? [] : [formatPosition(at)])));
  return first === undefined || others.length === 0 ? first : `${first} and ${counted(others.length, "other place")}`;
}

/** The leaves of creates that have the same paths in the same order; where the values differ, they vary. */
function commonLeaves(bucket: Some<Change>): GroupLeaf[] {
  const [first, ...others] = bucket;
  const common: GroupLeaf[] = [...first.leaves];
  for (const other of others) {
    for (const [index, leaf] of other.leaves.entries()) {
      const known = common[index];
      if (known !== undefined && !known.varies && !isSame(known, leaf)) {
        common[index] = { ...known, varies: true };
      }
    }
  }
  return common;
}

/** Whether two new objects get the same value where, if they are created again, they had the same before. */
function isSame(one: LeafChange, other: LeafChange): boolean {
  return equal([some(one.after), some(one.prior)], [some(other.after), some(other.prior)]);
}

function heldOf(change: Change): Held | undefined {
  if (change.refused !== undefined) return undefined;
  if (change.held !== undefined) return change.held;
  return change.action === "held"
    ? { leaves: change.leaves, reason: change.reason ?? "Cloudflare has to finish something first" }
    : undefined;
}

/** The paths of leaves in one text, for a line that only names them. */
export function formatPaths(paths: readonly Path[]): string {
  return paths.map(formatPath).join(", ");
}
