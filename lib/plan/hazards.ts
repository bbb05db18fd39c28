import { texts } from "../core/decode.ts";
import { defined, equal, type JsonObject, withValueAt } from "../core/json.ts";
import type { LeafChange } from "../core/diff.ts";
import type { Comparison } from "../kinds/traits/compared.ts";
import { type Hazard, HAZARDS } from "../kinds/hazards.ts";
import type { Loss } from "../kinds/traits/judged.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import { weakens } from "../kinds/registry.ts";
import type { StateObject } from "../state/state.ts";
import { carriedBy } from "./carriers.ts";
import type { Action } from "./change.ts";
import type { PlanInput } from "./inputs.ts";
import { allLeaves } from "./write.ts";
import { historyOf } from "./seen.ts";
import type { Subject } from "./subject.ts";

/** What the hazards of a change are computed from. */
export interface Planned {
  readonly action: Action;
  readonly key: string;
  readonly desired: JsonObject | undefined;
  readonly comparison?: Comparison;
  readonly isReplaced?: true;
  /** How many live hostnames use the object; absent if unknown. */
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

/** The comparison as it will be once no field is held any more. */
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
    (after, { path, after: desired }) => (desired === undefined ? after : withValueAt(after, path, desired)),
    values,
  );
}

/** What was done to an object outside Zoneform. */
interface Found {
  /** The object as applied, or as declared if that is unknown. */
  readonly was: Pick<Live, "key" | "values" | "status">;
  /** Absent if it is gone. */
  readonly live: Live | undefined;
  /** The live object is another one under the same name. */
  readonly isAnother?: true;
  readonly options: Options;
  /** The managed fields that were changed outside Zoneform. */
  readonly leaves: readonly LeafChange[];
}

/** The dangers of an object as it was found. */
export interface Danger {
  /** The worst first (docs/hazards.md#hazards). */
  readonly hazards: readonly Hazard[];
  /** How many live hostnames use the object; absent for objects that hostnames cannot use. */
  readonly isUsedBy?: number;
  /** The errors that the service reports about it. */
  readonly says?: readonly string[];
}

/**
 * The dangers of what was done to an object since it was applied. A hostname that the application created again is a
 * new one, to which the next plan applies the policies.
 */
export function dangerSince(
  input: PlanInput,
  { kind, live, isAnother, target }: Subject,
  prior: StateObject,
  leaves: readonly LeafChange[],
): Danger {
  if (isAnother && target?.isUndeclared) return { hazards: [] };
  const status = { status: kind.lastStatus?.(historyOf(prior)) ?? "active" };
  const was = { key: prior.key, values: prior.applied, status };
  const found = { was, live, leaves, options: target?.options ?? {}, ...defined({ isAnother }) };
  return dangerFound(input, kind, found);
}

/**
 * The dangers of live, compared with what it should be: a hazard if it were applied is a danger if it is found
 * (docs/semantics.md#hazards).
 */
export function dangerFound(input: PlanInput, kind: Kind, found: Found): Danger {
  const { was, live, isAnother, options, leaves } = found;
  const { key, values } = was;
  const { carried } = carriedBy(input, kind);
  const now = live && (kind.shared?.valuesSince(values, live, options) ?? kind.applied(values, live));
  const hazards = kind.hazards({
    action: actionOf(kind, found),
    key,
    desired: now,
    // The live status shows whether it went offline, unless it is gone.
    live: { id: "", ...was, ...(live && !isAnother ? { status: live.status } : {}) },
    comparison: { leaves, rules: [], letGo: [], replaces: [], notes: [] },
    isFound: true,
    ...defined({ carried }),
  });
  // What one object protected is gone with it; an entry point protects what stays.
  const isWeaker = (now !== undefined || kind.shared !== undefined) && !equal(now, values);
  const all = isWeaker && weakens(kind.name, values, now ?? {}, key) ? [...hazards, "weakens-protection"] : hazards;
  const says = texts(live?.status ?? {}, "errors");
  return {
    hazards: HAZARDS.filter((hazard) => all.includes(hazard)),
    ...defined({ isUsedBy: carried }),
    ...(says.length === 0 ? {} : { says }),
  };
}

/** An object that was created again and serves traffic by now counts as changed only. */
function actionOf(kind: Kind, { live, isAnother }: Found): "update" | "replace" | "delete" {
  if (!live) return "delete";
  return isAnother && (kind.readiness?.(live) ?? "ready") !== "ready" ? "replace" : "update";
}

const WORDS = {
  certificate: "the certificate",
  validation: "the validation",
} as const satisfies Record<Exclude<Loss, "downtime">, string>;

/** What is lost when the object is deleted, in one sentence; empty if nothing is, or if its successor keeps it. */
export function lossNotes(
  kind: Kind,
  { action, isReplaced }: { readonly action: Action; readonly isReplaced?: true },
  live: Live | undefined,
): readonly string[] {
  const isGoing = action === "delete" || (action === "replace" && kind.replacement !== "create-first");
  const losses = live && isGoing && !isReplaced ? (kind.losses?.(live) ?? []) : [];
  return losses.length === 0 ? [] : [lossSentence(action === "delete" ? "Deleting" : "Replacing", losses)];
}

function lossSentence(verb: string, losses: readonly Loss[]): string {
  const removed = losses.flatMap((loss) => (loss === "downtime" ? [] : [WORDS[loss]]));
  const parts = [
    ...(removed.length === 0 ? [] : [`removes ${removed.join(" and ")}`]),
    ...(losses.includes("downtime") ? ["takes the hostname offline until it is created and validated again"] : []),
  ];
  return `${verb} ${parts.join(", and ")}`;
}
