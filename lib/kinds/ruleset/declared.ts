import { problem as coreProblem, wordingFrom } from "../../core/diagnostic.ts";
import { isHexId } from "../../core/brand.ts";
import { objects, optionalObject, optionalText, texts } from "../../core/decode.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { endOfDay } from "../../core/moment.ts";
import { didYouMean } from "../../core/suggest.ts";
import type { Options } from "../live.ts";
import type { ValueProblem } from "../traits/declared.ts";
import { isOurs } from "./arrange.ts";
import { MANAGED_RULESETS, managedRulesetId, managedRulesetName } from "./managed.ts";

/** Codes that only entry points and their rules raise. */
export const CODES = {
  "duplicate-ref": {
    cause: "two rules of an entry point have the same ref, and Zoneform identifies rules by it",
    message: "rule {number} has the same ref {ref}",
    remedy: "give each rule its own ref: Zoneform identifies rules by it",
  },
  "ref-outside-own": {
    cause: "the ref of a declared rule has none of the prefixes of own, so without a state the rule counts as foreign",
    message: "the ref {ref} begins with none of the prefixes of own: {prefixes}",
    remedy: "rename it, or add its prefix to own",
  },
  "action-not-in-phase": {
    cause: "the phase does not support the action",
    message: "the phase {phase} does not support the action {action}",
    remedy: "use execute or skip, or move the rule to another phase, such as http_request_firewall_custom",
  },
  "expression-too-long": {
    cause: "an expression is longer than Cloudflare allows",
    message: "the expression has {bytes} bytes, at most {most} are allowed",
    remedy: "shorten it, move long lists of values to a list of the account, or split the rule",
  },
  "unknown-ruleset": {
    cause: "a rule runs or skips a managed ruleset that does not exist",
    message: "there is no managed ruleset {name}",
    remedy: "use one of: {names}, or a ruleset id of 32 hex digits",
  },
  "ignore-foreign-ended": {
    cause:
      "the last day of an entry point's ignore_foreign is over, so foreign rules that let traffic past yours count again",
    message: "ignore_foreign ended on {day}: foreign rules that let traffic past yours are dangers again",
    remedy: "remove ignore_foreign, or set a later date",
  },
  "skip-after-execute": {
    cause: "a skip comes after the rule that runs what it skips, so it has no effect",
    message: "this skip has no effect: rule {number} before it has already run {ruleset}",
    remedy: "move the skip above rule {number}",
  },
} as const;

const problem = wordingFrom(CODES);

/** The managed phase only executes and skips rulesets (docs/service.md#rules). */
const MANAGED_PHASE_ACTIONS = ["execute", "skip"];

/**
 * Managed rulesets become ids, and `enabled` defaults to `true`: a declared rule is meant to run, so disabling it must
 * show as drift. `enabled: null` leaves the switch unmanaged.
 */
export function normalise(desired: JsonObject): JsonObject {
  return { ...desired, rules: objects(desired, "rules").map(normaliseRule) };
}

function normaliseRule(rule: JsonObject): JsonObject {
  const enabled = { enabled: true, ...rule };
  const parameters = optionalObject(rule, "action_parameters");
  if (!parameters) return enabled;
  const id = parameters["id"];
  const named: Record<string, Json> = { ...parameters };
  if (typeof id === "string") named["id"] = managedRulesetId(id);
  if (Array.isArray(parameters["rulesets"])) named["rulesets"] = texts(parameters, "rulesets").map(managedRulesetId);
  const skipped = optionalObject(parameters, "rules");
  if (skipped) {
    named["rules"] = Object.fromEntries(
      Object.entries(skipped).map(([name, rules]) => [managedRulesetId(name), rules]),
    );
  }
  return { ...enabled, action_parameters: named };
}

/** Problems that can never work in an entry point, found before anything is sent. */
export function problems(
  phase: string,
  desired: JsonObject,
  _zone?: string,
  options: Options = {},
): readonly ValueProblem[] {
  const rules = objects(desired, "rules");
  return [
    ...ignoredProblems(options),
    ...duplicateRefs(rules),
    ...rules.flatMap((rule, index) => [
      ...actionProblems(phase, rule, index),
      ...unknownRulesets(rule, index),
      ...expressionProblems(rule, index),
      ...uselessSkip(rules, rule, index),
      ...refOutsideOwn(rule, index, options),
    ]),
  ];
}

/** Until when dangerous foreign rules are ignored, in milliseconds since the epoch; undefined if they are not. */
export function ignoredUntil(options: Options): number | undefined {
  return endOfDay(optionalText(optionalObject(options, "ignore_foreign") ?? {}, "until") ?? "");
}

function ignoredProblems(options: Options): readonly ValueProblem[] {
  const day = optionalText(optionalObject(options, "ignore_foreign") ?? {}, "until");
  if (day === undefined) return [];
  const path = ["ignore_foreign", "until"];
  const after = ignoredUntil(options);
  if (after === undefined) return [{ path, ...coreProblem("no-such-date", { message: `${day} is not a date` }) }];
  return [{ path, ...problem("ignore-foreign-ended", { day }), after }];
}

function duplicateRefs(rules: readonly JsonObject[]): ValueProblem[] {
  const first = new Map<string, number>();
  return rules.flatMap((rule, index) => {
    const ref = optionalText(rule, "ref") ?? "";
    const earlier = first.get(ref);
    if (earlier === undefined) {
      first.set(ref, index);
      return [];
    }
    const found = problem("duplicate-ref", { number: earlier + 1, ref: JSON.stringify(ref) });
    return [{ path: ["rules", index, "ref"], ...found }];
  });
}

/** Once such a rule is gone from the state, nothing shows that it was ours, so it is kept as a foreign rule. */
function refOutsideOwn(rule: JsonObject, index: number, options: Options): ValueProblem[] {
  const ref = optionalText(rule, "ref") ?? "";
  if (isOurs(ref, new Set(), options)) return [];
  const own = texts(options, "own");
  const remedy =
    own[0] === undefined
      ? "add its prefix to own"
      : `rename it, for example to ${JSON.stringify(`${own[0]}${ref}`)}, or add its prefix to own`;
  return [
    {
      path: ["rules", index, "ref"],
      ...problem("ref-outside-own", { ref: JSON.stringify(ref), prefixes: own.join(", ") }, { remedy }),
      isWarning: true,
    },
  ];
}

function actionProblems(phase: string, rule: JsonObject, index: number): ValueProblem[] {
  const action = optionalText(rule, "action") ?? "";
  if (!phase.endsWith("_firewall_managed") || MANAGED_PHASE_ACTIONS.includes(action)) return [];
  const found = problem("action-not-in-phase", { phase, action: JSON.stringify(action) });
  return [{ path: ["rules", index, "action"], ...found }];
}

/** An expression has at most 4 KB (docs/service.md#rules), in bytes: letters outside ASCII have several. */
const EXPRESSION_LIMIT_BYTES = 4096;

function expressionProblems(rule: JsonObject, index: number): ValueProblem[] {
  const bytes = Buffer.byteLength(optionalText(rule, "expression") ?? "");
  if (bytes <= EXPRESSION_LIMIT_BYTES) return [];
  const found = problem("expression-too-long", { bytes, most: EXPRESSION_LIMIT_BYTES });
  return [{ path: ["rules", index, "expression"], ...found }];
}

function unknownRulesets(rule: JsonObject, index: number): ValueProblem[] {
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const at = ["rules", index, "action_parameters"] as const;
  const named: { path: (string | number)[]; name: string }[] = [];
  if (rule["action"] === "execute" && typeof parameters["id"] === "string") {
    named.push({ path: [...at, "id"], name: parameters["id"] });
  }
  texts(parameters, "rulesets").forEach((name, place) => named.push({ path: [...at, "rulesets", place], name }));
  for (const name of Object.keys(optionalObject(parameters, "rules") ?? {}))
    named.push({ path: [...at, "rules", name], name });
  return named
    .filter(({ name }) => !isHexId(name) && !Object.hasOwn(MANAGED_RULESETS, name))
    .map(({ path, name }) => {
      const known = Object.keys(MANAGED_RULESETS);
      const values = { name: JSON.stringify(name), names: known.join(", ") };
      return { path, ...problem("unknown-ruleset", values, { remedy: didYouMean(name, known) }) };
    });
}

/** A skip only affects later execute rules (docs/service.md#rules), so one after its execute does nothing. */
function uselessSkip(rules: readonly JsonObject[], rule: JsonObject, index: number): ValueProblem[] {
  if (rule["action"] !== "skip") return [];
  const parameters = optionalObject(rule, "action_parameters") ?? {};
  const byList = texts(parameters, "rulesets").map((id, place) => ({ id, path: ["rulesets", place] }));
  const byRules = Object.keys(optionalObject(parameters, "rules") ?? {}).map((id) => ({ id, path: ["rules", id] }));
  return [...byList, ...byRules].flatMap(({ id, path }) => {
    const executes = (candidate: JsonObject): boolean =>
      candidate["action"] === "execute" && executedBy(candidate) === managedRulesetId(id);
    const isBefore = rules.slice(0, index).some(executes);
    if (!isBefore || rules.slice(index + 1).some(executes)) return [];
    const executing = rules.findIndex(executes) + 1;
    const values = { number: executing, ruleset: managedRulesetName(managedRulesetId(id)) };
    return [{ path: ["rules", index, "action_parameters", ...path], ...problem("skip-after-execute", values) }];
  });
}

function executedBy(rule: JsonObject): string | undefined {
  const parameters = rule["action_parameters"];
  const id = isObject(parameters) ? optionalText(parameters, "id") : undefined;
  return id === undefined ? undefined : managedRulesetId(id);
}
