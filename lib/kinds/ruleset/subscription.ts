import { objects, optionalObject, optionalText } from "../../core/decode.ts";
import type { RuleChange } from "../traits/compared.ts";
import { type Level, type PlannedWrite, type SubscriptionNeed, SUBSCRIPTIONS } from "../traits/judged.ts";
import { MANAGED_RULESETS, managedRulesetName } from "./managed.ts";

/** How many custom rules a zone may have (docs/service.md#limits-by-plan). */
const CUSTOM_RULES = { free: 5, pro: 20, business: 100, enterprise: 1000 } as const satisfies Record<Level, number>;

/** Actions on a rule that the service may refuse. */
const WRITTEN: readonly RuleChange["action"][] = ["insert", "edit", "enable"];

const FREE_RULESETS = ["cloudflare_free_managed", "http_ddos"];

/** The managed rulesets that written rules execute, and the number of rules (docs/service.md#managed-rulesets). */
export function subscription(write: PlannedWrite): readonly SubscriptionNeed[] {
  const { key, desired, level } = write;
  const rules = objects(desired, "rules");
  const written = new Set(write.rules.flatMap(({ action, ref }) => (WRITTEN.includes(action) ? [ref] : [])));
  const executed = rules
    .filter(({ ref }) => typeof ref === "string" && written.has(ref))
    .flatMap((rule) => optionalText(optionalObject(rule, "action_parameters") ?? {}, "id") ?? []);
  const known = Object.values(MANAGED_RULESETS);
  const names = [...new Set(executed.filter((id) => known.includes(id)).map(managedRulesetName))];
  const managed = names
    .filter((name) => !FREE_RULESETS.includes(name))
    .map((name): SubscriptionNeed => ({
      what: `the managed ruleset ${name}`,
      least: "pro",
      answer: "50002",
      remedy: "execute cloudflare_free_managed, which every zone has",
    }));
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
