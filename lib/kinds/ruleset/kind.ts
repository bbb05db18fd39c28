import type { KindOf } from "../kind-of.ts";
import { refOf, rulesByRef } from "./arrange.ts";
import { applied, compare, guarded, valuesSince } from "./diff.ts";
import { ruleEvents } from "./events.ts";
import { hazards } from "./hazards.ts";
import { create, list, overwritten, read, remove, update } from "./remote.ts";
import { CODES, normalise, problems } from "./declared.ts";
import { CODES as EXPRESSION_CODES } from "./expressions.ts";
import { isSkippable, narrowed, unchanged, watch } from "./watch.ts";
import { weakens } from "./weakens.ts";
import { declared, encodeUpdate, encodeWithout, whole } from "./wire.ts";
import { objects, optionalObject, optionalText, texts } from "../../core/decode.ts";
import type { Shared } from "../traits/shared.ts";
import type { ClaimedPart, Declaration } from "../traits/strategies.ts";
import { isList, isObject, type Json, type JsonObject, valueAt, withValueAt } from "../../core/json.ts";
import type { HclResource } from "../hcl.ts";
import type { RuleChange } from "../traits/compared.ts";
import { type Level, type PlannedWrite, type SubscriptionNeed, SUBSCRIPTIONS } from "../traits/judged.ts";
import { managedRuleset, managedRulesetName } from "./managed.ts";

/** The entry point as the provider's resource. */
const HCL: HclResource = {
  type: "cloudflare_ruleset",
  importId: ({ zone, id }) => `zones/${zone.id}/${id}`,
  attributes: ({ zone, key, values: { name = "default", rules = [], ...others } }) => [
    ["zone_id", zone.id],
    ["name", name],
    ["kind", "zone"],
    ["phase", key],
    ...Object.entries(others),
    ["rules", isList(rules) ? rules.filter(isObject).map(ruleOf) : rules],
  ],
};

/**
 * The entry point of a phase: rules that run in order, owned by `ref` and shared with others
 * (docs/semantics.md#shared-entry-points).
 */
export const ruleset: KindOf<"ruleset", never, keyof typeof CODES | keyof typeof EXPRESSION_CODES> & {
  readonly shared: Shared;
} = {
  name: "ruleset",
  ownCodes: { ...CODES, ...EXPRESSION_CODES },
  isSingle: false,
  stage: 4,
  lifetime: "until-destroyed",
  adoption: "when-told",
  section: {
    key: "entry_points",
    shape: "map",
    required: "rules",
    options: ["own", "adopt", "place", "ignore_foreign"],
  },
  writeOnly: [],
  normalise,
  problems,
  list,
  read: (client, zone, { key }, signal) => read(client, zone, key, signal),
  find: read,
  compare,
  guarded,
  hazards,
  weakens,
  subscription,
  shared: {
    ruleEvents,
    valuesAfter: ({ desired, prior, live, options }) => encodeUpdate(desired, prior, live, options),
    valuesLeft: (live, prior) => {
      const ours = rulesByRef(prior);
      return encodeWithout(live, (ref) => ours.has(ref));
    },
    valuesSince,
    isSkippable,
    watch,
    narrowed,
    unchanged,
  },
  claim,
  cost: () => ({ calls: 2, issuances: 0 }),
  create,
  update,
  overwritten,
  remove,
  hcl: HCL,
  importForms: ["zone/<zone_id>/<ruleset_id>"],
  importId: (zone, live) => `zone/${zone}/${live.id}`,
  applied,
  declared,
  whole,
};

/**
 * With prefixes of its own, a project claims the rules whose refs begin with one of them, and each declared rule with
 * another ref. Without prefixes, it claims all rules.
 */
function claim({ key, values, options }: Declaration): ClaimedPart {
  const own = options["own"];
  if (own === undefined || own === null) return { key };
  const prefixes = texts(options, "own");
  const refs = objects(values, "rules")
    .map(refOf)
    .filter((ref) => !prefixes.some((prefix) => ref.startsWith(prefix)));
  return { key, prefixes, ...(refs.length === 0 ? {} : { refs }) };
}

/** Every attribute that the provider has for a rule: first what it is, then how it works. */
const RULE = [
  "ref",
  "description",
  "action",
  "expression",
  "enabled",
  "action_parameters",
  "ratelimit",
  "exposed_credential_check",
  "logging",
];

function ruleOf(rule: JsonObject): JsonObject {
  const kept = RULE.flatMap((field) => {
    const value = rule[field];
    if (value === undefined || (field === "description" && value === "")) return [];
    return [[field, isObject(value) && field === "action_parameters" ? parametersOf(value) : value] as const];
  });
  return Object.fromEntries(kept);
}

/**
 * The parameters in the provider's form. It has no versions of managed rulesets, writes `max-age` as `max_age`, and has
 * an object where the API has a list of query string names.
 */
function parametersOf({ version: _version, ...parameters }: JsonObject): JsonObject {
  const named = Object.entries(parameters).map(([name, value]) => [name.replaceAll("-", "_"), value] as const);
  return ["include", "exclude"].reduce((shaped: JsonObject, side) => {
    const path = ["cache_key", "custom_key", "query_string", side];
    const names = valueAt(shaped, path);
    return isList(names) ? withValueAt(shaped, path, queryNames(side, names)) : shaped;
  }, Object.fromEntries(named));
}

function queryNames(side: string, names: readonly Json[]): JsonObject {
  return side === "include" && names.length === 1 && names[0] === "*" ? { all: true } : { list: names };
}

/** How many custom rules a zone may have (docs/service.md#limits-by-plan). */
const CUSTOM_RULES = { free: 5, pro: 20, business: 100, enterprise: 1000 } as const satisfies Record<Level, number>;

/** Actions on a rule that the service may refuse. */
const WRITTEN: readonly RuleChange["action"][] = ["insert", "edit", "enable"];

/** The managed rulesets that written rules execute, and the number of rules (docs/service.md#managed-rulesets). */
function subscription(write: PlannedWrite): readonly SubscriptionNeed[] {
  const { key, desired, level } = write;
  const rules = objects(desired, "rules");
  const written = new Set(write.rules.flatMap(({ action, ref }) => (WRITTEN.includes(action) ? [ref] : [])));
  const executed = rules
    .filter(({ ref }) => typeof ref === "string" && written.has(ref))
    .flatMap((rule) => optionalText(optionalObject(rule, "action_parameters") ?? {}, "id") ?? []);
  const managed = [...new Set(executed)].flatMap((id): SubscriptionNeed[] => {
    const { least = "free" } = managedRuleset(id) ?? {};
    if (least === "free") return [];
    const remedy = "execute cloudflare_free_managed, which every zone has";
    return [{ what: `the managed ruleset ${managedRulesetName(id)}`, least, answer: "50002", remedy }];
  });
  const beside = rulesBeside(write);
  const total = rules.length + beside;
  if (written.size === 0 || key !== "http_request_firewall_custom" || total <= CUSTOM_RULES[level]) return managed;
  const count = {
    what: `having ${total} custom rules${beside === 0 ? "" : ` (${beside} of them foreign)`}`,
    least: SUBSCRIPTIONS.find((each) => total <= CUSTOM_RULES[each]) ?? "enterprise",
    answer: "an error that names the maximum",
    remedy: `have at most ${CUSTOM_RULES[level]}, for instance by joining expressions with "or"`,
  };
  return [...managed, count];
}

/** How many other live rules the entry point has: it is written whole, with its foreign rules. */
function rulesBeside({ desired, rules, live }: PlannedWrite): number {
  const refs = new Set(objects(desired, "rules").map(({ ref }) => ref));
  for (const { action, ref } of rules) if (action === "remove") refs.add(ref);
  return objects(live?.values ?? {}, "rules").filter(({ ref }) => !refs.has(ref ?? "")).length;
}
