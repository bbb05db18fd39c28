import { defined } from "../core/defined.ts";
import type { DesiredObject } from "../config/desired.ts";
import { brandDigest } from "../core/brand.ts";
import { type Cause, isDrift } from "../core/diff.ts";
import { formatPath, type JsonObject, leaves, type Path, valueAt } from "../core/json.ts";
import type { Comparison, ComparisonInput } from "../kinds/traits/compared.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import { successorKey } from "../kinds/retired.ts";
import { appliedBy } from "../state/edit.ts";
import type { StateObject } from "../state/state.ts";
import { carriedBy } from "./carriers.ts";
import type { Action, Change } from "./change.ts";
import { digestOf } from "./digest.ts";
import { refusalOf } from "./guards.ts";
import { dangerSince, hazardsOf, lossNotes } from "./hazards.ts";
import type { PlanInput } from "./inputs.ts";
import { isAskedInVain } from "./proof.ts";
import { asKnown, isKeptProtected, protectionLetGo, type Subject, unansweredNote } from "./subject.ts";
import { allLeaves, waitsForUpdate } from "./write.ts";
import { deleterOf, seenOf, serviceNow } from "./seen.ts";
import { asServed } from "./served.ts";
import { comparableValues, withFingerprints } from "./secrets.ts";
import { reviewedOf } from "./watch.ts";
import { localAddress, planAddress } from "./targets.ts";

/** Why a step waits that was sent but has not taken effect yet. */
const UNANSWERED = "it was sent, but does not show yet; it is sent again if it does not show within an hour";

/** The decision about one object: a change, an expired hostname that is not re-created, or nothing. */
export type Decision = { readonly change: Change } | { readonly expired: StateObject } | undefined;

/** Decides about one object, by which of the three sides are missing. */
export function decide(input: PlanInput, given: Subject): Decision {
  const subject = asKnown(given, serviceNow(input));
  const { target, prior, live } = subject;
  if (target) return live ? alter(input, subject, target, live) : make(input, subject);
  return prior && live ? letOrTakeAway(input, subject, prior, live) : undefined;
}

/** Declared, but not live. */
function make(input: PlanInput, subject: Subject): Decision {
  const { prior } = subject;
  const isTracked = prior !== undefined && prior.pending === undefined;
  const deleter = isTracked ? deleterOf(prior, input) : "somebody";
  if (isTracked && deleter !== "somebody") {
    if (input.desired.hostnames.whenExpired === "report") return { expired: prior };
    return {
      change: change(input, subject, {
        action: "create",
        cause: "service",
        reason:
          deleter === "unknown"
            ? "deleted by Cloudflare or by hand: last seen moved away or not validated"
            : "deleted by Cloudflare: never validated, or moved away for 7 days",
      }),
    };
  }
  if (!isTracked) return { change: change(input, subject, { action: "create", cause: "config" }) };
  return {
    change: change(input, subject, {
      action: "create",
      cause: "drift",
      reason: "deleted outside Zoneform since the last apply",
    }),
  };
}

/** Declared and live: adopt, update, replace or hold it. */
function alter(input: PlanInput, subject: Subject, target: DesiredObject, live: Live): Decision {
  const { kind, prior } = subject;
  const isTracked = prior !== undefined && prior.pending === undefined;
  // We know what was sent for a create whose response was lost.
  const applied = prior?.applied;
  const desired = comparableValues(input, target.spec, kind.writeOnly, applied);
  const served = asServed(input, { kind, spec: target.spec, prior, live }, desired);
  const { options } = target;
  const reviewed = kind.shared && reviewedOf(input, target.key);
  const comparison = kind.compare({ desired, prior: applied, live: served, options, reviewed });
  const hasChanges = comparison.leaves.length > 0 || comparison.rules.length > 0 || comparison.replaces.length > 0;
  if (comparison.replaces.length > 0 && !isTracked && !target.isUndeclared) {
    const reason = prior
      ? "created by a run that was stopped, and declared differently since"
      : "live, but declared differently";
    return { change: change(input, subject, { action: "replace", cause: "config", comparison, reason }) };
  }
  // A setting always exists, so a different value is an update, not an adoption. What the application creates all day is
  // only remembered.
  const isOfApp = target.isUndeclared === true && input.desired.hostnames.lifecycle === "app";
  if (!isTracked && !isOfApp && !(kind.lifetime === "permanent" && hasChanges)) {
    return {
      change: change(input, subject, {
        action: "adopt",
        cause: subject.isAnother ? "drift" : "config",
        comparison: sinceFormer(subject, comparison, { desired, live, options: target.options }),
        ...(prior ? { reason: "created by a run that was stopped" } : {}),
        ...(subject.isAnother ? { reason: "another object with the same name; the one that was applied is gone" } : {}),
      }),
    };
  }
  if (comparison.replaces.length > 0 && target.isUndeclared) {
    return {
      change: change(input, subject, {
        action: "held",
        cause: causeOf(comparison),
        comparison: withoutReplacing(comparison),
      }),
    };
  }
  if (comparison.replaces.length > 0)
    return { change: change(input, subject, { action: "replace", cause: causeOf(comparison), comparison }) };
  if (hasChanges)
    return { change: change(input, subject, { action: "update", cause: causeOf(comparison), comparison }) };
  if (comparison.held) {
    const held = prior?.asked === undefined ? comparison.held : { ...comparison.held, reason: UNANSWERED };
    const waiting = { ...comparison, held };
    return { change: change(input, subject, { action: "held", cause: causeOf(comparison), comparison: waiting }) };
  }
  if (comparison.letGo.length > 0)
    return { change: change(input, subject, { action: "forget", cause: "config", comparison }) };
  // Nothing is written live, for example if fields are only released.
  if (protectionLetGo(subject).length > 0)
    return {
      change: change(input, subject, { action: "forget", cause: "config", comparison, reason: "no longer protected" }),
    };
  return undefined;
}

/** Zoneform neither creates nor deletes what the application owns, so a change that needs a replacement is held. */
function withoutReplacing(comparison: Comparison): Comparison {
  const reason = "only deleting and creating it again could change this, which the application does, not Zoneform";
  return {
    ...comparison,
    leaves: [],
    replaces: [],
    held: { leaves: [...comparison.leaves, ...(comparison.held?.leaves ?? [])], reason },
  };
}

/** Tracked and live, but no longer declared. */
function letOrTakeAway(input: PlanInput, subject: Subject, prior: StateObject, live: Live): Decision {
  const fate = fateOf(input, subject.kind, prior);
  if ("waits" in fate) {
    const held = { leaves: [], reason: fate.waits };
    const comparison: Comparison = { leaves: [], rules: [], letGo: [], replaces: [], notes: [], held };
    return { change: change(input, subject, { action: "held", cause: "config", comparison }) };
  }
  return { change: change(input, { ...subject, live }, { ...fate, cause: "config" }) };
}

/** What happens to an object that is no longer declared. */
type Fate =
  | { readonly action: "delete" | "forget"; readonly reason: string; readonly isReplaced?: true }
  | { readonly waits: string };

/** An object that is no longer declared is deleted, released, or held for a while. */
function fateOf(input: PlanInput, kind: Kind, prior: StateObject): Fate {
  const { hostnames, forgets } = input.desired;
  const isHostname = kind.name === "custom_hostname";
  const successor = kind.replacement === "create-first" ? successorKey(prior.key) : undefined;
  // `forget` for an object includes the one that it replaces, whose internal name nobody would write.
  if ([prior.key, successor].some((key) => key !== undefined && forgets.has(localAddress(kind.name, key))))
    return { action: "forget", reason: "the YAML releases it; it stays live" };
  if (prior.asked !== undefined && !isAskedInVain(prior, serviceNow(input))) return { waits: UNANSWERED };
  const leaving = isHostname ? input.leaving.get(prior.key) : undefined;
  // If the whole section left the YAML, its hostnames are released, except those that move.
  const isLetGo = !hostnames.isDeclared && !input.isDestroy && !leaving;
  const isKept = prior.undeclared === true || (isHostname && (hostnames.lifecycle === "app" || isLetGo));
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
export function unchanged(input: PlanInput, subject: Subject): Change {
  return change(input, subject, { action: "no-op", cause: "config" });
}

interface Outline {
  readonly action: Action;
  readonly cause: Cause;
  readonly reason?: string;
  readonly comparison?: Comparison;
  readonly isReplaced?: true;
}

/** What live keeps of released fields. */
function keptOf({ kind, live }: Subject, released: readonly Path[]): Pick<Change, "keeps"> {
  const kept = released.flatMap((path) => {
    const [name, value] = [formatPath(path), valueAt(live?.values, path)];
    return value === undefined || kind.writeOnly.includes(name) ? [] : [[name, value] as const];
  });
  return kept.length === 0 ? {} : { keeps: Object.fromEntries(kept) };
}

function change(input: PlanInput, subject: Subject, given: Outline): Change {
  const { action, cause, reason, comparison, isReplaced } = given;
  const { kind, target, prior, live } = subject;
  const changed = comparison?.leaves ?? [];
  const all = comparison ? allLeaves(comparison) : [];
  const isStuck = action === "held" && !waitsForUpdate(comparison?.held);
  const desired = action === "delete" || target === undefined ? undefined : target.spec;
  const key = target?.key ?? prior?.key ?? live?.key ?? "";
  const outline = {
    address: planAddress(input, kind.name, key),
    kind: kind.name,
    key,
    action,
    cause,
    ...defined({ reason }),
    ...(live === undefined || action === "create" ? {} : { id: live.id }),
    ...(live && !writes(action, comparison) ? seenOf(live, prior, serviceNow(input)) : {}),
    ...(action === "create" && desired
      ? initial(input, subject, key, desired, cause)
      : { leaves: changed, rules: comparison?.rules ?? [] }),
    ...(comparison?.held ? { held: comparison.held } : {}),
    // A held change keeps the protection until it is applied.
    letGo: [...(comparison?.letGo ?? []), ...(isStuck ? [] : protectionLetGo(subject))],
    ...keptOf(subject, comparison?.letGo ?? []),
    notes: [
      ...(comparison?.notes ?? []),
      ...lossNotes(kind, given, live),
      ...(subject.unanswered ? [unansweredNote(subject.unanswered)] : []),
    ],
    hazards: hazardsOf(subject, { ...given, key, desired, ...carriedBy(input, kind) }),
    ...dangersOf(input, subject, given),
    ...defined({ desired }),
    ...(prior === undefined || prior.pending ? {} : { prior: prior.applied }),
    ...defined({ by: prior ? prior.by : input.state && appliedBy(input.state, localAddress(kind.name, key)) }),
    ...(live && (writes(action, comparison) || waitsForUpdate(comparison?.held))
      ? { expected: kind.guarded(live, action === "delete" || action === "replace" ? [] : all) }
      : {}),
    options: target?.options ?? {},
    protect: target?.protect ?? isKeptProtected(subject),
    ...movesTo(input, kind, key, action),
    ...(prior?.pending ? { resumes: true as const } : {}),
    ...(isReplaced ? { replaced: true as const } : {}),
    ...(target?.isUndeclared || (target === undefined && prior?.undeclared) ? { undeclared: true as const } : {}),
    ...defined({ at: target?.at }),
    digest: brandDigest(""),
  } satisfies Change;
  const refused = refusalOf(input, subject, outline, comparison?.objections ?? []);
  return { ...outline, ...defined({ refused }), digest: digestOf(outline) };
}

/** What is dangerous about live as somebody left it, and as the change finds it. */
function dangersOf(
  input: PlanInput,
  subject: Subject,
  { action, cause, comparison }: Outline,
): Pick<Change, "dangers"> {
  const prior = subject.prior ?? subject.former;
  if (!prior || prior.pending || action === "delete" || action === "forget" || cause === "service") return {};
  const leaves = [...(comparison?.leaves ?? []), ...(comparison?.held?.leaves ?? [])].filter(isDrift);
  const { hazards: dangers } = dangerSince(input, subject, prior, leaves);
  return dangers.length === 0 ? {} : { dangers };
}

function movesTo({ leaving }: PlanInput, kind: Kind, key: string, action: Action): Pick<Change, "movesTo"> {
  const isGoing = kind.name === "custom_hostname" && (action === "held" || action === "delete");
  const to = isGoing ? leaving.get(key)?.to : undefined;
  return to === undefined ? {} : { movesTo: to };
}

/** Whether the change writes the live object, which then must be as it was when planned. */
function writes(action: Outline["action"], comparison: Comparison | undefined): boolean {
  switch (action) {
    case "update":
    case "replace":
    case "delete":
      return true;
    case "adopt":
      return (comparison?.leaves.length ?? 0) > 0 || (comparison?.rules.length ?? 0) > 0;
    case "create":
    case "forget":
    case "held":
    case "no-op":
      return false;
    default:
      return action satisfies never;
  }
}

/** The fields and rules of a new object, so that a create reads like every other change. */
function initial(
  input: PlanInput,
  { kind, prior }: Subject,
  key: string,
  desired: JsonObject,
  cause: Cause,
): Pick<Change, "leaves" | "rules"> {
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
