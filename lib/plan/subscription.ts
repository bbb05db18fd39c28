import { problem } from "../core/problem.ts";
import { type Diagnostic, warning } from "../core/diagnostic.ts";
import { objects, optionalObject, optionalText } from "../core/decode.ts";
import { type JsonObject, valueAt } from "../core/json.ts";
import { type Level, SUBSCRIPTIONS } from "../refresh/refresh.ts";
import { MANAGED_RULESETS, managedRulesetName } from "../kinds/ruleset/managed.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Objection, RuleChange } from "../kinds/traits/compared.ts";
import type { Change } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

/** A feature that not every subscription includes, and the lowest one that does. */
interface Wish {
  /** Fits into "needs Enterprise for …". */
  readonly what: string;
  readonly least: Level;
  /** How the service responds without it. */
  readonly answer: string;
  readonly remedy: string;
  /**
   * The service's documentation says so. Without this mark, a contract may grant more than the subscription
   * (docs/service.md#zones-and-plans).
   */
  readonly isCertain?: true;
}

type Draft = Pick<Change, "kind" | "action" | "key" | "leaves" | "rules" | "desired">;

const NAMES = {
  free: "Free",
  pro: "Pro",
  business: "Business",
  enterprise: "Enterprise",
} as const satisfies Record<Level, string>;

/** How many custom rules a zone may have (docs/service.md#limits-by-plan). */
const CUSTOM_RULES = { free: 5, pro: 20, business: 100, enterprise: 1000 } as const satisfies Record<Level, number>;

/** How many names a finding lists before counting the rest. */
const NAMED = 20;

/** Why the zone's subscription does not allow a change; empty if it does, or if we cannot tell. */
export function lackingSubscription({ live }: PlanInput, change: Draft): readonly Objection[] {
  const { subscription } = live;
  if (subscription?.status !== "known") return [];
  const { level } = subscription;
  return wishesOf(change, level, live)
    .filter((wish) => wish.isCertain && !isEnough(level, wish))
    .map(({ what, least, answer, remedy }) => ({
      code: "subscription-too-small",
      message: `${what} needs ${NAMES[least]}, and this is a ${NAMES[level]} zone: Cloudflare answers ${answer}`,
      remedy,
    }));
}

/**
 * What the planned changes need beyond the zone's subscription, or beyond some subscription if the zone's cannot be
 * read.
 */
export function subscriptionFindings({ live, desired }: PlanInput, changes: readonly Change[]): readonly Diagnostic[] {
  const unread = live.isUnread ? [zoneUnread(desired)] : [];
  const { subscription } = live;
  if (!subscription) return unread;
  const level = subscription.status === "known" ? subscription.level : "free";
  const wanted = new Map<string, { readonly wish: Wish; readonly addresses: string[] }>();
  for (const change of changes.flatMap((each) => [each, ...(each.with ? [each.with] : [])])) {
    if (change.refused) continue;
    for (const wish of wishesOf(change, level, live)) {
      if (isEnough(level, wish)) continue;
      const known = wanted.get(wish.what) ?? { wish, addresses: [] };
      wanted.set(wish.what, known);
      known.addresses.push(change.key === "" ? change.address : change.key);
    }
  }
  if (wanted.size === 0) return unread;
  const found = [...wanted.values()];
  if (subscription.status === "known")
    return found.map(({ wish, addresses }) => tooSmall(desired.name, level, wish, addresses));
  const wishes = found
    .map(({ wish, addresses }) => `${wish.what} (${NAMES[wish.least]}: ${named(addresses)})`)
    .join("; ");
  return [
    ...unread,
    warning(
      problem(
        "subscription-unknown",
        { zone: desired.name, wishes, because: subscription.because },
        { remedy: subscription.remedy, at: desired.at },
      ),
    ),
  ];
}

function tooSmall(zone: string, level: Level, wish: Wish, addresses: readonly string[]): Diagnostic {
  return warning({
    code: "subscription-too-small",
    message: `${zone} is a ${NAMES[level]} zone, and ${wish.what} needs ${NAMES[wish.least]}: ${named(addresses)}`,
    remedy: `${wish.remedy}; unless your contract grants it, Cloudflare answers ${wish.answer}`,
  });
}

function zoneUnread({ name, id, at }: PlanInput["desired"]): Diagnostic {
  return warning(problem("zone-unread", { id, name }, { at }));
}

function isEnough(level: Level, { least }: Wish): boolean {
  return SUBSCRIPTIONS.indexOf(level) >= SUBSCRIPTIONS.indexOf(least);
}

function named(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return `${names.slice(0, NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/**
 * Every feature in a change that depends on a subscription (docs/service.md#rulesets, docs/service.md#managed-rulesets,
 * docs/service.md#limits-by-plan).
 */
function wishesOf(change: Draft, level: Level, live: PlanInput["live"]): readonly Wish[] {
  if (!WRITING.includes(change.action)) return [];
  if (change.kind === "custom_hostname") return hostnameWishes(change);
  if (change.kind === "ruleset") return rulesetWishes(change, level, live);
  if (change.kind === "waf_migration") return migrationWishes(change);
  const { subscription } = kindNamed(change.kind);
  if (subscription === undefined || subscription === "by-values") return [];
  return subscription.isNeeded?.(change.desired ?? {}) === false ? [] : [subscription];
}

const WRITING: readonly Change["action"][] = ["create", "update", "replace", "adopt"];

const enterprise = (what: string, answer: string, remedy: string): Wish => ({
  what,
  least: "enterprise",
  answer,
  remedy,
});

const AUTHORITY = enterprise(
  "choosing a certificate authority",
  "1459",
  "set ssl.certificate_authority: default, or leave it out",
);
const WILDCARD = enterprise("a wildcard certificate", "1448", "list the names one by one, without ssl.wildcard");
const UPLOAD = enterprise(
  "uploading a certificate",
  "1434",
  "have Cloudflare issue it: leave the uploaded certificate out",
);
const METADATA = enterprise("custom metadata", "1413", "leave custom_metadata out");
const SNI = enterprise("a custom origin SNI", "an error", "leave custom_origin_sni out");

/** Checks only the fields that are written: values that are live already were allowed once. */
function hostnameWishes({ action, key, leaves }: Draft): readonly Wish[] {
  const written = new Map(
    leaves.flatMap(({ path, after }) => (after === undefined || after === null ? [] : [[path.join("."), after]])),
  );
  const hasOneOf = (...names: readonly string[]): boolean =>
    [...written.keys()].some((path) => names.some((name) => path === name || path.startsWith(`${name}.`)));
  const authority = written.get("ssl.certificate_authority") ?? "default";
  const isUpload = hasOneOf("ssl.custom_certificate", "ssl.custom_key", "ssl.custom_cert_bundle", "ssl.custom_csr_id");
  const isNewWildcard = (action === "create" || action === "replace") && key.startsWith("*.") && hasOneOf("ssl");
  return [
    ...(authority === "default" || authority === "" ? [] : [AUTHORITY]),
    ...(!isUpload && (written.get("ssl.wildcard") === true || isNewWildcard) ? [WILDCARD] : []),
    ...(isUpload ? [UPLOAD] : []),
    ...(hasOneOf("custom_metadata") ? [METADATA] : []),
    ...(hasOneOf("custom_origin_sni") ? [SNI] : []),
  ];
}

/** Actions on a rule that the service may refuse. */
const WRITTEN: readonly RuleChange["action"][] = ["insert", "edit", "enable"];

const FREE_RULESETS = ["cloudflare_free_managed", "http_ddos"];

function rulesetWishes(
  { key, desired, rules: changes }: Draft,
  level: Level,
  live: PlanInput["live"],
): readonly Wish[] {
  const rules = objects(desired ?? {}, "rules");
  const written = new Set(changes.flatMap(({ action, ref }) => (WRITTEN.includes(action) ? [ref] : [])));
  const executed = rules
    .filter(({ ref }) => typeof ref === "string" && written.has(ref))
    .flatMap((rule) => optionalText(optionalObject(rule, "action_parameters") ?? {}, "id") ?? []);
  const known = Object.values(MANAGED_RULESETS);
  const names = [...new Set(executed.filter((id) => known.includes(id)).map(managedRulesetName))];
  const managed = names
    .filter((name) => !FREE_RULESETS.includes(name))
    .map((name): Wish => ({
      what: `the managed ruleset ${name}`,
      least: "pro",
      answer: "50002",
      remedy: "execute cloudflare_free_managed, which every zone has",
    }));
  const total = rules.length + rulesBeside(live, key, rules, changes);
  const isTooMany = written.size > 0 && key === "http_request_firewall_custom" && total > CUSTOM_RULES[level];
  const enough = SUBSCRIPTIONS.find((each) => total <= CUSTOM_RULES[each]) ?? "enterprise";
  const others = total === rules.length ? "" : ` (${total - rules.length} of them foreign)`;
  const count = {
    what: `having ${total} custom rules${others}`,
    least: enough,
    answer: "an error that names the maximum",
    remedy: `have at most ${CUSTOM_RULES[level]}, for instance by joining expressions with "or"`,
  };
  return isTooMany ? [...managed, count] : managed;
}

/** How many other live rules the entry point has: it is written whole, with its foreign rules. */
function rulesBeside(
  live: PlanInput["live"],
  key: string,
  rules: readonly JsonObject[],
  changes: readonly RuleChange[],
): number {
  const refs = new Set(rules.map(({ ref }) => ref));
  for (const { action, ref } of changes) if (action === "remove") refs.add(ref);
  const found = live.objects.get("ruleset")?.get(key);
  return objects(found?.values ?? {}, "rules").filter(({ ref }) => !refs.has(ref ?? "")).length;
}

const VALIDATION: Wish = {
  what: "waf_migration.target: validation",
  least: "enterprise",
  answer: "50002",
  remedy: "set waf_migration.target: new, which skips this step and cannot be undone, or previous",
  isCertain: true,
};

/** Only Enterprise has the step `validation` (docs/service.md#waf-migration). */
function migrationWishes({ desired, leaves }: Draft): readonly Wish[] {
  const isStep = leaves.some(({ path: [field] }) => field === "target");
  return isStep && valueAt(desired, ["target"]) === "validation" ? [VALIDATION] : [];
}
