import { defined } from "../core/defined.ts";
import { equal, type JsonObject, withValueAt } from "../core/json.ts";
import type { Comparison } from "../kinds/traits/compared.ts";
import type { Hazard } from "../kinds/traits/judged.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import { weakens } from "../kinds/weakens.ts";
import type { StateObject } from "../state/state.ts";
import type { Action } from "./change.ts";
import { allLeaves } from "./rests.ts";
import type { Subject } from "./subject.ts";

/** What the hazards of a change are computed from. */
export interface Planned {
  readonly action: Action;
  readonly key: string;
  readonly desired: JsonObject | undefined;
  readonly comparison?: Comparison;
  readonly isReplaced?: true;
  /** How many live hostnames use the object; absent if not known. */
  readonly carried?: number;
}

/**
 * What may go wrong when a change is applied, from desired, prior and live alone. A held change has the hazards of the
 * update that it becomes (docs/semantics.md#held-changes, docs/semantics.md#hazards).
 */
export function hazardsOf(subject: Subject, planned: Planned): readonly Hazard[] {
  const { kind, live } = subject;
  const { key, desired, isReplaced, carried } = planned;
  const action = writtenAs(planned);
  if (action === undefined) return [];
  const comparison = planned.comparison && whole(planned.comparison);
  const found = kind.hazards({
    action,
    key,
    desired,
    live,
    comparison,
    isReplaced: isReplaced === true,
    ...defined({ carried }),
  });
  return isWeakening(subject, { ...planned, ...defined({ comparison }) }, action)
    ? [...found, "weakens-protection"]
    : found;
}

function writtenAs({ action, comparison }: Planned): "create" | "update" | "replace" | "delete" | undefined {
  switch (action) {
    case "create":
    case "update":
    case "replace":
    case "delete":
      return action;
    case "adopt":
      return "update";
    case "held":
      return comparison?.held?.becomes;
    case "forget":
    case "no-op":
      return undefined;
    default:
      return action satisfies never;
  }
}

/** The comparison as it will be once nothing is held any more. */
function whole(comparison: Comparison): Comparison {
  return { ...comparison, leaves: allLeaves(comparison) };
}

/** Whether live protects less afterwards; for a new object, whether it protects less than the policies ask for. */
function isWeakening(
  { kind, target, prior, live }: Subject,
  { key, desired = {}, comparison }: Planned,
  action: "create" | "update" | "replace" | "delete",
): boolean {
  switch (action) {
    case "create":
      return weakens(kind.name, target?.floor ?? {}, desired, key);
    case "update":
    case "replace": {
      if (!live || !comparison) return false;
      const input = { desired, prior: prior?.applied, live, options: target?.options ?? {} };
      return weakens(
        kind.name,
        live.values,
        kind.shared?.valuesAfter(input) ?? withLeaves(live.values, comparison),
        key,
      );
    }
    case "delete":
      return (
        live !== undefined &&
        weakens(kind.name, live.values, kind.shared?.valuesLeft(live, prior?.applied) ?? live.values, key)
      );
    default:
      return action satisfies never;
  }
}

function withLeaves(values: JsonObject, { leaves }: Comparison): JsonObject {
  return leaves.reduce(
    (after, { path, after: wanted }) => (wanted === undefined ? after : withValueAt(after, path, wanted)),
    values,
  );
}

/**
 * Whether somebody changed live so that it protects less than what was applied. `live` is absent if the object is gone.
 */
export function isWeakenedSince(
  kind: Kind,
  { key, applied }: Pick<StateObject, "key" | "applied">,
  live: Live | undefined,
  options: Options,
): boolean {
  // If an object is gone, its protection is gone for those that remain.
  if (!live) return kind.shared !== undefined && weakens(kind.name, applied, {}, key);
  const now = kind.shared?.valuesSince(applied, live, options) ?? kind.applied(applied, live);
  return !equal(now, applied) && weakens(kind.name, applied, now, key);
}
