import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import { generalError, type Reply, ServiceError, success } from "../messages.ts";
import type { Account, Zone } from "../store.ts";
import { type BundlePlace, editHostname, removeFromBundle, replaceInBundle } from "./edit.ts";
import { hostnameError } from "./errors.ts";
import type { CustomHostname } from "./custom-hostname.ts";
import { hostnameView, shownStatus } from "./view.ts";
import type { Behaviour } from "../behaviour.ts";
import { type Choice, choose, listPage } from "../lists.ts";
import { waitBeforeTry } from "../certificates/steps.ts";
import type { Json, JsonObject } from "../json.ts";
import { checkedHostname, readMetadata, readOrigin, readSni } from "./input.ts";
import { orderCertificate } from "./certificate.ts";
import { wakeHostname } from "./hostname-steps.ts";
import { isUnderHold, UNKNOWN_TEXT } from "./ownership.ts";
import { readSsl, type SslInput } from "./ssl-input.ts";

const BASE = "/custom_hostnames";

const CERTIFICATE = `${BASE}/:id/certificate_pack/:pack/certificates/:certificate`;

/** /zones/{id}/custom_hostnames (docs/service.md#custom-hostname-calls). */
export function customHostnameRoutes(): Route[] {
  return [
    { method: "GET", path: `/zones/${BASE}`, handler: withoutZone },
    { method: "POST", path: `/zones/${BASE}`, handler: withoutZone },
    zoneRoute("GET", BASE, listHostnames),
    zoneRoute("POST", BASE, create),
    zoneRoute("GET", `${BASE}/quota`, (_call, zone) => quota(zone)),
    zoneRoute("GET", `${BASE}/:id`, (call, zone) => show(call, found(call, zone), 200)),
    zoneRoute("PATCH", `${BASE}/:id`, edit),
    zoneRoute("DELETE", `${BASE}/:id`, remove),
    zoneRoute("PUT", CERTIFICATE, replaceCertificate),
    zoneRoute("DELETE", CERTIFICATE, removeCertificate),
  ];
}

/** Two slashes in a row: the caller's zone id was empty. */
function withoutZone(): never {
  throw hostnameError(1402);
}

function create(call: Call, zone: Zone): Reply {
  const { custom, warnings } = createHostname(call, zone, jsonBody(call));
  return show(call, custom, call.core.behaviour.createStatus, warnings);
}

function edit(call: Call, zone: Zone): Reply {
  const custom = found(call, zone);
  const before = hostnameView(custom, call.core.behaviour);
  editHostname(call, zone, custom, jsonBody(call));
  zone.hostnames.remember(custom.id, before);
  return show(call, custom, call.core.behaviour.editStatus);
}

/** The answer is the bare id, without an envelope (docs/service.md#envelope). */
function remove(call: Call, zone: Zone): Reply {
  const custom = found(call, zone);
  zone.hostnames.remember(custom.id, hostnameView(custom, call.core.behaviour));
  zone.hostnames.remove(custom.id);
  return { status: 200, body: { id: custom.id } };
}

/** Replaces one certificate of an uploaded bundle (docs/service.md#custom-hostname-calls). */
function replaceCertificate(call: Call, zone: Zone): Reply {
  const place = bundlePlace(call, zone);
  const before = hostnameView(place.custom, call.core.behaviour);
  replaceInBundle(call, zone, place, jsonBody(call));
  zone.hostnames.remember(place.custom.id, before);
  return show(call, place.custom, call.core.behaviour.editStatus);
}

/** The answer is the bare id, without an envelope (docs/service.md#envelope). */
function removeCertificate(call: Call, zone: Zone): Reply {
  const place = bundlePlace(call, zone);
  const before = hostnameView(place.custom, call.core.behaviour);
  removeFromBundle(call, zone, place);
  zone.hostnames.remember(place.custom.id, before);
  return { status: 200, body: { id: place.certificateId } };
}

function bundlePlace(call: Call, zone: Zone): BundlePlace {
  return { custom: found(call, zone), packId: param(call, "pack"), certificateId: param(call, "certificate") };
}

function quota(zone: Zone): Reply {
  const used = zone.hostnames.size();
  const { allocated, hardCap } = zone.quota;
  return success({ allocated, used, exceeded: used > allocated, hard_cap: hardCap });
}

function show(call: Call, custom: CustomHostname, status: number, messages: string[] = []): Reply {
  return success(hostnameView(custom, call.core.behaviour), status, messages);
}

/** Throws 1435 for a malformed id, and 1436 for an id that no hostname has. */
function found(call: Call, zone: Zone): CustomHostname {
  const id = param(call, "id");
  if (!/^[0-9a-f-]{32,36}$/.test(id)) throw hostnameError(1435);
  const custom = zone.hostnames.get(id);
  if (custom === undefined) throw hostnameError(1436);
  return custom;
}

/**
 * One page of the zone's custom hostnames that match the filters, oldest first (docs/service.md#pages,
 * docs/service.md#custom-hostname-calls).
 */
function listHostnames(call: Call, zone: Zone): Reply {
  const { behaviour } = call.core;
  const filter = filterOf(call.query, behaviour);
  const listed = {
    items: choose(call.query, matching(zone, filter), CHOICE),
    idOf: (custom: CustomHostname) => custom.id,
    view: (custom: CustomHostname) => hostnameView(custom, behaviour),
    history: zone.hostnames,
  };
  return listPage(call, { least: 5, most: behaviour.hostnamePageSize, usual: 20 }, listed);
}

/** Without a filter this is the collection's own array, so that a page costs no more than its own length. */
function matching(zone: Zone, filter: Filter | undefined): readonly CustomHostname[] {
  if (filter === undefined) return zone.hostnames.all();
  if (filter.exactly === undefined) return zone.hostnames.all().filter((custom) => filter.accepts(custom));
  const named = zone.hostnames.named(filter.exactly);
  return named !== undefined && filter.accepts(named) ? [named] : [];
}

/** The list can be sorted by the certificate: whether there is one, or its status. */
const CHOICE: Choice<CustomHostname> = {
  orders: { ssl: ({ ssl }) => ssl !== null, ssl_status: ({ ssl }) => ssl?.status ?? "" },
};

/** Which hostnames a list shows. */
interface Filter {
  /** The only name that can match; undefined if several can. */
  readonly exactly: string | undefined;
  accepts(custom: CustomHostname): boolean;
}

type Test = (custom: CustomHostname, value: string, behaviour: Behaviour) => boolean;

/**
 * The filters of the list (docs/service.md#custom-hostname-calls). `certificate_authority` is the CA that issued, not the chosen
 * one. `hostname` matches a part of the name.
 */
const TESTS: Readonly<Record<string, Test>> = {
  id: (custom, value) => custom.id === value,
  hostname: (custom, value) => custom.hostname.includes(value.toLowerCase()),
  "hostname.exact": (custom, value) => custom.hostname === value.toLowerCase(),
  "hostname.contain": (custom, value) => custom.hostname.includes(value.toLowerCase()),
  "hostname.startsWith": (custom, value) => custom.hostname.startsWith(value.toLowerCase()),
  hostname_status: (custom, value, behaviour) => shownStatus(custom, behaviour) === value,
  ssl_status: (custom, value) => custom.ssl?.status === value,
  certificate_authority: (custom, value) => custom.ssl?.issued?.authority === value,
  custom_origin_server: (custom, value) => custom.customOriginServer === value,
  wildcard: (custom, value) => String(custom.ssl?.wildcard ?? false) === value,
  ssl: (custom, value) => (custom.ssl === null ? "0" : "1") === value,
};

/** The longest search text (docs/service.md#custom-hostname-calls). */
const LONGEST_CONTAIN = 255;

/** The filter in a query, if it has one. Throws 1437 and 1438. */
function filterOf(query: URLSearchParams, behaviour: Behaviour): Filter | undefined {
  const asked = Object.entries(TESTS).flatMap(([name, test]) => {
    const value = query.get(name);
    return value === null ? [] : [{ name, value, test }];
  });
  if (asked.length === 0) return undefined;
  if (query.has("id") && asked.length > 1) throw hostnameError(1438);
  const contain = query.get("hostname.contain");
  if (contain === "" || (contain ?? "").length > LONGEST_CONTAIN) throw hostnameError(1437);
  return {
    exactly: query.get("hostname.exact")?.toLowerCase(),
    accepts: (custom) => asked.every(({ test, value }) => test(custom, value, behaviour)),
  };
}

/** How long the service takes to notice a hold. It checks while it sets up the hostname, before the first try. Inferred. */
const HOLD_NOTICED_MILLISECONDS = 2000;

/** What a creation asks for, checked. */
interface Creation {
  readonly hostname: string;
  readonly ssl: SslInput | null;
  readonly origin: string | null;
  readonly sni: string | null;
  readonly metadata: JsonObject | null;
}

/** A created hostname, and its warnings. */
interface Created {
  readonly custom: CustomHostname;
  readonly warnings: string[];
}

/**
 * Creates a custom hostname. The order of its checks is inferred (docs/service.md#custom-hostname-error-codes): name, duplicate,
 * quota, ssl, length, origin, metadata. The issuance limit comes last, because only successful calls count (docs/service.md#issuance-limit).
 */
function createHostname(call: Call, zone: Zone, body: JsonObject): Created {
  const hostname = checkedHostname(body["hostname"]);
  if (zone.hostnames.named(hostname) !== undefined) throw hostnameError(1406);
  const warnings = checkQuota(zone);
  const creation = readCreation(call, zone, hostname, body);
  if (creation.ssl !== null) countIssuance(call, accountOf(call, zone));
  return { custom: build(call, zone, creation), warnings };
}

/** More hostnames than `allocated` are billed, and more than `hard_cap` are refused (docs/service.md#quota). Returns the warnings. */
function checkQuota(zone: Zone): string[] {
  const { allocated, hardCap } = zone.quota;
  const used = zone.hostnames.size();
  if (hardCap === 0) throw hostnameError(1404);
  if (used >= hardCap) throw hostnameError(1405);
  return used >= allocated
    ? [`You have used all ${allocated} custom hostnames included; further ones are billed.`]
    : [];
}

function readCreation(call: Call, zone: Zone, hostname: string, body: JsonObject): Creation {
  const { behaviour } = call.core;
  const wanted = body["ssl"] ?? null;
  const brandingAtTop = behaviour.brandingAtTopLevel && body["cloudflare_branding"] === true;
  const isWildcard = hostname.startsWith("*.");
  const rules = { core: call.core, zone, hostname, isNew: true, brandingAtTop, isWildcard };
  const ssl = wanted === null ? null : readSsl(wanted, rules);
  const origin = readOrigin(member(body, "custom_origin_server"), zone);
  const sni = readSni(member(body, "custom_origin_sni"), origin);
  const metadata = readMetadata(member(body, "custom_metadata"), zone, behaviour);
  return { hostname, ssl, origin, sni, metadata };
}

function countIssuance(call: Call, account: Account): void {
  if (call.isDashboard) return;
  const limiter = call.core.issuanceLimiter;
  const wait = limiter.wait(account.id, account.issuancePerMinute, call.now);
  if (wait > 0) throw issuanceBlocked(account, Math.ceil(wait / 1000));
  limiter.count(account.id, call.now);
}

/** The code is not published; 971 is the code of other throttles (docs/service-coverage.md#choices, row 13). */
function issuanceBlocked(account: Account, seconds: number): ServiceError {
  const message = `More than ${account.issuancePerMinute} certificates per minute were requested. Please wait ${seconds} seconds`;
  return new ServiceError(429, { code: 971, message }, { "retry-after": String(seconds) });
}

function build(call: Call, zone: Zone, creation: Creation): CustomHostname {
  const { core, now } = call;
  const custom: CustomHostname = {
    id: core.ids.uuid(),
    hostname: creation.hostname,
    createdAt: now,
    status: "pending",
    verificationErrors: [UNKNOWN_TEXT],
    ownershipToken: core.ids.uuid(),
    tries: 0,
    dueAt: null,
    pointed: false,
    ssl: null,
    customOriginServer: creation.origin,
    customOriginSni: creation.sni,
    customMetadata: creation.metadata,
  };
  zone.hostnames.add(custom);
  zone.hostnames.remember(custom.id, undefined);
  const held = isUnderHold(core.store, core.world, zone, custom.hostname);
  wakeHostname(core, zone, custom, now + (held ? HOLD_NOTICED_MILLISECONDS : waitBeforeTry(0)));
  if (creation.ssl !== null) orderCertificate({ core, zone, custom }, creation.ssl, now);
  return custom;
}

function accountOf(call: Call, zone: Zone): Account {
  const account = call.core.store.accounts.get(zone.accountId);
  if (account === undefined) throw generalError(9109);
  return account;
}

function member(body: JsonObject, name: string): Json {
  return body[name] ?? null;
}
