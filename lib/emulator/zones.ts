import { type Call, reaches, type Route, zoneRoute } from "./call.ts";
import { timestamp } from "./clock.ts";
import type { JsonObject } from "./json.ts";
import { listPage } from "./lists.ts";
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

const regardless =
  (match: Match): Match =>
  (name, value) =>
    match(name.toLowerCase(), value.toLowerCase());
const startsWith: Match = (name, value) => name.startsWith(value);
const endsWith: Match = (name, value) => name.endsWith(value);
const contains: Match = (name, value) => name.includes(value);

/** The operators of the name filters, as in `name=contains:foo` (docs/service.md#zones-and-plans). */
const OPERATORS: ReadonlyMap<string, Match> = new Map([
  ["equal", regardless((name, value) => name === value)],
  ["not_equal", regardless((name, value) => name !== value)],
  ["starts_with", regardless(startsWith)],
  ["ends_with", regardless(endsWith)],
  ["contains", regardless(contains)],
  ["starts_with_case_sensitive", startsWith],
  ["ends_with_case_sensitive", endsWith],
  ["contains_case_sensitive", contains],
]);

/** GET /zones, GET /zones/{id} and the subscription of one. */
export function zoneRoutes(): Route[] {
  return [
    { method: "GET", path: "/zones", handler: list },
    zoneRoute("GET", "", (call, zone) => success(zoneView(call, zone))),
    zoneRoute("GET", "/subscription", (_call, zone) => success(subscriptionView(zone))),
  ];
}

function list(call: Call): Reply {
  const reached = [...call.core.store.zones.values()].filter((zone) => reaches(call.token, zone.id));
  const items = ordered(
    call,
    reached.filter((zone) => isWanted(call, zone)),
  );
  const listed = { items, idOf: (zone: Zone) => zone.id, view: (zone: Zone) => zoneView(call, zone) };
  return listPage(call, { least: 5, most: 50, usual: 20 }, listed);
}

/** Every filter that is sent has to fit, or with `match=any` one of them. */
function isWanted(call: Call, zone: Zone): boolean {
  const values: Readonly<Record<string, string>> = {
    name: zone.name,
    "account.id": zone.accountId,
    "account.name": accountName(call, zone),
    status: "active",
    type: "full",
  };
  const results = Object.entries(values).flatMap(([filter, value]) => {
    const wanted = call.query.get(filter);
    return wanted === null ? [] : [fits(value, wanted)];
  });
  if (results.length === 0) return true;
  return call.query.get("match") === "any" ? results.includes(true) : !results.includes(false);
}

function fits(value: string, wanted: string): boolean {
  const [, operator = "equal", rest = ""] = /^(?:([a-z_]+):)?(.*)$/.exec(wanted) ?? [];
  return OPERATORS.get(operator)?.(value, rest) ?? false;
}

/** In order of creation, unless the query asks for another order; plans from the cheapest. */
function ordered(call: Call, zones: readonly Zone[]): readonly Zone[] {
  const keys = new Map<string, (zone: Zone) => string>([
    ["name", (zone) => zone.name],
    ["status", () => "active"],
    ["account.id", (zone) => zone.accountId],
    ["account.name", (zone) => accountName(call, zone)],
    ["plan.id", (zone) => String(PLANS.indexOf(zone.plan))],
  ]);
  const key = keys.get(call.query.get("order") ?? "");
  const sorted = key === undefined ? zones : zones.toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  return call.query.get("direction") === "desc" ? sorted.toReversed() : sorted;
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
