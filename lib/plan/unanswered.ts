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
import type { Kind } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import type { AppliedBy, StateObject, Unanswered } from "../state/state.ts";

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
