import { covers } from "./certificates/pem.ts";
import type { ChainName } from "./certificates/certificate.ts";
import { chainOf, servedBy, type ServedCertificate, servedFor } from "./certificates/served.ts";
import type { Core } from "./core.ts";
import type { CustomHostname } from "./custom-hostnames/custom-hostname.ts";
import { type StoppedBy, stoppedBy, type Visitor } from "./edge-rules.ts";
import { settle } from "./lifecycle.ts";
import { serves, type Zone } from "./store.ts";
import { ancestors, isUnder } from "./world.ts";

/** The emulated edge, as visitors see it. */
export interface Edge {
  /** Answers a request for a host, now. The path may have a query. */
  request(host: string, path?: string, visitor?: Visitor): EdgeAnswer;
}

/** The edge of a service. */
export function createEdge(core: Core): Edge {
  return {
    request: (host, path, visitor) => {
      settle(core);
      return edgeRequest(core, host, path, visitor);
    },
  };
}

/**
 * Why the edge does not send a request to an origin. The first four answer 1016 (docs/service.md#traffic). `rule`: a custom rule
 * stopped it.
 */
export type EdgeCause = EdgeFault | "rule";

type EdgeFault =
  | "ownership_incomplete"
  | "fallback_origin_missing"
  | "fallback_record_missing"
  | "standalone_zone"
  | "own_zone_name"
  | "unknown_host";

/** The certificate that the edge presents. */
export interface EdgeCertificate {
  readonly id: string;
  readonly commonName: string;
  readonly hosts: readonly string[];
  readonly authority: string;
  readonly chain: ChainName;
}

/** What the edge answers a visitor. */
export interface EdgeAnswer {
  readonly status: number;
  /** The error code of the page, such as 1016; null when an origin answers. */
  readonly code: 1016 | 1001 | null;
  readonly cause: EdgeCause | null;
  /** More about the cause: the verification errors of the hostname. */
  readonly reasons: readonly string[];
  readonly zoneId: string | null;
  readonly hostnameId: string | null;
  /** The custom rule that stopped the request. */
  readonly rule: StoppedBy | null;
  /** The origin that answers. */
  readonly origin: string | null;
  /** Null when no certificate covers the host. */
  readonly certificate: EdgeCertificate | null;
  readonly body: string;
}

/** Answers a visitor's request from the custom origin or the fallback origin, or with an error such as 1016 (docs/service.md#traffic). */
export function edgeRequest(core: Core, host: string, path = "/", visitor: Visitor = {}): EdgeAnswer {
  const name = host.toLowerCase().replace(/:\d+$/, "");
  const route = routeOf(core, name);
  if (route === undefined) return failed(409, 1001, "unknown_host");
  if (route.kind === "own") return own(core, route.zone, name, path, visitor);
  if (route.kind === "standalone") return { ...failed(530, 1016, "standalone_zone"), zoneId: route.zone?.id ?? null };
  return serveCustom(core, route.zone, route.custom, name, path, visitor);
}

function serveCustom(
  core: Core,
  zone: Zone,
  custom: CustomHostname,
  name: string,
  path: string,
  visitor: Visitor,
): EdgeAnswer {
  const about = { zoneId: zone.id, hostnameId: custom.id, certificate: shown(core, servedFor(custom), name) };
  if (name === zone.name) return { ...failed(403, null, "own_zone_name"), ...about };
  const isVerified = custom.status === "active" || custom.status === "active_redeploying";
  if (!isVerified)
    return { ...failed(530, 1016, "ownership_incomplete"), ...about, reasons: [...custom.verificationErrors] };
  const rule = stoppedBy(core, zone, name, path, visitor, custom);
  if (rule !== undefined) return { ...stopped(rule), ...about };
  const origin = custom.customOriginServer ?? zone.fallbackOrigin?.origin;
  if (
    origin === undefined ||
    (custom.customOriginServer === null && zone.fallbackOrigin?.status === "pending_deletion")
  )
    return { ...failed(530, 1016, "fallback_origin_missing"), ...about };
  if (!isOriginThere(zone, origin, custom.customOriginServer === null))
    return { ...failed(530, 1016, "fallback_record_missing"), ...about };
  return { ...answered(origin, name, path), ...about };
}

/** Answers a request for a name of the zone itself, from its proxied record. */
function own(core: Core, zone: Zone, name: string, path: string, visitor: Visitor): EdgeAnswer {
  const record = [...zone.records.values()].find((candidate) => candidate.proxied && candidate.name === name);
  const certificate = shown(
    core,
    servedBy(zone).filter(({ kind }) => kind !== "custom_hostname"),
    name,
  );
  const rule = stoppedBy(core, zone, name, path, visitor);
  const answer = rule === undefined ? answered(record?.content ?? zone.name, name, path) : stopped(rule);
  return { ...answer, zoneId: zone.id, certificate };
}

/**
 * Whether the origin has a record. That of a fallback origin must be proxied; that of a custom origin only has to exist
 * (docs/service.md#custom-hostname-record, docs/service.md#fallback-origin).
 */
function isOriginThere(zone: Zone, origin: string, proxied: boolean): boolean {
  return [...zone.records.values()].some((record) => serves(record, origin) && (record.proxied || !proxied));
}

/** The certificate that the edge presents: a hostname's own first, then uploads, then the zone's packs. */
function shown(core: Core, candidates: readonly ServedCertificate[], name: string): EdgeCertificate | null {
  const now = core.clock.now();
  const order = ["custom_hostname", "custom_certificate", "advanced", "total_tls", "universal"];
  const covering = candidates.filter(({ issued }) => covers(issued.hosts, name));
  covering.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  for (const served of covering) {
    const chain = chainOf(served, now);
    const { id, commonName, hosts, authority } = served.issued;
    if (chain !== null) return { id, commonName, hosts: [...hosts], authority, chain: chain.name };
  }
  return null;
}

function answered(origin: string, name: string, path: string): EdgeAnswer {
  return { ...EMPTY, status: 200, origin, body: `${name}${path} from ${origin}` };
}

function stopped(rule: StoppedBy): EdgeAnswer {
  return { ...EMPTY, status: rule.status, cause: "rule", rule, body: rule.body };
}

function failed(status: number, code: EdgeAnswer["code"], cause: EdgeFault): EdgeAnswer {
  return { ...EMPTY, status, code, cause, body: code === null ? "Forbidden" : `error code: ${code}` };
}

const EMPTY: EdgeAnswer = {
  status: 200,
  code: null,
  cause: null,
  reasons: [],
  zoneId: null,
  hostnameId: null,
  rule: null,
  origin: null,
  certificate: null,
  body: "",
};

/** Whose request it is. */
export type Route =
  | { readonly kind: "custom"; readonly zone: Zone; readonly custom: CustomHostname }
  | { readonly kind: "own"; readonly zone: Zone }
  /** The name belongs to a zone of its own, so a wildcard does not cover it. The zone is undefined if it is in the outside world. */
  | { readonly kind: "standalone"; readonly zone: Zone | undefined };

/**
 * Routes a name (docs/service.md#traffic): to its exact custom hostname, or else to its own zone if that has a record for it, or
 * else to a wildcard custom hostname, unless the name belongs to a zone of its own. Undefined for a name that nobody serves.
 */
function routeOf(core: Core, name: string): Route | undefined {
  const exact = customHostname(core, [name]);
  if (exact !== undefined) return exact;
  const zone = ownZone(core, name);
  if (zone !== undefined && hasRecord(zone, name)) return { kind: "own", zone };
  const isOutside = ancestors(name).some((domain) => isZone(core, domain));
  const wildcard = customHostname(core, wildcardsOf(name));
  if (wildcard === undefined) return undefined;
  return isOutside || zone !== undefined ? { kind: "standalone", zone } : wildcard;
}

/** The first custom hostname with one of the names. If two zones have it, the zone that verified it serves it. */
function customHostname(core: Core, names: readonly string[]): Route | undefined {
  let found: Route | undefined;
  for (const zone of core.store.zones.values()) {
    for (const name of names) {
      const custom = zone.hostnames.named(name);
      const isMeant = custom !== undefined && (names.length === 1 || name.startsWith("*.") || isWide(custom));
      if (!isMeant) continue;
      if (custom.status === "active" || custom.status === "active_redeploying") return { kind: "custom", zone, custom };
      found ??= { kind: "custom", zone, custom };
    }
  }
  return found;
}

function isWide(custom: CustomHostname): boolean {
  return custom.ssl?.wildcard === true;
}

/** The hostnames that cover the name as a wildcard: `*.parent`, or the parent if its certificate is a wildcard. One level only. */
function wildcardsOf(name: string): string[] {
  const [, parent] = /^[^.]+\.(.+)$/.exec(name) ?? [];
  return parent === undefined ? [] : [`*.${parent}`, parent];
}

/** The zone that the name belongs to: the one with the longest name. */
function ownZone(core: Core, name: string): Zone | undefined {
  const zones = [...core.store.zones.values()].filter((zone) => isUnder(name, zone.name));
  return zones.sort((a, b) => b.name.length - a.name.length)[0];
}

function hasRecord(zone: Zone, name: string): boolean {
  return [...zone.records.values()].some((record) => record.proxied && record.name === name);
}

function isZone(core: Core, domain: string): boolean {
  const answer = core.world.dns.get(domain);
  return answer?.zone === true || answer?.held !== undefined;
}
