import type { DesiredObject } from "../config/desired.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import type { AppliedBy, StateObject, Unanswered } from "../state/state.ts";
import { hasRequestLapsed, isProvenOurs } from "./proof.ts";
import { optionalText } from "../core/decode.ts";
import { defined } from "../core/defined.ts";
import {
  formatPath,
  isList,
  isObject,
  type JsonObject,
  type Path,
  valueAt,
  withOptionalValueAt,
} from "../core/json.ts";
import type { RuleChange } from "../kinds/traits/compared.ts";

/** Everything that is known about one object. */
export interface Subject {
  readonly kind: Kind;
  /** The natural key, by which its sides were found. */
  readonly key: string;
  readonly target: DesiredObject | undefined;
  readonly prior: StateObject | undefined;
  readonly live: Live | undefined;
  /** The live object has the name of a tracked one, but another id. */
  readonly isAnother?: true;
  /**
   * The tracked object of this name, if the live one is another: what was applied to it tells who made a difference.
   */
  readonly former?: StateObject;
  /** The state protects this name; nothing else of its previous object is known about this one. */
  readonly inheritsProtection?: true;
  /** A run wrote this very object and saw no response. */
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
 * A tracked object after an update without a response: what live shows as that run sent it was applied by that run, not
 * by somebody else (docs/semantics.md#drift). What the service never shows proves nothing and stays as it was.
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

/** What live does not show as it was sent keeps the run that applied it before. */
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

/** The path that stands for losing protection among what a change releases. No kind has a field of this name. */
export const PROTECTION: Path = ["protect"];

/** Whether the state protects the object, or the one that had its name before. */
export function isKeptProtected({ prior, inheritsProtection }: Pick<Subject, "prior" | "inheritsProtection">): boolean {
  return prior?.protect === true || inheritsProtection === true;
}

/**
 * What a change releases of the protection: nothing, or the whole. If the state protects an object and the YAML does
 * not, removing the protection is a change like any other, shown and approved; only a later plan can delete the object.
 */
export function protectionLetGo(subject: Pick<Subject, "target" | "prior" | "inheritsProtection">): readonly Path[] {
  return isKeptProtected(subject) && subject.target?.protect === false ? [PROTECTION] : [];
}
