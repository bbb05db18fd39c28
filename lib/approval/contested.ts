import {
  defined,
  equal,
  formatPath,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Path,
  valueAt,
} from "../core/json.ts";
import { keyedByRef } from "../kinds/traits/shared.ts";
import type { Change, LeafConflict } from "../plan/change.ts";
import { allLeaves } from "../plan/write.ts";

/**
 * The fields in which live differs from what a change rests on, with the values that the change wanted. `now` is the
 * same projection of live.
 */
export function movedLeaves(
  change: Pick<Change, "leaves" | "held" | "desired" | "expected">,
  now: JsonObject,
): readonly LeafConflict[] {
  const wanted = new Map(allLeaves(change).map(({ path, after }) => [formatPath(path), after]));
  const desired = { rules: keyedByRef(change.desired?.["rules"]) ?? null };
  const fields = new Map<string, LeafConflict>();
  for (const found of differing(change.expected ?? {}, now)) {
    const after = wanted.get(formatPath(found.path)) ?? valueAt(desired, found.path);
    fields.set(formatPath(found.path), after === undefined ? found : { ...found, wanted: after });
  }
  return [...fields.values()];
}

/**
 * The fields in which a change differs from the approved one for the same object, in the live or in the wanted value.
 */
export function contestedLeaves(approved: Change, now: Change): readonly LeafConflict[] {
  const fields = new Map<string, LeafConflict>();
  if (approved.expected && now.expected && isSameAction(approved.action, now.action))
    for (const found of movedLeaves(approved, now.expected)) fields.set(formatPath(found.path), found);
  const fresh = new Map(allLeaves(now).map((leaf) => [formatPath(leaf.path), leaf]));
  for (const { path, before, after, sensitive } of allLeaves(approved)) {
    const name = formatPath(path);
    const leaf = fresh.get(name);
    if (fields.has(name) || (leaf && equal(leaf.before, before) && equal(leaf.after, after))) continue;
    fields.set(name, {
      ...field(path, before, leaf ? leaf.before : after),
      ...defined({ wanted: after }),
      ...(leaf?.after === undefined || equal(leaf.after, after) ? {} : { wantedNow: leaf.after }),
      ...(sensitive ? { sensitive } : {}),
    });
  }
  return [...fields.values()];
}

/** Whether two changes do the same. A held change counts as the update that it becomes. */
export function isSameAction(approved: Change["action"], now: Change["action"]): boolean {
  const asUpdate = (action: Change["action"]): Change["action"] => (action === "held" ? "update" : action);
  return asUpdate(approved) === asUpdate(now);
}

/** The fields in which two projections differ. A projection names fields by dotted paths, or holds whole objects. */
function differing(planned: JsonObject, now: JsonObject): LeafConflict[] {
  return keysOf(planned, now).flatMap((key) => {
    const [left, right] = [planned[key], now[key]];
    if (equal(left, right)) return [];
    const inside = differingInside(key.split("."), keyedByRef(left), keyedByRef(right));
    return inside.length > 0 ? inside : [field(key.split("."), refsOf(left), refsOf(right))];
  });
}

function differingInside(path: Path, left: Json | undefined, right: Json | undefined): LeafConflict[] {
  if (equal(left, right)) return [];
  if (!isObject(left) || !isObject(right)) return [field(path, left, right)];
  return keysOf(left, right).flatMap((key) => differingInside([...path, key], left[key], right[key]));
}

function keysOf(left: JsonObject, right: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])];
}

function field(path: Path, planned: Json | undefined, live: Json | undefined): LeafConflict {
  return { path, ...defined({ planned, live }) };
}

/** The refs of rules, if only their order differs. */
function refsOf(value: Json | undefined): Json | undefined {
  const rules = keyedByRef(value);
  return isList(value) && isObject(rules) ? Object.keys(rules) : value;
}
