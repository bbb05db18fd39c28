import { texts } from "../core/decode.ts";
import { defined, type JsonObject, withValueAt } from "../core/json.ts";
import type { LeafChange } from "../core/diff.ts";
import type { Comparison } from "../kinds/traits/compared.ts";
import { type Hazard, HAZARDS, type ObjectHazard } from "../kinds/hazards.ts";
import type { Loss, Step } from "../kinds/traits/judged.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import type { StateObject } from "../state/state.ts";
import { carriedBy } from "./carriers.ts";
import type { Action } from "./change.ts";
import type { PlanInput } from "./inputs.ts";
import { allLeaves } from "./write.ts";
import { historyOf } from "./seen.ts";
import type { Subject } from "./subject.ts";

/** The hazards of an object: their names, which are approved, and what its kind says about them. */
export interface Hazardous {
  /** The worst first (docs/hazards.md#hazards). */
  readonly hazards: readonly Hazard[];
  /** The hazards about which the kind says more than the name. In no digest. */
  readonly hazardDetails?: readonly ObjectHazard[];
}

/** What the hazards of a change are computed from. */
interface Planned {
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
export function hazardsOf(subject: Subject, planned: Planned): Hazardous {
  const step = plannedStep(subject, planned);
  return step === undefined ? NONE : hazardous(subject.kind, step);
}

const NONE: Hazardous = { hazards: [] };

function hazardous(kind: Kind, step: Step): Hazardous {
  const all = kind.hazards(step);
  if (all.length === 0) return NONE;
  const found = HAZARDS.flatMap((hazard) => all.find((each) => each.hazard === hazard) ?? []);
  const hazardDetails = found.filter(({ hazard: _hazard, ...rest }) => Object.keys(rest).length > 0);
  return { hazards: found.map(({ hazard }) => hazard), ...(hazardDetails.length === 0 ? {} : { hazardDetails }) };
}

function plannedStep({ kind, target, prior, live }: Subject, planned: Planned): Step | undefined {
  const { key, desired, comparison, isReplaced, carried } = planned;
  const action = writtenAs(planned);
  if (action === undefined) return undefined;
  const options = target?.options ?? {};
  const leaves = comparison ? allLeaves(comparison) : [];
  const valuesAfter = (): JsonObject | undefined => {
    if (action === "create") return desired;
    if (!live) return undefined;
    if (action === "delete") return kind.shared?.valuesLeft(live, prior?.applied);
    const input = { desired: desired ?? {}, prior: prior?.applied, live, options };
    return kind.shared?.valuesAfter(input) ?? withLeaves(live.values, leaves);
  };
  return {
    action,
    key,
    from: live?.values ?? target?.floor ?? {},
    leaves,
    rules: comparison?.rules ?? [],
    desired,
    prior: prior?.applied,
    options,
    live,
    ...defined({ to: valuesAfter(), isReplaced, carried }),
  };
}

function writtenAs({ action, comparison }: Planned): Step["action"] | undefined {
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

function withLeaves(values: JsonObject, leaves: readonly LeafChange[]): JsonObject {
  return leaves.reduce(
    (after, { path, after: desired }) => (desired === undefined ? after : withValueAt(after, path, desired)),
    values,
  );
}

/** What was done to an object outside Zoneform. */
interface Found {
  /** The object as applied, or as declared if that is unknown. */
  readonly was: Pick<Live, "key" | "values" | "status">;
  /** The values that were last applied; absent without a state. */
  readonly prior?: JsonObject;
  /** Absent if it is gone. */
  readonly live: Live | undefined;
  /** The live object is another one under the same name. */
  readonly isAnother?: true;
  readonly options: Options;
  /** The managed fields and rules that were changed outside Zoneform. */
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly { readonly ref: string }[];
}

/** The dangers of an object as it was found. */
export interface Danger extends Hazardous {
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
  changed: Pick<Found, "leaves" | "rules">,
): Danger {
  if (isAnother && target?.isUndeclared) return NONE;
  const status = { status: kind.lastStatus?.(historyOf(prior)) ?? "active" };
  const was = { key: prior.key, values: prior.applied, status };
  const { leaves, rules } = changed;
  return dangerFound(input, kind, {
    was,
    prior: prior.applied,
    live,
    leaves,
    rules,
    options: target?.options ?? {},
    ...defined({ isAnother }),
  });
}

/**
 * The dangers of live, compared with what it should be: a hazard if it were applied is a danger if it is found
 * (docs/semantics.md#hazards).
 */
export function dangerFound(input: PlanInput, kind: Kind, found: Found): Danger {
  const { was, prior: applied, live, isAnother, options, leaves, rules } = found;
  const { carried } = carriedBy(input, kind);
  const now = live && (kind.shared?.valuesSince(was.values, live, options) ?? kind.applied(was.values, live));
  const says = texts(live?.status ?? {}, "errors");
  const step: Step = {
    action: actionOf(kind, found),
    key: was.key,
    from: was.values,
    leaves: leaves.map(({ path, cause, prior, before }) => ({
      path,
      cause,
      ...defined({ before: prior, after: before }),
    })),
    rules: rules.map(({ ref }) => ({ ref })),
    desired: now,
    prior: applied,
    options,
    // The live status shows whether it went offline, unless it is gone.
    live: { id: "", ...was, ...(live && !isAnother ? { status: live.status } : {}) },
    isFound: true,
    // What one object protected is gone with it; an entry point protects what stays.
    ...defined({ to: kind.shared ? (now ?? {}) : now, carried }),
  };
  return { ...hazardous(kind, step), ...defined({ isUsedBy: carried }), ...(says.length === 0 ? {} : { says }) };
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
