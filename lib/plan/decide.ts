import type { DesiredObject } from "../config/desired.ts";
import { defined, formatPath, type JsonObject, leaves, type Path, valueAt } from "../core/json.ts";
import { type Cause, isDrift } from "../core/diff.ts";
import { isHostname } from "../kinds/registry.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { successorKey } from "../kinds/retired.ts";
import type { Comparison, ComparisonInput, Held } from "../kinds/traits/compared.ts";
import { appliedBy, type StateObject } from "../state/state.ts";
import { carriedBy } from "./carriers.ts";
import type { Action, Change, Draft, MovesTo, Shared } from "./change.ts";
import { digestOf } from "./digest.ts";
import { refusalOf } from "./guards.ts";
import { dangerSince, hazardsOf, lossNotes } from "./hazards.ts";
import type { PlanInput } from "./inputs.ts";
import { comparableValues, withFingerprints } from "./secrets.ts";
import { deleterOf, seenOf, serviceNow } from "./seen.ts";
import {
  hasRequestLapsed,
  withProvenIdentity,
  isKeptProtected,
  protectionLetGo,
  type Subject,
  unansweredNote,
} from "./subject.ts";
import { localAddress, planAddress } from "./targets.ts";
import { reviewedOf } from "./watch.ts";
import { allLeaves, waitsForUpdate } from "./write.ts";

/** Why a step that was sent but has not taken effect yet waits. */
const UNANSWERED = "it was sent, but does not show yet; it is sent again if it does not show within an hour";

/** The decision about one object: a change, an expired hostname that is not re-created, or nothing. */
export type Decision = { readonly change: Change } | { readonly expired: StateObject } | undefined;

/** Decides about one object, by which of the three sides are missing. */
export function decide(input: PlanInput, given: Subject): Decision {
  const subject = withProvenIdentity(given, serviceNow(input));
  const { target, prior, live } = subject;
  if (target) return live ? decideLive(input, subject, target, live) : decideMissing(input, subject, target);
  return prior && live ? decideUndeclared(input, subject, prior, live) : undefined;
}

/** Declared, but not live. */
function decideMissing(input: PlanInput, subject: Subject, target: DesiredObject): Decision {
  const { prior } = subject;
  const create = (cause: Cause, reason?: string): Decision => ({
    change: change(input, subject, { action: "create", target, cause, ...defined({ reason }) }),
  });
  if (prior === undefined || prior.pending) return create("config");
  const deleter = deleterOf(prior, input);
  if (deleter === "somebody") return create("drift", "deleted outside Zoneform since the last apply");
  if (input.desired.hostnames.whenExpired === "report") return { expired: prior };
  return create(
    "service",
    deleter === "unknown"
      ? "deleted by Cloudflare or by hand: last seen moved away or not validated"
      : "deleted by Cloudflare: never validated, or moved away for 7 days",
  );
}

/** Declared and live: adopt, update, replace or hold it. */
function decideLive(input: PlanInput, subject: Subject, target: DesiredObject, live: Live): Decision {
  const { kind, prior } = subject;
  const isTracked = prior !== undefined && prior.pending === undefined;
  // We know what was sent for a create whose response was lost.
  const applied = prior?.applied;
  const desired = comparableValues(input, target.values, kind.writeOnly, applied);
  const uploading = { desired: target.values, prior, live, certificateOf: input.certificateOf };
  const served = kind.uploads?.asServed(uploading, desired) ?? live;
  const { options } = target;
  const reviewed = kind.shared && reviewedOf(input, target.key);
  const comparison = kind.compare({ desired, prior: applied, live: served, options, reviewed });
  const hasChanges = comparison.leaves.length > 0 || comparison.rules.length > 0 || comparison.replaces.length > 0;
  const changeTo = (action: Written["action"], written: Omit<Written, "action" | "target" | "live">): Decision => ({
    change: change(input, subject, { action, target, live, ...written }),
  });
  if (comparison.replaces.length > 0 && !isTracked && !target.isUndeclared) {
    const reason = prior
      ? "created by a run that was stopped, and declared differently since"
      : "live, but declared differently";
    return changeTo("replace", { cause: "config", comparison, reason });
  }
  // A setting always exists, so a different value is an update, not an adoption. Objects that an application creates
  // all day are only recorded.
  const isOfApp = target.isUndeclared === true && input.desired.hostnames.lifecycle === "app";
  if (!isTracked && !isOfApp && !(kind.lifetime === "permanent" && hasChanges)) {
    const since = sinceFormer(subject, comparison, { desired, live, options });
    if (subject.isAnother)
      return changeTo("adopt", {
        cause: "drift",
        comparison: since,
        reason: "another object with the same name; the one that was applied is gone",
      });
    const reason = prior && "created by a run that was stopped";
    return changeTo("adopt", { cause: "config", comparison: since, ...defined({ reason }) });
  }
  const cause = causeOf(comparison);
  const hold = (comparison: Comparison, held: Held): Decision => ({
    change: change(input, subject, { action: "held", target, live, cause, comparison, held }),
  });
  if (comparison.replaces.length > 0 && target.isUndeclared) return hold(...withoutReplacing(comparison));
  if (comparison.replaces.length > 0) return changeTo("replace", { cause, comparison });
  if (hasChanges) return changeTo("update", { cause, comparison });
  if (comparison.held)
    return hold(comparison, prior?.asked === undefined ? comparison.held : { ...comparison.held, reason: UNANSWERED });
  const release = (reason?: string): Decision => ({
    change: change(input, subject, {
      action: "forget",
      target,
      live,
      cause: "config",
      comparison,
      ...defined({ reason }),
    }),
  });
  if (comparison.letGo.length > 0) return release();
  // Nothing is written live, for example if fields are only released.
  return protectionLetGo(subject).length > 0 ? release("no longer protected") : undefined;
}

/** Zoneform neither creates nor deletes what the application owns, so a change that needs a replacement is held. */
function withoutReplacing(comparison: Comparison): [Comparison, Held] {
  const reason = "only deleting and creating it again could change this, which the application does, not Zoneform";
  const held = { leaves: [...comparison.leaves, ...(comparison.held?.leaves ?? [])], reason };
  return [{ ...comparison, leaves: [], replaces: [] }, held];
}

/** Tracked and live, but no longer declared. */
function decideUndeclared(input: PlanInput, subject: Subject, prior: StateObject, live: Live): Decision {
  const removal = chooseRemoval(input, subject.kind, prior);
  if (!("waits" in removal)) return { change: change(input, subject, { ...removal, live, cause: "config" }) };
  const held = { leaves: [], reason: removal.waits };
  return { change: change(input, subject, { action: "held", live, cause: "config", comparison: SAME, held }) };
}

/** What happens to an object that is no longer declared. */
type Removal =
  | { readonly action: "delete" | "forget"; readonly reason: string; readonly isReplaced?: true }
  | { readonly waits: string };

/** An object that is no longer declared is deleted, released, or held for a while. */
function chooseRemoval(input: PlanInput, kind: Kind, prior: StateObject): Removal {
  const { hostnames, forgets } = input.desired;
  const isOfHostname = isHostname(kind.name);
  const successor = kind.replacement === "create-first" ? successorKey(prior.key) : undefined;
  // `forget` for an object includes the object that it replaces, whose internal name is not in the YAML.
  if ([prior.key, successor].some((key) => key !== undefined && forgets.has(localAddress(kind.name, key))))
    return { action: "forget", reason: "the YAML releases it; it stays live" };
  if (prior.asked !== undefined && !hasRequestLapsed(prior, serviceNow(input))) return { waits: UNANSWERED };
  const leaving = isOfHostname ? input.leaving.get(prior.key) : undefined;
  // If the whole section left the YAML, its hostnames are released, except those that move.
  const isLetGo = !hostnames.isDeclared && !input.isDestroy && !leaving;
  const isKept = prior.undeclared === true || (isOfHostname && (hostnames.lifecycle === "app" || isLetGo));
  const isDeleted = !isKept && (input.isDestroy ? kind.lifetime !== "permanent" : kind.lifetime === "while-declared");
  if (!isDeleted) return { action: "forget", reason: "no longer declared; it stays live" };
  if (input.isDestroy) return { action: "delete", reason: "destroy" };
  if (leaving)
    return leaving.waits === undefined
      ? { action: "delete", reason: "it has moved, and the new one serves traffic" }
      : { waits: leaving.waits };
  // If the successor left the YAML too, this object is deleted like any other.
  if (successor === undefined || !isDeclared(input, kind, successor))
    return { action: "delete", reason: "no longer declared" };
  const waits = whySuccessorFails(input, kind, successor);
  if (waits !== undefined) return { waits };
  return { action: "delete", reason: "replaced by another one", isReplaced: true };
}

function isDeclared({ desired }: PlanInput, { name }: Kind, key: string): boolean {
  return desired.objects.some((object) => object.kind === name && object.key === key);
}

/** Why a replaced object must stay for now: its successor does not serve traffic yet. */
function whySuccessorFails({ live }: PlanInput, kind: Kind, successor: string): string | undefined {
  const next = live.objects.get(kind.name)?.get(successor);
  if (!next) return "its replacement does not exist yet";
  const readiness = kind.readiness?.(next) ?? "ready";
  return readiness === "ready" ? undefined : `its replacement does not serve traffic yet: ${readiness.reason}`;
}

/**
 * A change that does nothing, for a companion that needs no change: the call that writes it needs its expected values.
 */
export function unchanged(input: PlanInput, subject: Subject, target: DesiredObject, live: Live): Change {
  return change(input, subject, { action: "no-op", target, live, cause: "config", comparison: SAME });
}

/** No difference. */
const SAME: Comparison = { leaves: [], rules: [], letGo: [], replaces: [], notes: [] };

/** A decision, from which the change follows together with the subject. */
type Outline =
  | (Why & { readonly action: "create"; readonly target: DesiredObject })
  | Written
  | (Why & Found & { readonly action: "no-op"; readonly target: DesiredObject; readonly comparison: Comparison })
  | (Why &
      Found & {
        readonly action: "held";
        readonly target?: DesiredObject;
        readonly comparison: Comparison;
        readonly held: Held;
      })
  | (Why & Found & { readonly action: "forget"; readonly target?: DesiredObject; readonly comparison?: Comparison })
  | (Why & Found & { readonly action: "delete"; readonly isReplaced?: true });

interface Why {
  readonly cause: Cause;
  readonly reason?: string;
}

interface Found {
  readonly live: Live;
}

interface Written extends Why, Found {
  readonly action: "update" | "replace" | "adopt";
  readonly target: DesiredObject;
  readonly comparison: Comparison;
}

function change(input: PlanInput, subject: Subject, outline: Outline): Change {
  const drafted = draft(input, subject, outline);
  const { objections = [] } = ("comparison" in outline && outline.comparison) || SAME;
  const refused = refusalOf(input, subject, drafted, objections);
  return Object.assign(drafted, { digest: digestOf(drafted) }, defined({ refused }));
}

function draft(input: PlanInput, subject: Subject, outline: Outline): Draft {
  const { kind, prior } = subject;
  // The object is new and not shared, so it is completed in place: a copy would take four times the memory.
  const shared = sharedParts(input, subject, outline);
  if (outline.action === "create") {
    const { action, target, cause } = outline;
    return Object.assign(shared, initial(input, subject, target, cause), { action, desired: target.values });
  }
  const { live } = outline;
  const { id } = live;
  const seen = (): StateObject["seen"] => seenOf(live, prior, serviceNow(input)).seen;
  switch (outline.action) {
    case "update": {
      const { action, target, comparison } = outline;
      const expected = kind.guarded(live, allLeaves(comparison));
      return Object.assign(
        shared,
        { action, id, desired: target.values, expected },
        defined({ held: comparison.held }),
      );
    }
    case "replace": {
      const { action, target, comparison } = outline;
      const expected = kind.guarded(live, []);
      return Object.assign(
        shared,
        { action, id, desired: target.values, expected },
        defined({ held: comparison.held }),
      );
    }
    case "delete": {
      const { action, isReplaced: replaced } = outline;
      const expected = kind.guarded(live, []);
      return Object.assign(shared, { action, id, expected }, defined({ movesTo: movesTo(input, subject), replaced }));
    }
    case "adopt": {
      const { action, target, comparison } = outline;
      const { held } = comparison;
      const isWritten = comparison.leaves.length + comparison.rules.length > 0;
      const expected = isWritten || waitsForUpdate(held) ? kind.guarded(live, allLeaves(comparison)) : undefined;
      const unwritten = isWritten ? undefined : seen();
      return Object.assign(
        shared,
        { action, id, desired: target.values },
        defined({ seen: unwritten, expected, held }),
      );
    }
    case "forget":
      return Object.assign(
        shared,
        { action: outline.action, id },
        defined({ seen: seen(), desired: outline.target?.values }),
      );
    case "held": {
      const { action, target, comparison, held } = outline;
      const expected = waitsForUpdate(held) ? kind.guarded(live, allLeaves({ ...comparison, held })) : undefined;
      const rest = { seen: seen(), desired: target?.values, expected, movesTo: movesTo(input, subject) };
      return Object.assign(shared, { action, id, held }, defined(rest));
    }
    case "no-op":
      return Object.assign(
        shared,
        { action: outline.action, id, desired: outline.target.values },
        defined({ seen: seen() }),
      );
    default:
      return outline satisfies never;
  }
}

/** The parts that all changes have. */
function sharedParts(input: PlanInput, subject: Subject, outline: Outline): Omit<Shared, "refused" | "digest"> {
  const { kind, target, prior, live, unanswered } = subject;
  const { action, cause, reason } = outline;
  const compared = "comparison" in outline ? outline.comparison : undefined;
  const comparison = outline.action === "held" ? { ...outline.comparison, held: outline.held } : compared;
  const isReplaced = outline.action === "delete" ? outline.isReplaced : undefined;
  const key = target?.key ?? prior?.key ?? live?.key ?? "";
  const desired = action === "delete" ? undefined : target?.values;
  const letGo = comparison?.letGo ?? [];
  const planned = { action, key, desired, ...defined({ comparison, isReplaced }), ...carriedBy(input, kind) };
  // A held change keeps the protection until it is applied.
  const isStuck = action === "held" && !waitsForUpdate(comparison?.held);
  const isUndeclared = target ? target.isUndeclared : prior?.undeclared;
  return {
    address: planAddress(input, kind.name, key),
    kind: kind.name,
    key,
    cause,
    leaves: comparison?.leaves ?? [],
    rules: comparison?.rules ?? [],
    letGo: [...letGo, ...(isStuck ? [] : protectionLetGo(subject))],
    notes: [
      ...(comparison?.notes ?? []),
      ...lossNotes(kind, planned, live),
      ...(unanswered ? [unansweredNote(unanswered)] : []),
    ],
    ...hazardsOf(subject, planned),
    options: target?.options ?? {},
    protect: target?.protect ?? isKeptProtected(subject),
    ...defined({
      reason,
      keeps: keptValues(subject, letGo),
      ...dangersOf(input, subject, { action, cause, ...defined({ comparison }) }),
      prior: prior?.pending ? undefined : prior?.applied,
      by: prior ? prior.by : input.state && appliedBy(input.state, localAddress(kind.name, key)),
      resumes: prior?.pending ? (true as const) : undefined,
      undeclared: isUndeclared ? (true as const) : undefined,
      at: target?.at,
    }),
  };
}

/** The live values of released fields; undefined for none. */
function keptValues({ kind, live }: Subject, released: readonly Path[]): JsonObject | undefined {
  const kept = released.flatMap((path) => {
    const [name, value] = [formatPath(path), valueAt(live?.values, path)];
    return value === undefined || kind.writeOnly.includes(name) ? [] : [[name, value] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The dangers of live as it was left and as the change finds it; empty for none. */
function dangersOf(
  input: PlanInput,
  subject: Subject,
  { action, cause, comparison }: { readonly action: Action; readonly cause: Cause; readonly comparison?: Comparison },
): Pick<Change, "dangers" | "dangerDetails"> {
  const prior = subject.prior ?? subject.former;
  if (!prior || prior.pending || action === "delete" || action === "forget" || cause === "service") return {};
  const { leaves, rules, held } = comparison ?? SAME;
  const drifted = { leaves: [...leaves, ...(held?.leaves ?? [])].filter(isDrift), rules: rules.filter(isDrift) };
  const { hazards: dangers, hazardDetails: dangerDetails } = dangerSince(input, subject, prior, drifted);
  return dangers.length === 0 ? {} : { dangers, ...defined({ dangerDetails }) };
}

/** The hostname that replaces this one. */
function movesTo({ leaving }: PlanInput, { kind, key }: Subject): MovesTo | undefined {
  return isHostname(kind.name) ? leaving.get(key)?.to : undefined;
}

/** The fields and rules of a new object, so that a create reads like every other change. */
function initial(
  input: PlanInput,
  { kind, prior }: Subject,
  { key, values: desired }: DesiredObject,
  cause: Cause,
): Pick<Shared, "leaves" | "rules"> {
  const values = withFingerprints(desired, kind.writeOnly, input.fingerprintOf);
  const nothing: Live = { id: "", key, values: {}, status: {} };
  const { rules } = kind.compare({ desired: values, prior: undefined, live: nothing, options: {} });
  const isWriteOnly = (path: readonly string[]): boolean => kind.writeOnly.includes(path.join("."));
  const applied = prior?.pending ? undefined : prior?.applied;
  const found = leaves(values, isWriteOnly).map(({ path, value }) => {
    const before = applied && valueAt(applied, path);
    return {
      path,
      after: value,
      ...defined({ prior: before }),
      cause,
      ...(isWriteOnly(path) && typeof value !== "boolean" ? { sensitive: true as const } : {}),
    };
  });
  // Rules are listed one by one, not as one value.
  return {
    rules: rules.map((rule) => ({ ...rule, cause })),
    leaves: rules.length === 0 ? found : found.filter(({ path }) => path[0] !== "rules"),
  };
}

/** Takes each difference's cause from what was applied to the previous object of this name. */
function sinceFormer(
  { kind, former }: Subject,
  comparison: Comparison,
  sides: Omit<ComparisonInput, "prior">,
): Comparison {
  if (!former) return comparison;
  const since = kind.compare({ ...sides, prior: former.applied });
  const leafCauses = new Map(since.leaves.map(({ path, cause }) => [formatPath(path), cause]));
  const ruleCauses = new Map(since.rules.map(({ ref, cause }) => [ref, cause]));
  return {
    ...comparison,
    leaves: comparison.leaves.map((leaf) => ({ ...leaf, cause: leafCauses.get(formatPath(leaf.path)) ?? "drift" })),
    rules: comparison.rules.map((rule) => ({ ...rule, cause: ruleCauses.get(rule.ref) ?? "drift" })),
  };
}

function causeOf(comparison: Comparison): Cause {
  const done = [...comparison.leaves, ...comparison.rules];
  const parts = done.length === 0 ? (comparison.held?.leaves ?? []) : done;
  const [first, ...others] = new Set(parts.map(({ cause }) => cause));
  return first !== undefined && others.length === 0 ? first : "both";
}
