import { type Call, jsonBody, param, type Route } from "../call.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import { type Reply, success } from "../messages.ts";
import { refuseEarlyRules } from "../waf/migration.ts";
import { isDryRun, notFound, writableRuleset } from "./find.ts";
import { type Owner, ownerRoutes } from "./owner.ts";
import { currentVersion, type Rule, type Ruleset, rulesetView, saveVersion, settleRule } from "./ruleset.ts";
import { checkRefs, readRule, readRules } from "./rule-input.ts";
import { rulesetError } from "./shape.ts";

const BASE = "/rulesets/:ruleset/rules";

/** The calls for one rule. Each answers with the whole ruleset (docs/service.md#rulesets). */
export function ruleRoutes(): Route[] {
  return [
    ...ownerRoutes("POST", BASE, add),
    ...ownerRoutes("PATCH", `${BASE}/:rule`, edit),
    ...ownerRoutes("DELETE", `${BASE}/:rule`, remove),
  ];
}

function add(call: Call, owner: Owner): Reply {
  const ruleset = writableRuleset(call, owner);
  const body = jsonBody(call);
  const sent = readRule(body, owner, ruleset.phase, "");
  const { rules } = currentVersion(ruleset);
  readRules([...rules, sent], owner, ruleset.phase);
  refuseEarlyRules(owner.zone, ruleset, [sent], () => "");
  const rule = settleRule(undefined, sent, { ids: call.core.ids, now: call.now });
  return save(call, ruleset, placed([...rules], rule, body["position"] ?? { index: rules.length + 1 }));
}

/** Edits a rule. The body needs the whole rule, unless it only moves the rule (docs/service.md#rulesets). */
function edit(call: Call, owner: Owner): Reply {
  const ruleset = writableRuleset(call, owner);
  const old = foundRule(call, ruleset);
  const body = jsonBody(call);
  const { rules } = currentVersion(ruleset);
  const rule = isOnlyMove(body) ? old : redefined(call, owner, ruleset, old, body);
  const others = rules.filter((other) => other !== old);
  const place = body["position"] ?? { index: rules.indexOf(old) + 1 };
  return save(call, ruleset, placed(others, rule, place));
}

function redefined(call: Call, owner: Owner, ruleset: Ruleset, old: Rule, body: JsonObject): Rule {
  const sent = readRule(body, owner, ruleset.phase, "");
  const others = currentVersion(ruleset).rules.filter((other) => other !== old);
  checkRefs([...others, sent]);
  refuseEarlyRules(owner.zone, ruleset, [sent], () => "");
  return settleRule(old, sent, { ids: call.core.ids, now: call.now });
}

function remove(call: Call, owner: Owner): Reply {
  const ruleset = writableRuleset(call, owner);
  const old = foundRule(call, ruleset);
  return save(
    call,
    ruleset,
    currentVersion(ruleset).rules.filter((rule) => rule !== old),
  );
}

function save(call: Call, ruleset: Ruleset, rules: readonly Rule[]): Reply {
  if (isDryRun(call)) return success(null);
  saveVersion(ruleset, { rules }, call.now);
  return success(rulesetView(ruleset));
}

/** Puts the rule at `{before: id}`, `{after: id}` or `{index}`, which counts from 1. `{before: ""}` is first, `{after: ""}` last. */
function placed(others: Rule[], rule: Rule, position: Json): Rule[] {
  if (!isObject(position) || Object.keys(position).length !== 1) throw invalidPosition();
  return others.toSpliced(indexOf(others, position), 0, rule);
}

function indexOf(others: readonly Rule[], position: JsonObject): number {
  const { before, after, index } = position;
  if (index !== undefined) {
    if (typeof index !== "number" || index < 1 || index > others.length + 1) throw invalidPosition();
    return index - 1;
  }
  const neighbour = before ?? after;
  if (neighbour === "") return before === undefined ? others.length : 0;
  const found = others.findIndex((other) => other["id"] === neighbour);
  if (found === -1) throw invalidPosition();
  return before === undefined ? found + 1 : found;
}

function invalidPosition(): Error {
  return rulesetError(
    "the position must be one of before, after and index, and name a place in the ruleset",
    "/position",
  );
}

function isOnlyMove(body: JsonObject): boolean {
  return Object.keys(body).every((name) => name === "position" || name === "id");
}

function foundRule(call: Call, ruleset: Ruleset): Rule {
  const id = param(call, "rule");
  const rule = currentVersion(ruleset).rules.find((candidate) => candidate["id"] === id);
  if (rule === undefined) throw notFound(`could not find rule ${id} in ruleset ${ruleset.id}`);
  return rule;
}
