import { isObject, type JsonObject } from "../../../lib/core/json.ts";
import type { Dice } from "../dice.ts";
import type { Party } from "../ledger.ts";
import type { SimService } from "../sim-service.ts";
import type { Wish, WishedRule } from "../wish.ts";
import type { WafPlan } from "../scenario.ts";
import { pathInZone } from "../zones.ts";
import { byDashboard, type Content, type Habits, type Judged, type SimKind, textIn, verbOf } from "./kind.ts";

/** The phase whose entry point is managed. */
const PHASE = "http_request_firewall_managed";
/** The rule that deploys the new managed rules: without one no zone migrates to them. */
const MANAGED_RULE = "managed";
/** The prefix of our rules' refs. */
const OWN_PREFIX = "ours/";
/** Names of our rules. */
export const RULES = ["a", "b", "c", "d"] as const;
/** Names of foreign rules. */
export const FOREIGN_RULES = ["x", "y", "z"] as const;

const ENTRY_POINT = `/rulesets/phases/${PHASE}/entrypoint`;
/** What the service fills into a rule, and nobody sends. */
const FILLED_IN = new Set(["version", "last_updated"]);

/** What somebody else does to the entry point. */
export type RulesetAct =
  | { readonly act: "add-rule"; readonly name: string }
  | { readonly act: "edit-rule"; readonly name: string }
  /** A skip rule of somebody else comes before all other rules. */
  | { readonly act: "put-in-front"; readonly name: string }
  | { readonly act: "drop-rule"; readonly name: string }
  /** The description of the entry point. */
  | { readonly act: "describe"; readonly text: string }
  | { readonly act: "edit-foreign-rule"; readonly name: string; readonly path: string }
  | { readonly act: "drop-foreign-rule"; readonly name: string };

export const ruleset: SimKind = {
  declared: ({ rules }) =>
    rules ? { entry_points: { [PHASE]: { own: [OWN_PREFIX], adopt: true, rules: rules.map(ruleEntry) } } } : {},
  wished: (dice, { waf }: Habits) => ({
    edit: "rules",
    as: waf === "business" || dice.chance(0.1) ? null : rulesOf(dice, waf),
  }),
  ambushed: (dice, { rules }) => {
    const [rule] = rules.filter(({ action }) => action === "edit" || action === "remove");
    const name = rule?.ref.slice(OWN_PREFIX.length);
    return [name === undefined || dice.chance(0.3) ? rulesEdit(dice) : { act: "edit-rule", name }];
  },
  editedMeanwhile: rulesEdit,
  drifting: (dice, { rule: name }) => [
    rulesEdit(dice),
    { act: "edit-rule", name },
    { act: "drop-rule", name },
    { act: "put-in-front", name: dice.pick(FOREIGN_RULES) },
  ],
  written: (request) => {
    const isStep = new URL(request.url).searchParams.has("waf_migration");
    const isOurs = !isStep && pathInZone(request.url).includes("/rulesets");
    return isOurs ? { key: PHASE, verb: verbOf(request) } : undefined;
  },
  idAt: (path) =>
    path.endsWith("/entrypoint") || /\/rulesets\/[0-9a-f]{32}(\/rules\/[0-9a-f]{32})?$/.test(path) ? "" : undefined,
  list: "/rulesets",
  noteRead: (service: SimService, party: Party, path: string): void => {
    if (!path.endsWith("/entrypoint")) return;
    party.rulesRead = new Set(trueRules(service)?.map(({ ref }) => ref));
    if (party.stage === "apply") party.rulesRereadAt = service.now();
  },
  content: contentOf,
  differences: ({ service }, { rules }, { refused }) => {
    if (!rules || refused.has(PHASE)) return [];
    const ours = ourRules(service).map(({ ref }) => ref);
    const wished = rules.map(({ name }) => `${OWN_PREFIX}${name}`);
    return ours.join(" ") === wished.join(" ") ? [] : [`the rules are ${ours.join(" ")}, wished ${wished.join(" ")}`];
  },
  drifted: (service, { applied }, wish) => drifted(service, applied, wish),
  untrue: (service, { desired }) => (desired ? otherRules(service, desired) : []),
  watch: watchForeignRules,
  owned: () => isOurRule,
  isForeign: (leaf) => leaf.startsWith("rule ") && !isOurRule(leaf),
  showsLosses: true,
};

/** A rule as the YAML and the API write it. */
function ruleEntry({ name, path }: WishedRule): JsonObject {
  if (name === MANAGED_RULE)
    return {
      ref: `${OWN_PREFIX}${name}`,
      action: "execute",
      expression: "true",
      action_parameters: { id: "cloudflare_managed" },
    };
  return {
    ref: `${OWN_PREFIX}${name}`,
    action: "skip",
    expression: `starts_with(http.request.uri.path, "${path}")`,
    action_parameters: { ruleset: "current" },
  };
}

/**
 * A migrated zone needs the rule that deploys the new managed rules; before the migration, only an Enterprise zone may
 * have it.
 */
function rulesOf(dice: Dice, waf: WafPlan | undefined): readonly WishedRule[] {
  const rules = skipRulesOf(dice);
  return waf ? [...rules, { name: MANAGED_RULE, path: "" }] : rules;
}

function skipRulesOf(dice: Dice): readonly WishedRule[] {
  const names = RULES.filter(() => dice.chance(0.6));
  const rules = (names.length > 0 ? names : RULES.slice(0, 1)).map((name) => ({ name, path: `/${dice.below(3)}` }));
  return dice.chance(0.3) ? rules.toReversed() : rules;
}

/** Edits foreign rules and the entry point's own fields; seldom one of our rules. */
export function rulesEdit(dice: Dice): RulesetAct {
  const name = dice.pick(FOREIGN_RULES);
  const throwOf = dice.fraction();
  if (throwOf < 0.35) return { act: "add-rule", name };
  if (throwOf < 0.55) return { act: "edit-foreign-rule", name, path: `/elsewhere/${dice.below(9)}` };
  if (throwOf < 0.65) return { act: "drop-foreign-rule", name };
  if (throwOf < 0.9) return { act: "describe", text: `text ${dice.below(100)}` };
  return { act: "edit-rule", name: dice.pick(RULES) };
}

/** Lets somebody edit the entry point; `number` makes the content of a new rule another one each time. */
export function editRuleset(service: SimService, act: RulesetAct, number: number): void {
  switch (act.act) {
    case "add-rule":
      return editRules(service, (rules) => [...rules, foreignRule(act.name, number)]);
    case "put-in-front":
      return editRules(service, (rules) => [
        foreignRule(act.name, number),
        ...rules.filter((rule) => rule["ref"] !== foreignRef(act.name)),
      ]);
    case "edit-rule":
      return editRules(service, (rules) =>
        rules.map((rule) =>
          rule["ref"] === `${OWN_PREFIX}${act.name}`
            ? { ...rule, expression: `ip.src eq 192.0.2.${number % 200}` }
            : rule,
        ),
      );
    case "drop-rule":
      return editRules(service, (rules) => rules.filter((rule) => rule["ref"] !== `${OWN_PREFIX}${act.name}`));
    case "describe":
      return editRules(service, (rules) => rules, act.text);
    case "edit-foreign-rule":
      return editRules(service, (rules) =>
        rules.map((rule) => (rule["ref"] === foreignRef(act.name) ? { ...rule, ...pathOf(act) } : rule)),
      );
    case "drop-foreign-rule":
      return editRules(service, (rules) => rules.filter((rule) => rule["ref"] !== foreignRef(act.name)));
    default:
      return act satisfies never;
  }
}

function editRules(
  service: SimService,
  edit: (rules: readonly JsonObject[]) => readonly JsonObject[],
  description?: string,
): void {
  const found = byDashboard(service, "GET", ENTRY_POINT);
  if (description !== undefined && !found) return;
  const rules = Array.isArray(found?.["rules"]) ? found["rules"].filter(isObject) : [];
  const sent = edit(rules.map(withoutFilledIn));
  const byRef = new Map(sent.map((rule) => [rule["ref"], rule]));
  const kept = found?.["description"] ?? "";
  byDashboard(service, "PUT", ENTRY_POINT, { description: description ?? kept, rules: [...byRef.values()] });
}

function withoutFilledIn(rule: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(rule).filter(([name]) => !FILLED_IN.has(name)));
}

function foreignRef(name: string): string {
  return `theirs/${name}`;
}

function foreignRule(name: string, number: number): JsonObject {
  return { ...ruleEntry({ name, path: `/foreign/${number}` }), ref: foreignRef(name) };
}

function pathOf(rule: WishedRule): JsonObject {
  return { expression: ruleEntry(rule)["expression"] ?? "" };
}

/** A rule of the entry point, as the service keeps it. */
interface TrueRule {
  readonly ref: string;
  readonly expression: string;
  readonly isOurs: boolean;
}

/** The newest version of the entry point; undefined if there is none. */
function trueVersion(
  service: SimService,
): { readonly rules: readonly JsonObject[]; readonly description: string } | undefined {
  const rulesets = [...service.zone().rulesets.values()];
  return rulesets.find(({ phase, kind }) => phase === PHASE && kind === "zone")?.versions.at(-1);
}

/** The rules of the managed entry point in order; undefined if there is none. */
function trueRules(service: SimService): readonly TrueRule[] | undefined {
  return trueVersion(service)?.rules.map((rule) => {
    const ref = textIn(rule, "ref") ?? "";
    return { ref, expression: textIn(rule, "expression") ?? "", isOurs: ref.startsWith(OWN_PREFIX) };
  });
}

function ourRules(service: SimService): readonly TrueRule[] {
  return (trueRules(service) ?? []).filter(({ isOurs }) => isOurs);
}

/** Our rules and foreign ones, each whole, and the entry point's own fields. */
function contentOf(service: SimService): Content | undefined {
  const version = trueVersion(service);
  if (!version) return undefined;
  const rules = version.rules.map((rule): [string, string] => {
    const kept = Object.entries(rule).filter(([name]) => name !== "id" && !FILLED_IN.has(name));
    return [`rule ${textIn(rule, "ref") ?? ""}`, JSON.stringify(kept)];
  });
  return { ...Object.fromEntries(rules), description: JSON.stringify(version.description) };
}

/** Whether a field of a ruleset is one of our rules. */
export function isOurRule(leaf: string): boolean {
  return leaf.startsWith(`rule ${OWN_PREFIX}`);
}

/** Our rules that are gone, and those with another expression. */
function drifted(service: SimService, applied: JsonObject, { rules: wished }: Wish): readonly string[] {
  const live = new Map((trueRules(service) ?? []).map(({ ref, expression }) => [ref, expression]));
  const declared = new Map((wished ?? []).map(ruleEntry).map((rule) => [rule["ref"], rule["expression"]]));
  const rules = Array.isArray(applied["rules"]) ? applied["rules"].filter(isObject) : [];
  return rules.flatMap(({ ref, expression }) => {
    const now = typeof ref === "string" ? live.get(ref) : undefined;
    if (!declared.has(ref) || now === expression || (now !== undefined && now === declared.get(ref))) return [];
    return [
      `the expression of the rule ${JSON.stringify(ref)} is ${now ?? "gone"}, applied was ${JSON.stringify(expression)}`,
    ];
  });
}

/** Says what our rules are if they are not the desired ones, in this order. */
export function otherRules(service: SimService, desired: JsonObject): readonly string[] {
  const wanted = Array.isArray(desired["rules"]) ? desired["rules"].filter(isObject) : [];
  const ours = ourRules(service);
  const isSame =
    wanted.length === ours.length &&
    wanted.every((rule, index) => rule["ref"] === ours[index]?.ref && rule["expression"] === ours[index]?.expression);
  return isSame ? [] : [`its rules are ${ours.map(({ ref }) => ref).join(", ")}`];
}

/** Foreign rules stay; only what came between the reread and this very request may be lost. */
export function watchForeignRules({ service, ledger, party }: Judged): () => void {
  const before = trueRules(service) ?? [];
  return () => {
    const after = new Set(trueRules(service)?.map(({ ref }) => ref));
    for (const { ref, isOurs } of before) {
      if (!isOurs && !after.has(ref) && party.rulesRead.has(ref))
        ledger.blame("I14", `takes away the foreign rule ${ref}`);
    }
  };
}
