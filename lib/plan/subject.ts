import type { DesiredObject } from "../config/desired.ts";
import { optionalText } from "../core/decode.ts";
import {
  defined,
  formatPath,
  isList,
  isObject,
  type JsonObject,
  leaves,
  type Path,
  valueAt,
  withOptionalValueAt,
} from "../core/json.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import type { RuleChange } from "../kinds/traits/compared.ts";
import type { AppliedBy, StateObject, Unanswered } from "../state/state.ts";

/** Everything that is known about one object. */
export interface Subject {
  readonly kind: Kind;
  /** The natural key that matched its sides. */
  readonly key: string;
  readonly target: DesiredObject | undefined;
  readonly prior: StateObject | undefined;
  readonly live: Live | undefined;
  /** The live object has the name of a tracked one, but another id. */
  readonly isAnother?: true;
  /** The tracked object of this name, if the live one is another: its applied values tell who made a difference. */
  readonly former?: StateObject;
  /** The state protects this name; nothing else of its previous object is known about this one. */
  readonly inheritsProtection?: true;
  /** A run wrote exactly this object and got no response. */
  readonly unanswered?: Unanswered;
}

/**
 * The subject with what the state knows about this very object.
 * - Another id under the same name is another object: we know nothing about it and may not delete it. Only the
 *   protection of the name carries over, until `protect: false` is applied.
 * - An object that a stopped run was about to replace, and that still has its id, is the known one.
 * - What exists under the name of an unfinished create is ours only if that is proven.
 * - A requested step that never took effect counts as not done.
 * - What an unanswered write explains is that run's work.
 * `now` is RFC 3339, by the service's clock if known.
 */
export function withProvenIdentity(subject: Subject, now: string): Subject {
  const { prior, live } = subject;
  if (!prior) return subject;
  const { unanswered } = prior;
  if (!live) return unanswered?.action === "delete" ? { ...subject, prior: undefined, unanswered } : subject;
  const unknown = { ...subject, prior: undefined, ...(prior.protect ? { inheritsProtection: true as const } : {}) };
  if (prior.id !== live.id && prior.pending) return isProvenOurs(subject.kind, prior, live) ? subject : unknown;
  if (prior.id !== live.id) return { ...unknown, isAnother: true, former: prior };
  const options = subject.target?.options ?? {};
  const { pending: _pending, since: _since, ...known } = settledByLive(subject.kind, prior, live, options);
  return {
    ...subject,
    prior: hasRequestLapsed(known, now) ? { ...known, applied: {} } : known,
    ...(unanswered ? { unanswered } : {}),
  };
}

/**
 * A tracked object after an update without a response. Where live shows what that run sent, the run applied it, and it
 * is no foreign edit (docs/semantics.md#drift). A field that the service never shows proves nothing and stays as it
 * was.
 */
export function settledByLive(kind: Kind, prior: StateObject, live: Live, options: Options): StateObject {
  const { unanswered, ...known } = prior;
  if (unanswered?.action !== "update") return known;
  const { applied } = known;
  const { by: sentBy, sent } = unanswered;
  const { leaves, rules, held } = kind.compare({ desired: sent, prior: applied, live, options });
  const unlike = [...leaves, ...(held?.leaves ?? [])].map(({ path }) => path);
  const shown = unlike.reduce((values, path) => withOptionalValueAt(values, path, valueAt(applied, path)), sent);
  const by = sentBy && byShown(known.by, sentBy, [...unlike, ...rules.map(({ ref }) => ["rules", ref])]);
  return {
    ...known,
    applied: rules.length === 0 ? shown : { ...shown, rules: rulesShown(applied, sent, rules) },
    ...defined({ by }),
  };
}

/** A field that live does not show as sent keeps the run that applied it before. */
function byShown(before: AppliedBy | undefined, sent: AppliedBy, unlike: readonly Path[]): AppliedBy {
  const fields = new Set(unlike.map(formatPath));
  const shown = Object.entries(sent).filter(([field]) => !fields.has(field));
  return { ...before, ...Object.fromEntries(shown) };
}

/** The plan's remark about an object that a run left unfinished. */
export function unansweredNote({ run, action }: Unanswered): string {
  return `run ${run} got no response to its ${action === "delete" ? "deletion" : "change"}`;
}

/** Rules that are live as sent; the others as they were applied before. */
function rulesShown(applied: JsonObject, sent: JsonObject, changes: readonly RuleChange[]): readonly JsonObject[] {
  const [before, after] = [rulesByRef(applied), rulesByRef(sent)];
  const unlike = new Set(changes.filter(({ action }) => action !== "move").map(({ ref }) => ref));
  const isMoved = changes.some(({ action, foreign }) => action === "move" && !foreign);
  const refs = new Set(isMoved ? [...before.keys(), ...after.keys()] : [...after.keys(), ...before.keys()]);
  return [...refs].flatMap((ref) => {
    const rule = (unlike.has(ref) ? before : after).get(ref);
    return rule ? [rule] : [];
  });
}

function rulesByRef({ rules }: JsonObject): ReadonlyMap<string, JsonObject> {
  const all = isList(rules) ? rules.filter(isObject) : [];
  return new Map<string, JsonObject>(all.map((rule) => [optionalText(rule, "ref") ?? "", rule]));
}

/** The path that marks a released protection among the released fields. No kind has a field of this name. */
export const PROTECTION: Path = ["protect"];

/** Whether the state protects the object, or its predecessor of the same name. */
export function isKeptProtected({ prior, inheritsProtection }: Pick<Subject, "prior" | "inheritsProtection">): boolean {
  return prior?.protect === true || inheritsProtection === true;
}

/**
 * What a change releases of the protection: nothing, or all of it. If the state protects an object and the YAML does
 * not, removing the protection is a change like any other, shown and approved; only a later plan can delete the object.
 */
export function protectionLetGo(subject: Pick<Subject, "target" | "prior" | "inheritsProtection">): readonly Path[] {
  return isKeptProtected(subject) && subject.target?.protect === false ? [PROTECTION] : [];
}

/** Clocks differ: an object only counts as older than a request beyond this difference. */
const CLOCK_TOLERANCE_MILLISECONDS = 5 * 60_000;

/**
 * After recording the intent, the client waits at most 10 minutes for the service's limits and 3 for the response, and
 * a replacement deletes first: an object created later than this, plus the tolerance, is not the result of that
 * request.
 */
const LONGEST_REQUEST_MILLISECONDS = 15 * 60_000;

/** No list lags this long: a create that does not show by then never took effect. */
const LONGEST_LAG_MILLISECONDS = 60 * 60_000;

/** Whether an object existed before a request was sent (ms since the epoch), so that the request did not create it. */
export function isOlder(live: Live, sentAt: number): boolean {
  const createdAt = optionalText(live.status, "created_at");
  return createdAt !== undefined && Date.parse(createdAt) < sentAt - CLOCK_TOLERANCE_MILLISECONDS;
}

/**
 * Whether the object found under the name of a create whose response was lost is the one that it created: it was
 * created while the request was under way, and has what was sent in every field that the service shows. The name alone
 * is no proof, and a proven object may be deleted. So a hostname without a date, or a create without a record of what
 * was sent, proves nothing.
 */
export function isProvenOurs(kind: Kind, { applied, since }: StateObject, live: Live): boolean {
  if (Object.keys(applied).length === 0 || !isDatedOurs(kind, since, live)) return false;
  const { leaves: differing, rules, held } = kind.compare({ desired: applied, prior: undefined, live, options: {} });
  const shown = [...differing, ...(held?.leaves ?? [])].filter(
    ({ path }) => !kind.writeOnly.includes(formatPath(path)),
  );
  return rules.length === 0 && shown.length === 0 && !hasMore(kind, applied, live);
}

/** Whether live has values that we did not send and that the service never fills in. Then it is a foreign object. */
function hasMore({ neverFilled = [] }: Kind, applied: JsonObject, live: Live): boolean {
  return leaves(live.values).some(
    ({ path, value }) => value !== null && neverFilled.includes(path[0] ?? "") && valueAt(applied, path) === undefined,
  );
}

/** A shared object has no date of its own. Our rules identify it: it has only rules with our names and content. */
function isDatedOurs(kind: Kind, since: string | undefined, live: Live): boolean {
  if (kind.adoption === "when-told") return true;
  // The service does not date certificate packs: only their hosts, CA and validity identify them.
  if (kind.replacement === "create-first") return true;
  const createdAt = optionalText(live.status, "created_at");
  if (since === undefined || createdAt === undefined) return false;
  const latest = Date.parse(since) + LONGEST_REQUEST_MILLISECONDS + CLOCK_TOLERANCE_MILLISECONDS;
  return !isOlder(live, Date.parse(since)) && Date.parse(createdAt) <= latest;
}

/**
 * The service takes at most this long to complete a step (up to an hour for `waf_migration`:
 * docs/service.md#waf-migration).
 */
const LONGEST_STEP_MILLISECONDS = 60 * 60_000;

/** Whether a step would show by now if it had taken effect, so that it must be sent again. */
export function hasRequestLapsed({ asked }: StateObject, now: string): boolean {
  // With a wrong clock, the request may be dated in the future.
  return asked !== undefined && Math.abs(Date.parse(now) - Date.parse(asked)) > LONGEST_STEP_MILLISECONDS;
}

/** Whether an unfinished create is so old that absence from a list proves that it does not exist. */
export function isLongAgo({ since }: StateObject, now: string): boolean {
  return since !== undefined && Date.parse(now) - Date.parse(since) > LONGEST_LAG_MILLISECONDS;
}
