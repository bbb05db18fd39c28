import { type Call, jsonBody, type Route, zoneRoute } from "../call.ts";
import type { Core } from "../core.ts";
import { type Reply, ServiceError, success } from "../messages.ts";
import type { Zone } from "../store.ts";
import { PACK_AUTHORITIES, USUAL_VALIDITY_DAYS } from "./authority.ts";
import { deletePack, orderPack, type PackTraits, restartPack } from "./packs.ts";
import { STEP_MILLISECONDS } from "./steps.ts";

const PATH = "/acm/total_tls";

/** GET and POST /acm/total_tls; there is no PUT (docs/service.md#total-tls). */
export function totalTlsRoutes(): Route[] {
  return [zoneRoute("GET", PATH, (_call, zone) => show(zone)), zoneRoute("POST", PATH, set)];
}

/**
 * Throws 1450 without the entitlement, 1467 when nothing would change (so a client has to read first), and 1482 while the
 * service works on the last change.
 */
function set(call: Call, zone: Zone): Reply {
  if (!zone.grants.certificateManager)
    throw new ServiceError(403, { code: 1450, message: "Advanced Certificate Manager is required" });
  const body = jsonBody(call);
  const enabled = body["enabled"];
  const wanted = body["certificate_authority"] ?? zone.totalTls.authority;
  if (typeof enabled !== "boolean") throw invalid("enabled must be true or false");
  const authority = PACK_AUTHORITIES.find((known) => known === wanted);
  if (authority === undefined) throw invalid("unknown certificate authority");
  if (enabled === zone.totalTls.enabled && authority === zone.totalTls.authority)
    throw new ServiceError(400, { code: 1467, message: "There is no state change" });
  if (call.now < zone.totalTls.jobEndsAt)
    throw new ServiceError(409, { code: 1482, message: "The previous job is still running" });
  Object.assign(zone.totalTls, { enabled, authority });
  beginTotalTls(call.core, zone, call.now);
  return show(zone);
}

function show(zone: Zone): Reply {
  const { enabled, authority } = zone.totalTls;
  return success({ enabled, certificate_authority: authority, validity_period: 90 });
}

function invalid(message: string): ServiceError {
  return new ServiceError(400, { code: 1434, message });
}

/** How long a change of Total TLS takes when it orders or deletes anything. Inferred. */
const JOB_MILLISECONDS = STEP_MILLISECONDS.initializing + STEP_MILLISECONDS.issuance + STEP_MILLISECONDS.deployment;

/**
 * Orders and deletes certificates until they match the settings of Total TLS, at a time (ms since the epoch): one for each
 * proxied name that the universal certificate does not cover. Another CA re-issues all of them, and turning Total TLS off
 * deletes them. Returns whether anything changed.
 */
function applyTotalTls(core: Core, zone: Zone, at: number): boolean {
  const { enabled, authority } = zone.totalTls;
  const wanted = new Set(enabled ? deepNames(zone) : []);
  let changes = 0;
  for (const pack of zone.packs.values()) {
    if (pack.type !== "total_tls" || pack.status === "pending_deletion") continue;
    const isKept = wanted.delete(pack.hosts[0] ?? "");
    if (isKept && pack.chosenAuthority === authority) continue;
    changes += 1;
    if (!isKept) deletePack(core, zone, pack, at);
    else {
      pack.chosenAuthority = authority;
      restartPack(core, zone, pack, at);
    }
  }
  for (const host of wanted) orderPack(core, zone, traitsOf(host, authority), at);
  return changes + wanted.size > 0;
}

/** Applies changed settings. Until that is done, the service refuses the next change (1482). */
function beginTotalTls(core: Core, zone: Zone, at: number): void {
  zone.totalTls.jobEndsAt = applyTotalTls(core, zone, at) ? at + JOB_MILLISECONDS : at;
}

/** Brings Total TLS up to date after a DNS record of the name was created, changed or deleted. */
export function noticeName(core: Core, zone: Zone, name: string, at: number): void {
  if (zone.totalTls.enabled && isDeep(zone, name)) applyTotalTls(core, zone, at);
}

/** Proxied names more than one level below the zone. */
export function deepNames(zone: Zone): string[] {
  const proxied = [...zone.records.values()].filter((record) => record.proxied);
  return proxied.map((record) => record.name).filter((name) => isDeep(zone, name));
}

function isDeep(zone: Zone, name: string): boolean {
  return name.split(".").length > zone.name.split(".").length + 1;
}

/** The traits of a certificate of Total TLS. */
export function traitsOf(host: string, chosenAuthority: string): PackTraits {
  return {
    type: "total_tls",
    hosts: [host],
    method: "txt",
    validityDays: USUAL_VALIDITY_DAYS,
    chosenAuthority,
    branding: false,
  };
}
