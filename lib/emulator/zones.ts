import { getDomain } from "tldts";
import { type Call, jsonBody, ownsAccount, reaches, type Route, zoneRoute } from "./call.ts";
import { timestamp } from "./clock.ts";
import { asText, isObject, type Json, type JsonObject } from "./json.ts";
import { type Choice, choose, listPage } from "./lists.ts";
import { generalError, type Reply, ServiceError, success } from "./messages.ts";
import { plantZone } from "./seed/plant.ts";
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

/** `/zones`, and the subscription and the activation of one (docs/service.md#zones-and-plans). */
export function zoneRoutes(): Route[] {
  return [
    { method: "GET", path: "/zones", handler: list },
    { method: "POST", path: "/zones", handler: create },
    zoneRoute("GET", "", (call, zone) => success(zoneView(call, zone))),
    zoneRoute("PATCH", "", edit),
    zoneRoute("DELETE", "", remove),
    zoneRoute("PUT", "/activation_check", activate),
    zoneRoute("GET", "/subscription", (_call, zone) => success(subscriptionView(zone))),
  ];
}

function list(call: Call): Reply {
  const reached = [...call.core.store.zones.values()].filter((zone) => reaches(call.token, zone.id));
  const items = choose(call.query, reached, choiceOf(call));
  const listed = { items, idOf: (zone: Zone) => zone.id, view: (zone: Zone) => zoneView(call, zone) };
  return listPage(call, { least: 5, most: 50, usual: 20 }, listed);
}

/** Adds a zone to an account of the caller: of the Free plan, and pending. Throws 1061 and 1116 (the second is inferred). */
function create(call: Call): Reply {
  const { core, token } = call;
  const { name, account: sent, type } = jsonBody(call);
  const account = core.store.accounts.get(isObject(sent) ? asText(sent["id"]) : token.accountId);
  if (account === undefined || !ownsAccount(call, account)) throw generalError(9109, "Invalid account identifier");
  const domain = asText(name).toLowerCase();
  if (getDomain(domain) !== domain) {
    const message = `Please ensure you are providing the root domain and not any subdomains (e.g., example.com, not subdomain.example.com)`;
    throw new ServiceError(400, { code: 1116, message });
  }
  if ([...core.store.zones.values()].some((zone) => zone.name === domain))
    throw new ServiceError(400, { code: 1061, message: `${domain} already exists` });
  const id = core.ids.hex(32);
  plantZone(
    core,
    { id, name: domain, plan: "free", account: account.id, waf: { migration: "default" } },
    account,
    "",
    [],
  );
  const zone = core.store.zones.get(id);
  if (zone === undefined) throw generalError(9109);
  Object.assign(zone, { status: "pending", type: readType(type ?? "full") });
  return success(zoneView(call, zone));
}

function readType(type: Json): NonNullable<Zone["type"]> {
  const known = (["full", "partial", "secondary", "internal"] as const).find((one) => one === type);
  if (known === undefined) throw new ServiceError(400, { code: 1004, message: "type is not known" });
  return known;
}

/** Changes `paused`, `type`, or the plan by its id, although `plan` is deprecated here as well. */
function edit(call: Call, zone: Zone): Reply {
  const { paused, type, plan } = jsonBody(call);
  if (paused !== undefined && typeof paused !== "boolean")
    throw new ServiceError(400, { code: 1004, message: "paused must be a boolean" });
  const wanted = isObject(plan) ? PLANS.find((name) => PLAN_IDS[name] === plan["id"]) : zone.plan;
  if (wanted === undefined) throw new ServiceError(400, { code: 1004, message: "plan is not known" });
  if (type !== undefined) zone.type = readType(type);
  if (paused !== undefined) zone.paused = paused;
  zone.plan = wanted;
  return success(zoneView(call, zone));
}

function remove({ core }: Call, zone: Zone): Reply {
  core.store.zones.delete(zone.id);
  return success({ id: zone.id });
}

/** The name servers are always found, so a pending zone becomes active at its first check (inferred). */
function activate(_call: Call, zone: Zone): Reply {
  zone.status = "active";
  return success({ id: zone.id });
}

/** The filters and orders of the list of zones. Sorted by plan, the cheapest comes first. */
function choiceOf(call: Call): Choice<Zone> {
  const texts: Readonly<Record<string, (zone: Zone) => string>> = {
    name: (zone) => zone.name,
    "account.id": (zone) => zone.accountId,
    "account.name": (zone) => accountName(call, zone),
    status: statusOf,
  };
  const filtered: typeof texts = { ...texts, type: ({ type = "full" }) => type };
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

function statusOf({ status = "active" }: Zone): string {
  return status;
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
    status: statusOf(zone),
    paused: zone.paused ?? false,
    type: zone.type ?? "full",
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
    activated_on: statusOf(zone) === "active" ? created : null,
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
