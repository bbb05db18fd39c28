import { listed } from "../core/words.ts";
import { formatPosition, problem } from "../core/diagnostic.ts";
import { formatPath, valueAt } from "../core/json.ts";
import type { Check } from "../config/desired.ts";
import { isHostname } from "../kinds/registry.ts";
import type { Hazard } from "../kinds/hazards.ts";
import type { Objection, RuleChange } from "../kinds/traits/compared.ts";
import type { ValueProblem } from "../kinds/traits/declared.ts";
import type { Action, Change, Refused } from "./change.ts";
import { absenceIn } from "./secrets.ts";
import { isKeptProtected, type Subject } from "./subject.ts";
import { waitsForUpdate } from "./write.ts";
import type { PlanInput } from "./inputs.ts";
import { lackingSubscription } from "./subscription.ts";

type Draft = Omit<Change, "refused" | "digest">;

/**
 * Why a change is blocked, or undefined if it is not. Only the first guard that blocks is named. Messages do not name
 * the object, which is printed before them, so equal messages of many objects can be folded into one.
 */
export function refusalOf(
  input: PlanInput,
  subject: Subject,
  change: Draft,
  objections: readonly Objection[],
): Refused | undefined {
  return (
    protectedObject(change, subject) ??
    unmanagedEntryPoint(input, subject, change) ??
    impossibleByPolicy(subject) ??
    impossibleByLive(subject, change) ??
    allOf([...lackingSubscription(input, change), ...objections]) ??
    absentSecret(input, subject, change) ??
    deniedValue(input.desired.checks, change) ??
    deniedByCaller(input, change)
  );
}

/** All objections of a kind in one refusal, so that one fix is enough. */
function allOf([first, ...others]: readonly Objection[]): Refused | undefined {
  if (!first || others.length === 0) return first;
  const every = [first, ...others];
  const numbered = (texts: readonly string[]): string =>
    texts.map((text, index) => `(${index + 1}) ${text}`).join("; ");
  return {
    code: first.code,
    message: numbered(every.map(({ message }) => message)),
    remedy: numbered(every.map(({ remedy }) => remedy)),
  };
}

/**
 * Only the state says whether an object is protected, until `protect: false` has been applied
 * (docs/semantics.md#protection).
 */
function protectedObject(change: Draft, subject: Subject): Refused | undefined {
  const isProtected = isKeptProtected(subject) || subject.target?.protect === true;
  if (!isProtected || (change.action !== "delete" && change.action !== "replace")) return undefined;
  return problem("protected", { message: `it is protected, and this plan would ${change.action} it` });
}

/** How many rules a refusal lists before counting the rest. */
const NAMED = 20;

function unmanagedEntryPoint(
  input: PlanInput,
  { kind, target, prior, live }: Subject,
  change: Draft,
): Refused | undefined {
  if (kind.adoption !== "when-told" || change.action !== "adopt" || target?.options["adopt"] === true || !live) {
    return undefined;
  }
  const lost = change.rules.filter((rule) => rule.action === "remove");
  // An entry point that Zoneform was about to create is its own, unless it has foreign rules by now.
  if (prior?.pending && lost.length === 0) return undefined;
  const names = listed(lost.map(nameOf), NAMED);
  const named =
    lost.length === 0
      ? "no rule would be lost"
      : `${lost.length} live ${lost.length === 1 ? "rule" : "rules"} would be lost: ${names}`;
  return problem("unmanaged-entry-point", { rules: named, id: kind.importId(input.desired.id, live) });
}

function nameOf({ ref, title }: RuleChange): string {
  return title === "" ? ref : `${ref} (${title})`;
}

/** What policies set on an undeclared hostname is only known now, so it is checked now. */
function impossibleByPolicy({ kind, target }: Subject): Refused | undefined {
  if (!target?.isUndeclared) return undefined;
  const problem = kind.problems(target.key, target.values).find(({ onlyNew }) => !onlyNew);
  return problem && { code: problem.code, message: problem.message, remedy: problem.remedy };
}

/** A live value that the YAML does not manage may conflict with a value that is written. */
function impossibleByLive({ kind, target, live }: Subject, change: Draft): Refused | undefined {
  if (!target || !live) return undefined;
  const isWritten = (path: ValueProblem["path"]): boolean =>
    change.leaves.some((leaf) => path.every((part, index) => leaf.path[index] === part));
  const problem = kind
    .problemsBesideLive?.(target.key, target.values, live)
    .find(({ onlyNew, path }) => !onlyNew && isWritten(path));
  return problem && { code: problem.code, message: problem.message, remedy: problem.remedy };
}

/** Every write needs the object's secrets, to compare or to send them. */
function absentSecret({ absenceOf }: PlanInput, { kind }: Subject, { action, desired }: Draft): Refused | undefined {
  const needsNone = action === "delete" || action === "forget" || action === "held" || action === "no-op";
  const missing = needsNone ? undefined : absenceIn(absenceOf, desired, kind.writeOnly);
  return missing === undefined ? undefined : problem("secret-missing", { message: missing });
}

function deniedValue(checks: readonly Check[], change: Draft): Refused | undefined {
  if (!isHostname(change.kind) || !change.desired) return undefined;
  for (const check of checks) {
    if (!check.in.includes("desired")) continue;
    for (const [leaf, denied] of Object.entries(check.deny)) {
      const value = valueAt(change.desired, leaf.split("."));
      if (typeof value !== "string" || !denied.includes(value)) continue;
      const field = formatPath(leaf.split("."));
      return problem("denied-value", { field, value, check: check.name, place: formatPosition(check.at) });
    }
  }
  return undefined;
}

/** What the caller denies with `--deny`. */
export function deniedByCaller(
  input: Pick<PlanInput, "selection">,
  change: Pick<Draft, "action" | "held" | "hazards">,
): Refused | undefined {
  // A held change is denied like the update that it becomes.
  const action = waitsForUpdate(change.held) && change.action === "held" ? "update" : change.action;
  const denied = [...change.hazards, action].find((word) => input.selection.deny.includes(word));
  return denied === undefined ? undefined : refusalOfDenied(denied);
}

/** The refusal for `--deny` with this hazard or action. */
export function refusalOfDenied(denied: Hazard | Action): Refused {
  return problem("denied-by-flag", { denied });
}
