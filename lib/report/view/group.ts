import { bucketed, type Some } from "../../core/lists.ts";
import { defined, equal, formatPath, type Json, leaves as leavesOf, type Path, valueAt } from "../../core/json.ts";
import type { Address } from "../../core/brand.ts";
import type { Cause, LeafChange } from "../../core/diff.ts";
import { formatPosition, type Position } from "../../core/diagnostic.ts";
import type { Action, Change, Refused } from "../../plan/change.ts";
import { onlyLetsGo } from "../../plan/write.ts";
import { type Hazard, HAZARD_MEANINGS } from "../../kinds/hazards.ts";
import type { Held, RuleChange } from "../../kinds/traits/compared.ts";
import type { KindName } from "../../kinds/kind.ts";
import { kindNamed } from "../../kinds/registry.ts";
import { removals } from "../../kinds/ruleset/diff.ts";
import { counted } from "../../core/words.ts";
import { isSensitive } from "../../core/value-words.ts";

/** The first place of several in the YAML, and how many others there are. */
export interface Places {
  readonly first: Position;
  readonly others: number;
}

/** A field of a group. */
export interface GroupLeaf extends LeafChange {
  /** What to call the field instead of its path. */
  readonly name?: string;
  /** The objects of the group get different values, so none is shown. */
  readonly varies?: true;
  /** A hazard concerns this field. */
  readonly isDanger?: true;
  /** The places that decide the value, unless one place decides all fields of the group. */
  readonly place?: Places;
}

/** A rule of a group. */
export interface GroupRule extends RuleChange {
  /** A hazard concerns this rule. */
  readonly isDanger?: true;
}

/** Changes that look the same, shown as one. A change that is unlike any other is a group of one. */
export interface ChangeGroup {
  readonly action: Action;
  readonly kind: KindName;
  readonly addresses: readonly Address[];
  readonly cause: Cause;
  readonly reason?: string;
  readonly leaves: readonly GroupLeaf[];
  readonly rules: readonly GroupRule[];
  readonly notes: readonly string[];
  readonly hazards: readonly Hazard[];
  /** A danger concerns these objects: it is described at the top of the plan, and marked here. */
  readonly isDanger: boolean;
  readonly refused?: Refused;
  /** The places that decide the values, or else declare the objects. */
  readonly place?: Places;
}

/** Objects whose same fields are held for the same reason. */
export interface HeldGroup {
  readonly kind: KindName;
  readonly addresses: readonly Address[];
  readonly reason: string;
  /** What would lift the hold. */
  readonly lifts?: string;
  readonly leaves: readonly GroupLeaf[];
  readonly place?: Places;
}

/** Objects whose same fields left the YAML and stay as they are. */
export interface LetGoGroup {
  readonly kind: KindName;
  readonly addresses: readonly Address[];
  readonly paths: readonly Path[];
  /** The different live values of each released field, as far as they may be shown. */
  readonly keeps: readonly (readonly Json[])[];
}

/** Groups of several zones: those that read the same in more than one zone, and what is left of each zone. */
export interface Shared<Group> {
  readonly shared: readonly Group[];
  readonly own: readonly (readonly Group[])[];
}

/** Groups changes: destructive ones first, else in the order of the plan. Linear in the number of changes. */
export function groupChanges(changes: readonly Change[]): readonly ChangeGroup[] {
  return inOrder([...bucketed(changes.filter(isShown), changeKey).values()].map(changeGroup));
}

/** The same for the changes of each zone. */
export function shareChanges(zones: readonly (readonly Change[])[]): Shared<ChangeGroup> {
  const shown = zones.map((changes) => changes.filter(isShown));
  const { shared, own } = share(shown, changeKey, changeGroup, valuesKey);
  return { shared: inOrder(shared), own: own.map(inOrder) };
}

function inOrder(groups: readonly ChangeGroup[]): readonly ChangeGroup[] {
  return groups.toSorted((left, right) => ORDER.indexOf(left.action) - ORDER.indexOf(right.action));
}

const ORDER: readonly Action[] = ["delete", "replace", "update", "create", "adopt", "forget", "held", "no-op"];

/** Groups the held changes of each zone by reason; a change may be held in part, or as a whole (`held`). */
export function shareHeld(zones: readonly (readonly Change[])[]): Shared<HeldGroup> {
  const waiting = zones.map((changes) =>
    changes.flatMap((change) => {
      const held = heldOf(change);
      return held === undefined ? [] : [{ change, held }];
    }),
  );
  return share(
    waiting,
    ({ change, held }) => JSON.stringify([change.kind, held.reason, held.lifts ?? null, leafKeys(held.leaves)]),
    (bucket) => {
      const [{ change, held }] = bucket;
      return {
        kind: change.kind,
        addresses: bucket.map((each) => each.change.address),
        reason: held.reason,
        ...defined({ lifts: held.lifts }),
        ...placed(
          held.leaves,
          bucket.map((each) => ({ ...each.change, leaves: each.held.leaves })),
        ),
      };
    },
  );
}

/** Groups the released fields of each zone. */
export function shareLetGo(zones: readonly (readonly Change[])[]): Shared<LetGoGroup> {
  const going = zones.map((changes) => changes.filter((change) => change.letGo.length > 0));
  return share(
    going,
    (change) => JSON.stringify([change.kind, change.letGo]),
    (bucket) => {
      const [{ kind, letGo: paths }] = bucket;
      const keeps = paths.map((path) => {
        const found = bucket.flatMap(({ keeps: kept }) => {
          const value = kept?.[formatPath(path)];
          return value === undefined ? [] : [[JSON.stringify(value), value] as const];
        });
        return [...new Map(found).values()];
      });
      return { kind, addresses: bucket.map(({ address }) => address), paths, keeps };
    },
    ({ keeps }) => JSON.stringify(keeps),
  );
}

/**
 * Groups the items of each zone by key. Groups of several zones with the same key become one if they also read the same
 * (`more`), so that no zone's group falls apart.
 */
function share<T, Group>(
  zones: readonly (readonly T[])[],
  keyOf: (item: T) => string,
  groupOf: (bucket: Some<T>) => Group,
  more: (group: Group) => string = () => "",
): Shared<Group> {
  const made = zones.map((items) =>
    [...bucketed(items, keyOf)].map(([key, items]) => {
      const group = groupOf(items);
      return { items, group, key: zones.length === 1 ? key : JSON.stringify([key, more(group)]) };
    }),
  );
  const alike = bucketed(made.flat(), ({ key }) => key);
  const isShared = ({ key }: { readonly key: string }): boolean => (alike.get(key)?.length ?? 0) > 1;
  const joined = [...alike.values()].filter(([first]) => isShared(first));
  return {
    shared: joined.map(([first, ...others]) => groupOf([...first.items, ...others.flatMap(({ items }) => items)])),
    own: made.map((groups) => groups.filter((each) => !isShared(each)).map(({ group }) => group)),
  };
}

/** Whether a change has more than held or released fields, which have their own sections. */
function isShown(change: Change): boolean {
  if (change.refused !== undefined) return true;
  return change.action !== "held" && change.action !== "no-op" && !onlyLetsGo(change);
}

function changeKey(change: Change): string {
  const { kind, action, cause, reason, leaves, notes, refused } = change;
  const rules = rulesOf(change);
  const lost = action === "delete" || action === "replace" ? change.hazards : dangersOf(change);
  const marked = change.hazardDetails?.map(({ hazard, paths, rules: refs }) => [hazard, paths, refs]);
  const shown = action === "create" ? leaves.map(({ path }) => path) : leafKeys(leaves);
  return JSON.stringify([kind, action, cause, reason, shown, rules, notes, refused, lost, marked]);
}

/** What groups with the same key may differ in: the values of new and of deleted objects. */
function valuesKey({ leaves }: ChangeGroup): string {
  return JSON.stringify([leafKeys(leaves), leaves.map(({ varies }) => varies === true)]);
}

/**
 * The visible part of fields, to compare changes by. The values of secrets are not visible, so secrets group as well.
 */
export function leafKeys(leaves: readonly LeafChange[]): Json {
  return leaves.map((leaf) => {
    const { path, cause, before, after, prior, origin } = leaf;
    const decider = origin?.isShared ? [origin.through ?? "", formatPosition(origin.at)] : [];
    if (leaf.sensitive || isSensitive(before) || isSensitive(after))
      return [path, cause, "sensitive", before === undefined, decider];
    return [path, cause, some(before), some(after), cause === "config" ? [] : some(prior), decider];
  });
}

/** A value as a list of one, or an empty list: so absent and `null` differ. */
function some(value: Json | undefined): Json {
  return value === undefined ? [] : [value];
}

function changeGroup(bucket: Some<Change>): ChangeGroup {
  const [first] = bucket;
  const { leaves, place } = placed(sharedLeaves(bucket), bucket);
  const dangers = dangersOf(first);
  const { isWhole, paths, rules } = markedBy(first, dangers);
  const isMarked = ({ path }: LeafChange): boolean => isWhole || paths.has(formatPath(path));
  return {
    action: first.action,
    kind: first.kind,
    addresses: bucket.map(({ address }) => address),
    cause: first.cause,
    ...defined({ reason: first.reason }),
    leaves: leaves.map((leaf) => ({ ...leaf, ...(isMarked(leaf) ? { isDanger: true } : {}) })),
    rules: rulesOf(first).map((rule) => ({ ...rule, ...(rules.has(rule.ref) ? { isDanger: true } : {}) })),
    notes: first.notes,
    hazards: first.hazards,
    isDanger: dangers.length > 0,
    ...defined({ refused: first.refused, place }),
  };
}

/** The hazards of a change that endanger users, computed and observed. */
function dangersOf({ hazards, observed = [] }: Change): readonly Hazard[] {
  const all = [...hazards, ...observed.map(({ hazard }) => hazard)];
  return all.filter((hazard) => HAZARD_MEANINGS[hazard].mark === "DANGER");
}

/** The fields and rules that dangers are about. If one says neither, it is about every field that changes. */
function markedBy(
  { action, hazardDetails = [] }: Change,
  dangers: readonly Hazard[],
): { readonly isWhole: boolean; readonly paths: ReadonlySet<string>; readonly rules: ReadonlySet<string> } {
  const known = dangers.map((hazard) => hazardDetails.find((each) => each.hazard === hazard));
  return {
    isWhole: action !== "delete" && known.some((each) => each?.paths === undefined && each?.rules === undefined),
    paths: new Set(known.flatMap((each) => each?.paths ?? []).map(formatPath)),
    rules: new Set(known.flatMap((each) => each?.rules ?? [])),
  };
}

/** Fields with the places that decide them; a single place for all belongs to the group. */
function placed(
  leaves: readonly GroupLeaf[],
  bucket: readonly Pick<Change, "at" | "leaves">[],
): Pick<ChangeGroup, "leaves" | "place"> {
  const declared = placeOf(bucket.map(({ at }) => at));
  if (leaves.every(({ origin }) => origin === undefined)) return { leaves, ...defined({ place: declared }) };
  const places = leaves.map((_leaf, index) => placeOf(bucket.map((change) => change.leaves[index]?.origin?.at)));
  const [first, ...others] = places;
  if (others.every((place) => equalPlaces(place, first))) return { leaves, ...defined({ place: first }) };
  return { leaves: leaves.map((leaf, index) => ({ ...leaf, ...defined({ place: places[index] }) })) };
}

function placeOf(positions: readonly (Position | undefined)[]): Places | undefined {
  const different = new Map(positions.flatMap((at) => (at === undefined ? [] : [[formatPosition(at), at] as const])));
  const [first] = different.values();
  return first && { first, others: different.size - 1 };
}

/** The place, as it is printed beside a change: `data/customers.csv:8:1 and 2 other places`. */
export function formatPlaces({ first, others }: Places): string {
  return `${formatPosition(first)}${others === 0 ? "" : ` and ${counted(others, "other place")}`}`;
}

function equalPlaces(one: Places | undefined, other: Places | undefined): boolean {
  return (one && formatPlaces(one)) === (other && formatPlaces(other));
}

/** The fields that all changes of a group have, with the values that they have in common. */
function sharedLeaves(bucket: Some<Change>): readonly GroupLeaf[] {
  const [first] = bucket;
  if (first.action === "delete") return commonLosses(bucket);
  return first.action === "create" ? commonLeaves(bucket) : first.leaves;
}

/** The changed fields of an object; of one that is deleted, all of its live values. */
export function fieldsOf({ action, cause, kind, leaves, expected, prior }: Change): readonly LeafChange[] {
  if (action !== "delete") return leaves;
  const { writeOnly } = kindNamed(kind);
  return leavesOf(expected).flatMap(({ path, value }): LeafChange[] => {
    const name = formatPath(path);
    // `rulesOf` has the rules.
    if (value === "" || (kind === "ruleset" && name === "rules")) return [];
    const secret = writeOnly.includes(name) ? { sensitive: true as const } : {};
    return [{ path, before: value, ...defined({ prior: valueAt(prior, path) }), cause, ...secret }];
  });
}

/** The changed rules of an entry point; of one that is deleted, all of ours. Foreign rules stay. */
export function rulesOf({ action, cause, kind, rules, expected, prior }: Change): readonly RuleChange[] {
  return action === "delete" && kind === "ruleset" ? removals(expected, prior, cause) : rules;
}

/** The fields that deleted objects lose, each once: a value that they do not all have is marked as varying. */
function commonLosses(bucket: Some<Change>): GroupLeaf[] {
  const found = new Map<string, { readonly leaf: LeafChange; count: number }>();
  for (const leaf of bucket.flatMap(fieldsOf)) {
    const name = formatPath(leaf.path);
    const known = found.get(name);
    if (known === undefined) found.set(name, { leaf, count: 1 });
    else if (equal(some(known.leaf.before), some(leaf.before))) known.count += 1;
  }
  return [...found.values()].map(({ leaf, count }) => (count === bucket.length ? leaf : { ...leaf, varies: true }));
}

/** The fields of creates with the same paths in the same order; different values are marked as varying. */
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

/** Whether two new objects get the same value and, if they are re-created, had the same one before. */
function isSame(one: LeafChange, other: LeafChange): boolean {
  return equal([some(one.after), some(one.prior)], [some(other.after), some(other.prior)]);
}

function heldOf(change: Change): Held | undefined {
  return change.refused === undefined ? change.held : undefined;
}

/** The paths of fields in one text, for a line that only names them. */
export function formatPaths(paths: readonly Path[]): string {
  return paths.map(formatPath).join(", ");
}
