import { type Call, reaches, type Route, zoneRoute } from "./call.ts";
import { timestamp } from "./clock.ts";
import type { JsonObject } from "./json.ts";
import { type Choice, choose, listPage } from "./lists.ts";
import { type Reply, success } from "./messages.ts";
import { type Plan, PLANS, type Zone } from "./store.ts";

/** Ids and names of the plans (docs/service.md#zones-and-plans). */
const PLAN_IDS: Readonly<Record<Plan, string>> = {
  free: "0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
  pro: "a577b510288e82b26486fd1df47000ec",
  business: "1ac039f6c29b691475c3d74fe588d1ae",
  enterprise: "94f3b7b768b0458b56d2cac4fe5ec0f9",
};

type Match = (name: string, value: string) => boolean;

const ignoringCase =
  (match: Match): Match =>
  (name, value) =>
    match(name.toLowerCase(), value.toLowerCase());
const startsWith: Match = (name, value) => name.startsWith(value);
const endsWith: Match = (name, value) => name.endsWith(value);
const contains: Match = (name, value) => name.includes(value);

/** The operators of the name filters, as in `name=contains:foo` (docs/service.md#zones-and-plans). */
const OPERATORS: ReadonlyMap<string, Match> = new Map([
  ["equal", ignoringCase((name, value) => name === value)],
  ["not_equal", ignoringCase((name, value) => name !== value)],
  ["starts_with", ignoringCase(startsWith)],
  ["ends_with", ignoringCase(endsWith)],
  ["contains", ignoringCase(contains)],
  ["starts_with_case_sensitive", startsWith],
  ["ends_with_case_sensitive", endsWith],
  ["contains_case_sensitive", contains],
]);

/** GET /zones, GET /zones/{id} and GET /zones/{id}/subscription. */
export function zoneRoutes(): Route[] {
  return [
    { method: "GET", path: "/zones", handler: list },
    zoneRoute("GET", "", (call, zone) => success(zoneView(call, zone))),
    zoneRoute("GET", "/subscription", (_call, zone) => success(subscriptionView(zone))),
  ];
}

function list(call: Call): Reply {
  const reached = [...call.core.store.zones.values()].filter((zone) => reaches(call.token, zone.id));
  const items = choose(call.query, reached, choiceOf(call));
  const listed = { items, idOf: (zone: Zone) => zone.id, view: (zone: Zone) => zoneView(call, zone) };
  return listPage(call, { least: 5, most: 50, usual: 20 }, listed);
}

/** The filters and orders of the list of zones. Sorted by plan, the cheapest comes first. */
function choiceOf(call: Call): Choice<Zone> {
  const texts: Readonly<Record<string, (zone: Zone) => string>> = {
    name: (zone) => zone.name,
    "account.id": (zone) => zone.accountId,
    "account.name": (zone) => accountName(call, zone),
    status: () => "active",
  };
  const filtered: typeof texts = { ...texts, type: () => "full" };
  const filters = Object.entries(filtered).map(([name, textOf]) => {
    return [name, (zone: Zone, wanted: string) => fits(textOf(zone), wanted)] as const;
  });
  const orders = { ...texts, "plan.id": (zone: Zone) => PLANS.indexOf(zone.plan) };
  return { filters: Object.fromEntries(filters), orders };
}

function fits(value: string, wanted: string): boolean {
  const [, operator = "equal", rest = ""] = /^(?:([a-z_]+):)?(.*)$/.exec(wanted) ?? [];
  return OPERATORS.get(operator)?.(value, rest) ?? false;
}

function accountName(call: Call, zone: Zone): string {
  return call.core.store.accounts.get(zone.accountId)?.name ?? "";
}

function zoneView(call: Call, zone: Zone): JsonObject {
  const created = timestamp(zone.createdAt);
  const { permissions } = call.token;
  return {
    id: zone.id,
    name: zone.name,
    status: "active",
    paused: false,
    type: "full",
    development_mode: 0,
    name_servers: ["ada.ns.service.example", "bob.ns.service.example"],
    original_name_servers: null,
    original_registrar: null,
    original_dnshost: null,
    owner: { id: zone.accountId, type: "organization", name: accountName(call, zone) },
    account: { id: zone.accountId, name: accountName(call, zone) },
    permissions: permissions === "all" ? ["#zone:read", "#zone:edit"] : ["#zone:read"],
    meta: { step: 4, custom_certificate_quota: 5, page_rule_quota: 125, phishing_detected: false },
    ...(zone.hidesPlan ? {} : { plan: planView(zone) }),
    created_on: created,
    activated_on: created,
    modified_on: created,
  };
}

function planView({ plan }: Zone): JsonObject {
  return {
    id: PLAN_IDS[plan],
    name: `${plan} website`,
    price: 0,
    currency: "USD",
    frequency: "",
    is_subscribed: true,
    can_subscribe: false,
    legacy_id: plan,
    legacy_discount: false,
    externally_managed: false,
  };
}

/** The replacement of `plan`, which is deprecated (docs/service.md#zones-and-plans). */
function subscriptionView({ id, plan }: Zone): JsonObject {
  const ratePlan = { id: plan, public_name: `${plan} plan`, currency: "USD", scope: "zone", externally_managed: false };
  return { id, state: "Paid", price: 0, currency: "USD", frequency: "monthly", rate_plan: ratePlan };
}
