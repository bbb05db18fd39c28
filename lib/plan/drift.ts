import type { DesiredObject } from "../config/desired.ts";
import type { Address } from "../core/brand.ts";
import { isDrift, type LeafChange } from "../core/diff.ts";
import { formatPath, type JsonObject, leaves, type Path, valueAt, withValueAt } from "../core/json.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { type RuleEvent, withKeyedRules } from "../kinds/traits/shared.ts";
import type { StateObject } from "../state/state.ts";
import type { ForeignDanger } from "./change.ts";
import type { PlanInput } from "./inputs.ts";
import { type Danger, dangerSince } from "./hazards.ts";
import { subjectsOf } from "./plan.ts";
import { deleterOf, serviceNow } from "./seen.ts";
import { comparableValues, withFingerprints } from "./secrets.ts";
import { withProvenIdentity, type Subject } from "./subject.ts";
import { localAddress, planAddress, targetsOf } from "./targets.ts";
import { reviewedOf, watchZone } from "./watch.ts";

/**
 * What was done to an object outside Zoneform since the last apply, as an action. `replaced`: deleted, and another one
 * created under its name. `vanished`: a deleted hostname; the service or a person deleted it.
 */
export interface Drifted extends Danger {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  readonly what: "changed" | "deleted" | "replaced" | "vanished";
  /** The live object; absent if it is deleted. */
  readonly id?: string;
  /** Owned fields that are neither as applied (`prior`) nor as declared (`after`); `before` is the live value. */
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly RuleEvent[];
  /** Why an apply cannot repair everything yet. */
  readonly waits?: string;
}

/**
 * An object whose live values are not as applied, but as declared: it was changed by hand as an apply would change it.
 * An untracked object may always have been so.
 */
export interface Adopted {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  /** Empty if the whole object was created or deleted by hand. */
  readonly leaves: readonly Path[];
  /** Refs of rules, and `order`. */
  readonly rules: readonly string[];
  /** The state does not have the object yet, so perhaps it was not changed at all. */
  readonly isUntracked?: true;
}

/** An object that a run is changing, was changing when it was stopped, or wrote without getting a response. */
export interface UnderWay {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  /** Absent if the run is no longer known. */
  readonly run?: string;
  /** The run ended without getting a response. */
  readonly hasEnded?: true;
}

/** The drift of one zone: every owned field is judged, except those of objects under way. */
export interface DriftJudgement {
  readonly drifted: readonly Drifted[];
  readonly adopted: readonly Adopted[];
  readonly underWay: readonly UnderWay[];
  /** Foreign rules that newly let traffic past ours. */
  readonly foreign: readonly ForeignDanger[];
  /** Entry points that the token may not read, so that foreign rules there could not be judged. */
  readonly unread: readonly string[];
  /** Hostnames for which we cannot tell whether the uploaded certificate is the one that is served. */
  readonly unjudged: readonly Address[];
}

/** A finding about one object. */
type Finding =
  | { readonly drifted: Omit<Drifted, "address" | "kind" | "key"> }
  | { readonly adopted: Omit<Adopted, "address" | "kind" | "key"> }
  | { readonly underWay: Omit<UnderWay, "address" | "kind" | "key"> }
  | { readonly unjudged: true };

/**
 * Compares what was applied with live, field by field (docs/semantics.md#drift). Whether an apply could repair a
 * difference now does not matter. `unfinished` maps objects with an unfinished intent (without the zone's name) to its run.
 */
export function judgeDrift(input: PlanInput, unfinished: ReadonlyMap<string, string>): DriftJudgement {
  const drifted: Drifted[] = [];
  const adopted: Adopted[] = [];
  const underWay: UnderWay[] = [];
  const unjudged: Address[] = [];
  for (const subject of subjectsOf(input, targetsOf(input))) {
    const key = subject.target?.key ?? subject.prior?.key ?? subject.live?.key ?? "";
    const kind = subject.kind.name;
    const address = planAddress(input, kind, key);
    for (const found of judge(input, subject, unfinished.get(localAddress(kind, key)))) {
      if ("drifted" in found) drifted.push({ address, kind, key, ...found.drifted });
      else if ("adopted" in found) adopted.push({ address, kind, key, ...found.adopted });
      else if ("underWay" in found) underWay.push({ address, kind, key, ...found.underWay });
      else unjudged.push(address);
    }
  }
  const { watch, unread } = watchZone(input);
  return { drifted, adopted, underWay, foreign: watch?.dangers ?? [], unread, unjudged };
}

/** The findings about one object; empty if all its owned fields are as applied. */
function judge(input: PlanInput, given: Subject, run: string | undefined): readonly Finding[] {
  if (run !== undefined) return [{ underWay: { run } }];
  const subject = withProvenIdentity(given, serviceNow(input));
  const { kind, target, prior, live } = subject;
  if (given.prior?.unanswered) return [{ underWay: { run: given.prior.unanswered.run, hasEnded: true } }];
  if (given.prior?.pending && (!prior || prior.pending)) return [{ underWay: {} }];
  if (!target) return prior && !live && !prior.undeclared ? [{ adopted: AS_A_WHOLE }] : [];
  if (!live) return prior ? judgeGone(input, subject, prior) : [];
  if (prior) return judgeLeaves(input, subject, target, prior, live);
  if (target.isUndeclared) return [];
  if (subject.isAnother && given.prior) {
    const { drifted } = sinceApply(input, kind, target, given.prior, live);
    const danger = dangerSince(input, subject, given.prior, drifted);
    return [{ drifted: { ...drifted, ...danger, what: "replaced", id: live.id } }];
  }
  return isAsDeclared(input, kind, target, live) ? [{ adopted: { ...AS_A_WHOLE, isUntracked: true } }] : [];
}

const AS_A_WHOLE = { leaves: [], rules: [] } as const;

function judgeGone(input: PlanInput, subject: Subject, prior: StateObject): readonly Finding[] {
  const deleter = deleterOf(prior, input);
  if (deleter === "service") return [];
  const what = deleter === "unknown" ? "vanished" : "deleted";
  return [{ drifted: { what, ...AS_A_WHOLE, ...dangerSince(input, subject, prior, AS_A_WHOLE) } }];
}

function judgeLeaves(
  input: PlanInput,
  subject: Subject,
  target: DesiredObject,
  prior: StateObject,
  live: Live,
): readonly Finding[] {
  const { drifted, adopted, isUnjudged } = sinceApply(input, subject.kind, target, prior, live);
  const isDrifted = drifted.leaves.length + drifted.rules.length > 0;
  const isAdopted = adopted.leaves.length + adopted.rules.length > 0;
  return [
    ...(isDrifted
      ? [
          {
            drifted: {
              ...drifted,
              what: "changed" as const,
              id: live.id,
              ...dangerSince(input, subject, prior, drifted),
            },
          },
        ]
      : []),
    ...(isAdopted ? [{ adopted }] : []),
    ...(isUnjudged ? [{ unjudged: true as const }] : []),
  ];
}

/**
 * Owned fields that are not as applied: changed outside Zoneform (even if the repair is held), or already as declared.
 */
function sinceApply(
  input: PlanInput,
  kind: Kind,
  { values, options }: DesiredObject,
  prior: StateObject,
  shown: Live,
): {
  drifted: Pick<Drifted, "leaves" | "rules" | "waits">;
  adopted: Pick<Adopted, "leaves" | "rules">;
  isUnjudged: boolean;
} {
  const { applied } = prior;
  const desired = comparableValues(input, values, kind.writeOnly, applied);
  const uploading = { desired: values, prior, live: shown, certificateOf: input.certificateOf };
  const live = kind.uploads?.asServed(uploading, desired) ?? shown;
  const comparison = kind.compare({ desired, prior: applied, live, options });
  const unlikeDesired = [...comparison.leaves, ...(comparison.held?.leaves ?? [])];
  const owned = ownedOf(kind, desired, applied);
  const since = kind.compare({ desired: owned, prior: owned, live, options });
  const unlike = new Set(unlikeDesired.map(({ path }) => formatPath(path)));
  const changed = [...since.leaves, ...(since.held?.leaves ?? [])];
  const events = kind.shared?.ruleEvents({
    desired,
    prior: applied,
    live,
    options,
    reviewed: reviewedOf(input, live.key),
  });
  const isHeld = comparison.held?.leaves.some(isDrift) === true;
  return {
    drifted: {
      leaves: unlikeDesired.filter(isDrift),
      rules: events?.drifted ?? [],
      ...(isHeld && comparison.held ? { waits: comparison.held.reason } : {}),
    },
    adopted: {
      leaves: changed.map(({ path }) => path).filter((path) => !unlike.has(formatPath(path))),
      rules: events?.adopted ?? [],
    },
    isUnjudged: kind.uploads?.isUnknownUpload(uploading, desired) ?? false,
  };
}

/** The applied values of fields that are still declared; the others are no longer managed. */
function ownedOf(kind: Kind, desired: JsonObject, applied: JsonObject): JsonObject {
  const isLeaf = (path: Path): boolean => kind.writeOnly.includes(formatPath(path));
  return leaves(desired, isLeaf).reduce((owned: JsonObject, { path }) => {
    const last = valueAt(applied, path);
    return last === undefined ? owned : withValueAt(owned, path, last);
  }, {});
}

/** Whether an object that was never applied is exactly as declared. */
function isAsDeclared(input: PlanInput, kind: Kind, { values, options }: DesiredObject, live: Live): boolean {
  const desired = withFingerprints(values, kind.writeOnly, input.fingerprintOf);
  const { leaves: changed, rules, held } = kind.compare({ desired, prior: undefined, live, options });
  return changed.length + rules.length + (held?.leaves.length ?? 0) === 0;
}

/** How much of a zone was judged. Only managed fields count; each field of a rule counts. */
export interface DriftCoverage {
  readonly objects: number;
  readonly fields: number;
  readonly fieldsNotJudged: number;
}

/** Counts what a drift check judged, and what it could not judge: objects under way, and uploads that do not show. */
export function coverageOf(input: PlanInput, { underWay, unjudged }: DriftJudgement): DriftCoverage {
  const changing = new Set<string>(underWay.map(({ address }) => address));
  const unshown = new Set<string>(unjudged);
  let [objects, fields, fieldsNotJudged] = [0, 0, 0];
  for (const subject of subjectsOf(input, targetsOf(input))) {
    const { kind, target, prior } = subject;
    if (!target) continue;
    const address = planAddress(input, kind.name, target.key);
    const isChanging = changing.has(address);
    if (!isChanging && !prior) continue;
    const managed = isChanging ? fieldsIn(subject, target.values) : managedFields(subject);
    const unknown = isChanging
      ? managed
      : unshown.has(address)
        ? managed.filter((path) => kind.uploads?.isUpload(path))
        : [];
    objects += 1;
    fields += managed.length - unknown.length;
    fieldsNotJudged += unknown.length;
  }
  return { objects, fields, fieldsNotJudged };
}

/** The fields that are declared and were applied. */
function managedFields(subject: Subject): readonly Path[] {
  const applied = withKeyedRules(subject.prior?.applied ?? {});
  return fieldsIn(subject, subject.target?.values ?? {}).filter((path) => valueAt(applied, path) !== undefined);
}

function fieldsIn({ kind }: Subject, values: JsonObject): readonly Path[] {
  const isLeaf = (path: Path): boolean => kind.writeOnly.includes(formatPath(path));
  return leaves(withKeyedRules(values), isLeaf).map(({ path }) => path);
}
