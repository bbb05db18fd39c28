import { isHexId } from "../../core/brand.ts";
import { objects, optionalObject, optionalText, texts } from "../../core/decode.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { endOfDay } from "../../core/moment.ts";
import { didYouMean } from "../../core/suggest.ts";
import type { Options } from "../live.ts";
import type { SpecProblem } from "../traits/declared.ts";
import { isOurs } from "./arrange.ts";
import { MANAGED_RULESETS, managedRulesetId, managedRulesetName } from "./managed.ts";

/** The managed phase only executes and skips rulesets (docs/service.md#rules). */
const MANAGED_PHASE_ACTIONS = ["execute", "skip"];

/**
 * Managed rulesets become ids, and `enabled` defaults to `true`: a declared rule is meant to run, so disabling it must
 * show as drift. `enabled: null` leaves the switch unmanaged.
 */
export function normalise(spec: JsonObject): JsonObject {
  return { ...spec, rules: objects(spec, "rules").map(normaliseRule) };
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

/** What can never work in an entry point, found before anything is sent. */
export function problems(
  phase: string,
  spec: JsonObject,
  _zone?: string,
  options: Options = {},
): readonly SpecProblem[] {
  const rules = objects(spec, "rules");
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

function ignoredProblems(options: Options): readonly SpecProblem[] {
  const day = optionalText(optionalObject(options, "ignore_foreign") ?? {}, "until");
  if (day === undefined) return [];
  const path = ["ignore_foreign", "until"];
  const after = ignoredUntil(options);
  if (after === undefined)
    return [{ path, code: "no-such-date", message: `${day} is not a date`, remedy: "for example: 2027-03-31" }];
  const message = `ignore_foreign ended on ${day}: foreign rules that let traffic past yours are dangers again`;
  return [{ path, code: "ignore-foreign-ended", message, remedy: "remove it, or set a later date", after }];
}

function duplicateRefs(rules: readonly JsonObject[]): SpecProblem[] {
  const first = new Map<string, number>();
  return rules.flatMap((rule, index) => {
    const ref = optionalText(rule, "ref") ?? "";
    const earlier = first.get(ref);
    if (earlier === undefined) {
      first.set(ref, index);
      return [];
    }
    return [
      {
        path: ["rules", index, "ref"],
        code: "duplicate-ref",
        message: `rule ${earlier + 1} has the same ref ${JSON.stringify(ref)}`,
        remedy: "give each rule its own ref: Zoneform identifies rules by it",
      },
    ];
  });
}

/** Once such a rule is gone from the state, nothing shows that it was ours: it is kept as somebody else's. */
function refOutsideOwn(rule: JsonObject, index: number, options: Options): SpecProblem[] {
  const ref = optionalText(rule, "ref") ?? "";
  if (isOurs(ref, new Set(), options)) return [];
  const own = texts(options, "own");
  return [
    {
      path: ["rules", index, "ref"],
      code: "ref-outside-own",
      message: `the ref ${JSON.stringify(ref)} begins with none of the prefixes of own: ${own.join(", ")}`,
      remedy:
        own[0] === undefined
          ? "add its prefix to own"
          : `rename it, for example to ${JSON.stringify(`${own[0]}${ref}`)}, or add its prefix to own`,
      isWarning: true,
    },
  ];
}

function actionProblems(phase: string, rule: JsonObject, index: number): SpecProblem[] {
  const action = optionalText(rule, "action") ?? "";
  if (!phase.endsWith("_firewall_managed") || MANAGED_PHASE_ACTIONS.includes(action)) return [];
  return [
    {
      path: ["rules", index, "action"],
      code: "action-not-in-phase",
      message: `the phase ${phase} does not support the action ${JSON.stringify(action)}`,
      remedy: "use execute or skip, or move the rule to another phase, such as http_request_firewall_custom",
    },
  ];
}

/** An expression has at most 4 KB (docs/service.md#rules), in bytes: letters outside ASCII have several. */
const EXPRESSION_LIMIT_BYTES = 4096;

function expressionProblems(rule: JsonObject, index: number): SpecProblem[] {
  const bytes = Buffer.byteLength(optionalText(rule, "expression") ?? "");
  if (bytes <= EXPRESSION_LIMIT_BYTES) return [];
  return [
    {
      path: ["rules", index, "expression"],
      code: "expression-too-long",
      message: `the expression has ${bytes} bytes, at most ${EXPRESSION_LIMIT_BYTES} are allowed`,
      remedy: "shorten it, move long lists of values to a list of the account, or split the rule",
    },
  ];
}

function unknownRulesets(rule: JsonObject, index: number): SpecProblem[] {
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
    .map(({ path, name }) => ({
      path,
      code: "unknown-ruleset",
      message: `there is no managed ruleset ${JSON.stringify(name)}`,
      remedy:
        didYouMean(name, Object.keys(MANAGED_RULESETS)) ||
        `use one of: ${Object.keys(MANAGED_RULESETS).join(", ")}, or a ruleset id of 32 hex digits`,
    }));
}

/** A skip only affects later execute rules (docs/service.md#rules), so one after its execute does nothing. */
function uselessSkip(rules: readonly JsonObject[], rule: JsonObject, index: number): SpecProblem[] {
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
    return [
      {
        path: ["rules", index, "action_parameters", ...path],
        code: "skip-after-execute",
        message: `this skip has no effect: rule ${executing} before it has already run ${managedRulesetName(managedRulesetId(id))}`,
        remedy: `move the skip above rule ${executing}`,
      },
    ];
  });
}

function executedBy(rule: JsonObject): string | undefined {
  const parameters = rule["action_parameters"];
  const id = isObject(parameters) ? optionalText(parameters, "id") : undefined;
  return id === undefined ? undefined : managedRulesetId(id);
}
