import { error } from "../core/diagnostic.ts";
import { equal, formatPath, isList, isObject, type Json, type JsonObject, type Path, valueAt } from "../core/json.ts";
import type { Change } from "../plan/change.ts";
import { keyedByRef } from "../resources/keyed-rules.ts";
import type { Live } from "../resources/kind.ts";
import { kindNamed } from "../resources/registry.ts";
import { ApiError } from "../service/errors.ts";
import type { LeafConflict, Outcome } from "./outcome.ts";

/** A duplicate hostname (public fact: 409, code 1406). */
const DUPLICATE_HOSTNAME = 1406;
const REPLAN = "look at the difference, then plan again";

/** The object is no longer as it was when the change was planned; with what was planned from, what is live, and what was wanted. */
export function conflict(change: Change, live: Live, what = "it was changed since the plan was made"): Outcome {
  return {
    status: "conflict",
    diagnostic: error({
      code: "changed-since-plan",
      message: what,
      remedy: REPLAN,
      address: change.address,
    }),
    fields: fieldsOf(change, live),
  };
}

/** The object is gone, and it is not the application's to delete. */
export function goneSince(change: Change): Outcome {
  return {
    status: "conflict",
    diagnostic: error({
      code: "gone-since-plan",
      message: "it was deleted since the plan was made",
      remedy: REPLAN,
      address: change.address,
    }),
    fields: [],
  };
}

/** The name is taken by an object that was not there when the plan was made. */
export function existsAlready(thrown: unknown, change: Change): Outcome | undefined {
  const isDuplicate =
    thrown instanceof ApiError && thrown.family === "custom_hostnames" && thrown.has(DUPLICATE_HOSTNAME);
  if (!isDuplicate) return undefined;
  return {
    status: "conflict",
    diagnostic: error({
      code: "exists-already",
      message: "it was created by somebody else since the plan was made",
      remedy: "plan again: what is declared and live is adopted by its name",
      address: change.address,
    }),
    fields: [],
  };
}

/** A secret was changed between plan and apply. */
export function secretChanged(change: Change, path: Path): Outcome {
  return {
    status: "conflict",
    diagnostic: error({
      code: "secret-changed-since-plan",
      message: `${formatPath(path)} is another secret than the one that the plan was made with`,
      remedy: "plan again with the secret that is meant",
      address: change.address,
    }),
    fields: [{ path, sensitive: true }],
  };
}

function fieldsOf(change: Change, live: Live): readonly LeafConflict[] {
  const leaves = change.action === "delete" || change.action === "replace" ? [] : change.leaves;
  const current = kindNamed(change.kind).guarded(live, leaves);
  const wanted = new Map(change.leaves.map(({ path, after }) => [formatPath(path), after]));
  const desired = { rules: keyedByRef(change.desired?.["rules"]) ?? null };
  const fields = new Map<string, LeafConflict>();
  for (const field of differing(change.expected ?? {}, current)) {
    const after = wanted.get(formatPath(field.path)) ?? valueAt(desired, field.path);
    fields.set(formatPath(field.path), after === undefined ? field : { ...field, wanted: after });
  }
  return [...fields.values()];
}

/** The leaves in which two projections differ. A projection names leaves by dotted paths, or holds whole objects. */
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
  return { path, ...(planned === undefined ? {} : { planned }), ...(live === undefined ? {} : { live }) };
}

/** Where only the order of rules differs, their refs say it. */
function refsOf(value: Json | undefined): Json | undefined {
  const rules = keyedByRef(value);
  return isList(value) && isObject(rules) ? Object.keys(rules) : value;
}
