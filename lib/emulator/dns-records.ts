import { type Call, jsonBody, param, type Route, zoneRoute } from "./call.ts";
import { noticeName } from "./certificates/total-tls.ts";
import { timestamp } from "./clock.ts";
import type { Core } from "./core.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import { FALLBACK_MILLISECONDS, wakeFallbackOrigin } from "./fallback-origin.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { type Choice, choose, listPage, remembering } from "./lists.ts";
import { type DnsRecord, serves, type Zone } from "./store.ts";
import { isUnder } from "./world.ts";

const BASE = "/dns_records";

/** /zones/{id}/dns_records (docs/service.md#dns-records). */
export function dnsRecordRoutes(): Route[] {
  const kept = (handler: (call: Call, zone: Zone) => Reply): typeof handler => remembering("records", lookOf, handler);
  return [
    zoneRoute("GET", BASE, list),
    zoneRoute("POST", BASE, kept(create)),
    zoneRoute("GET", `${BASE}/:id`, (call, zone) => success(view(zone, found(call, zone)))),
    zoneRoute(
      "PATCH",
      `${BASE}/:id`,
      kept((call, zone) => edit(call, zone, found(call, zone), found(call, zone))),
    ),
    zoneRoute(
      "PUT",
      `${BASE}/:id`,
      kept((call, zone) => edit(call, zone, found(call, zone), undefined)),
    ),
    zoneRoute("DELETE", `${BASE}/:id`, kept(remove)),
  ];
}

function list(call: Call, zone: Zone): Reply {
  const items = choose(call.query, [...zone.records.values()], CHOICE);
  const look = (record: DnsRecord): JsonObject => view(zone, record);
  const listed = { items, idOf: (record: DnsRecord) => record.id, view: look, history: zone.histories.records };
  return listPage(call, { least: 1, most: 5_000_000, usual: 100 }, listed);
}

function create(call: Call, zone: Zone): Reply {
  const input = readRecord(zone, jsonBody(call));
  refuseDuplicate(zone, input);
  const record = { id: call.core.ids.hex(32), ...input, createdAt: call.now, modifiedAt: call.now };
  zone.records.set(record.id, record);
  noticeRecord(call.core, zone, record.name, call.now);
  return success(view(zone, record));
}

/** PATCH keeps what is not sent, PUT resets it. */
function edit(call: Call, zone: Zone, record: DnsRecord, kept: DnsRecord | undefined): Reply {
  const input = readRecord(zone, jsonBody(call), kept);
  refuseDuplicate(zone, input, record);
  const names = [record.name, input.name];
  Object.assign(record, input, { modifiedAt: call.now });
  for (const name of names) noticeRecord(call.core, zone, name, call.now);
  return success(view(zone, record));
}

function remove(call: Call, zone: Zone): Reply {
  const record = found(call, zone);
  refuseFallback(zone, record);
  zone.records.delete(record.id);
  noticeRecord(call.core, zone, record.name, call.now);
  return success({ id: record.id });
}

function lookOf(zone: Zone, id: string): JsonObject | undefined {
  const record = zone.records.get(id);
  return record === undefined ? undefined : view(zone, record);
}

function found(call: Call, zone: Zone): DnsRecord {
  const record = zone.records.get(param(call, "id"));
  if (record === undefined) throw new ServiceError(404, { code: 81044, message: "Record does not exist." });
  return record;
}

function view(zone: Zone, record: DnsRecord): JsonObject {
  const { id, type, name, content, proxied, ttl, comment, tags } = record;
  return {
    id,
    type,
    name,
    content,
    proxiable: ["A", "AAAA", "CNAME"].includes(type),
    proxied,
    ttl,
    comment,
    tags: [...tags],
    settings: {},
    meta: {},
    zone_id: zone.id,
    zone_name: zone.name,
    created_on: timestamp(record.createdAt),
    modified_on: timestamp(record.modifiedAt),
  };
}

const TEXT_FIELDS = ["name", "content", "comment"] as const;

const MATCHES: Readonly<Record<string, (text: string, wanted: string) => boolean>> = {
  "": (text, wanted) => text === wanted,
  ".exact": (text, wanted) => text === wanted,
  ".contains": (text, wanted) => text.includes(wanted),
  ".startswith": (text, wanted) => text.startsWith(wanted),
  ".endswith": (text, wanted) => text.endsWith(wanted),
};

const TEXT_FILTERS = TEXT_FIELDS.flatMap((field) =>
  Object.entries(MATCHES).map(([suffix, isMatch]) => {
    const test = (record: DnsRecord, wanted: string): boolean =>
      isMatch((record[field] ?? "").toLowerCase(), wanted.toLowerCase());
    return [`${field}${suffix}`, test] as const;
  }),
);

/** The filters and orders of the list of DNS records (docs/service.md#dns-records). */
const CHOICE: Choice<DnsRecord> = {
  filters: {
    ...Object.fromEntries(TEXT_FILTERS),
    type: ({ type }, wanted) => type === wanted.toUpperCase(),
    proxied: ({ proxied }, wanted) => String(proxied) === wanted,
    tag: ({ tags }, wanted) => tags.includes(wanted),
    search: (record, wanted) => textsOf(record).some((text) => text.toLowerCase().includes(wanted.toLowerCase())),
  },
  orders: {
    type: ({ type }) => type,
    name: ({ name }) => name,
    content: ({ content }) => content,
    ttl: ({ ttl }) => ttl,
    proxied: ({ proxied }) => proxied,
  },
};

function textsOf({ name, content, comment, tags }: DnsRecord): readonly string[] {
  return [name, content, comment ?? "", ...tags];
}

const TYPES = new Set(
  "A AAAA CAA CERT CNAME DNSKEY DS HTTPS LOC MX NAPTR NS OPENPGPKEY PTR SMIMEA SRV SSHFP SVCB TLSA TXT URI".split(" "),
);
const PROXIABLE = new Set(["A", "AAAA", "CNAME"]);

/** The part of a DNS record that a caller sets. */
type DnsRecordInput = Pick<DnsRecord, "type" | "name" | "content" | "proxied" | "ttl" | "comment" | "tags">;

/** Reads a DNS record. A member that is absent keeps its present value, or takes its default. Throws a 400. */
export function readRecord(zone: Zone, body: JsonObject, present?: DnsRecord): DnsRecordInput {
  const type = body["type"] ?? present?.type;
  const name = body["name"] ?? present?.name;
  const content = body["content"] ?? caaContent(body["data"]) ?? present?.content;
  if (typeof type !== "string" || !TYPES.has(type)) throw invalid("type must be a known record type");
  if (typeof name !== "string" || name === "") throw invalid("name is required");
  if (typeof content !== "string" || content === "") throw invalid("content is required");
  const proxied = body["proxied"] ?? present?.proxied ?? false;
  const ttl = body["ttl"] ?? present?.ttl ?? 1;
  if (typeof proxied !== "boolean" || (proxied && !PROXIABLE.has(type))) throw invalid("this record cannot be proxied");
  if (typeof ttl !== "number" || (ttl !== 1 && (ttl < 30 || ttl > 86_400)))
    throw invalid("ttl must be 1 or 30 to 86400");
  return { type, name: fullName(zone, name), content, proxied, ttl, ...readNotes(body, present) };
}

/** Refuses a record that exists already (81058), and an address beside a CNAME (81053; inferred, the code is well known). */
function refuseDuplicate(zone: Zone, input: DnsRecordInput, present?: DnsRecord): void {
  for (const other of zone.records.values()) {
    const isSame = other.type === input.type && other.name === input.name && other.content === input.content;
    if (other === present) continue;
    if (isSame) throw new ServiceError(400, { code: 81058, message: "An identical record already exists." });
    if (other.name === input.name && clashes(other.type, input.type))
      throw new ServiceError(400, {
        code: 81053,
        message: "An A, AAAA, or CNAME record with that host already exists.",
      });
  }
}

/** Refuses to delete the last record behind the zone's fallback origin (docs/service.md#fallback-origin). */
function refuseFallback(zone: Zone, record: DnsRecord): void {
  const origin = zone.fallbackOrigin?.origin;
  if (origin === undefined || !serves(record, origin)) return;
  const others = [...zone.records.values()].filter((other) => other !== record && serves(other, origin));
  if (others.length > 0) return;
  const message = "This record is configured as an SSL for SaaS fallback origin and cannot be deleted.";
  throw new ServiceError(400, { code: 1039, message });
}

/** Tells Total TLS that a record changed, and has the fallback origin checked again once it could be deployed. */
function noticeRecord(core: Core, zone: Zone, name: string, at: number): void {
  noticeName(core, zone, name, at);
  const fallback = zone.fallbackOrigin;
  if (fallback === null || fallback.origin !== name || fallback.status === "pending_deletion") return;
  wakeFallbackOrigin(core, zone, fallback, at + FALLBACK_MILLISECONDS.deployment);
}

/** The content of a CAA record that is sent as `{flags, tag, value}`. */
function caaContent(data: Json | undefined): string | undefined {
  if (!isObject(data) || typeof data["tag"] !== "string" || typeof data["value"] !== "string") return undefined;
  return `${Number(data["flags"] ?? 0)} ${data["tag"]} ${JSON.stringify(data["value"])}`;
}

/** Whether two records of one name exclude each other: a name with a CNAME has no other record that carries traffic. */
function clashes(left: string, right: string): boolean {
  const isTraffic = PROXIABLE.has(left) && PROXIABLE.has(right);
  return isTraffic && (left === "CNAME" || right === "CNAME");
}

function readNotes(body: JsonObject, present?: DnsRecord): Pick<DnsRecord, "comment" | "tags"> {
  const comment = body["comment"] === undefined ? (present?.comment ?? null) : body["comment"];
  const tags = body["tags"] ?? present?.tags ?? [];
  if (comment !== null && typeof comment !== "string") throw invalid("comment must be a string");
  if (!Array.isArray(tags)) throw invalid("tags must be a list");
  return { comment, tags: tags.map(String) };
}

function fullName(zone: Zone, name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, "");
  if (lower === "@") return zone.name;
  return isUnder(lower, zone.name) ? lower : `${lower}.${zone.name}`;
}

/** The code of the service's DNS validation; not published, so inferred (docs/service.md#dns-records). */
function invalid(message: string): ServiceError {
  return new ServiceError(400, { code: 1004, message: `DNS Validation Error: ${message}` });
}
