import { listed } from "../core/words.ts";
import { type Diagnostic, problem, warning } from "../core/diagnostic.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Objection } from "../kinds/traits/compared.ts";
import { type Level, type SubscriptionNeed, SUBSCRIPTIONS } from "../kinds/traits/judged.ts";
import type { LiveZone } from "../refresh/refresh.ts";
import type { Change } from "./change.ts";
import type { PlanInput } from "./inputs.ts";

type Draft = Pick<Change, "kind" | "action" | "key" | "leaves" | "rules" | "desired">;

const NAMES = {
  free: "Free",
  pro: "Pro",
  business: "Business",
  enterprise: "Enterprise",
} as const satisfies Record<Level, string>;

/** How many names a finding lists before counting the rest. */
const NAMED = 20;

/** Why the zone's subscription does not allow a change; empty if it does, or if we cannot tell. */
export function lackingSubscription({ live }: PlanInput, change: Draft): readonly Objection[] {
  const { subscription } = live;
  if (subscription?.status !== "known") return [];
  const { level } = subscription;
  return needsOf(change, level, live)
    .filter((need) => need.isCertain && !isEnough(level, need))
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
  const lacking = new Map<string, { readonly need: SubscriptionNeed; readonly addresses: string[] }>();
  for (const change of changes.flatMap((each) => [each, ...(each.with ? [each.with] : [])])) {
    if (change.refused) continue;
    for (const need of needsOf(change, level, live)) {
      if (isEnough(level, need)) continue;
      const known = lacking.get(need.what) ?? { need, addresses: [] };
      lacking.set(need.what, known);
      known.addresses.push(change.key === "" ? change.address : change.key);
    }
  }
  if (lacking.size === 0) return unread;
  const found = [...lacking.values()];
  if (subscription.status === "known")
    return found.map(({ need, addresses }) => tooSmall(desired.name, level, need, addresses));
  const features = found
    .map(({ need, addresses }) => `${need.what} (${NAMES[need.least]}: ${listed(addresses, NAMED)})`)
    .join("; ");
  return [
    ...unread,
    warning(
      problem(
        "subscription-unknown",
        { zone: desired.name, features, because: subscription.because },
        { remedy: subscription.remedy, at: desired.at },
      ),
    ),
  ];
}

function tooSmall(zone: string, level: Level, need: SubscriptionNeed, addresses: readonly string[]): Diagnostic {
  return warning({
    code: "subscription-too-small",
    message: `${zone} is a ${NAMES[level]} zone, and ${need.what} needs ${NAMES[need.least]}: ${listed(addresses, NAMED)}`,
    remedy: `${need.remedy}; unless your contract grants it, Cloudflare answers ${need.answer}`,
  });
}

function zoneUnread({ name, id, at }: PlanInput["desired"]): Diagnostic {
  return warning(problem("zone-unread", { id, name }, { at }));
}

function isEnough(level: Level, { least }: SubscriptionNeed): boolean {
  return SUBSCRIPTIONS.indexOf(level) >= SUBSCRIPTIONS.indexOf(least);
}

/** The features in a change that not every subscription has. */
function needsOf(
  { kind, action, key, leaves, rules, desired = {} }: Draft,
  level: Level,
  { objects }: LiveZone,
): readonly SubscriptionNeed[] {
  if (action !== "create" && action !== "update" && action !== "replace" && action !== "adopt") return [];
  const live = objects.get(kind)?.get(key);
  return kindNamed(kind).subscription?.({ action, key, leaves, rules, desired, live, level }) ?? [];
}
