import { type Call, jsonBody, param, type Route, zoneRoute } from "./call.ts";
import { noticeName } from "./certificates/total-tls.ts";
import { timestamp } from "./clock.ts";
import type { Core } from "./core.ts";
import { generalError, type Reply, ServiceError, success } from "./messages.ts";
import { dnsBatchRoutes, type RecordCalls } from "./dns-batch.ts";
import { isRecordType, readContent } from "./dns-types.ts";
import { FALLBACK_MILLISECONDS, wakeFallbackOrigin } from "./fallback-origin.ts";
import { canonical, compact, copy, isObject, type JsonObject } from "./json.ts";
import { type Choice, choose, listPage, remembering } from "./lists.ts";
import { type DnsRecord, serves, type Zone } from "./store.ts";
import { isUnder } from "./world.ts";

const BASE = "/dns_records";

/** /zones/{id}/dns_records (docs/service.md#dns-records). */
export function dnsRecordRoutes(): Route[] {
  const kept = (handler: (call: Call, zone: Zone) => Reply): typeof handler => remembering("records", lookOf, handler);
  const calls: RecordCalls = {
    view,
    POST: kept(create),
    PUT: kept((call, zone) => edit(call, zone, found(call, zone), undefined)),
    PATCH: kept((call, zone) => edit(call, zone, found(call, zone), found(call, zone))),
    DELETE: kept(remove),
  };
  return [
    ...dnsBatchRoutes(calls),
    zoneRoute("GET", BASE, list),
    zoneRoute("POST", BASE, calls.POST),
    zoneRoute("GET", `${BASE}/:id`, (call, zone) => success(view(zone, found(call, zone)))),
    zoneRoute("PUT", `${BASE}/:id`, calls.PUT),
    zoneRoute("PATCH", `${BASE}/:id`, calls.PATCH),
    zoneRoute("DELETE", `${BASE}/:id`, calls.DELETE),
  ];
}

function list(call: Call, zone: Zone): Reply {
  const items = choose(call.query, [...zone.records.values()], CHOICE);
  const look = (record: DnsRecord): JsonObject => view(zone, record);
  const listed = { items, idOf: (record: DnsRecord) => record.id, view: look, history: zone.histories.records };
  return listPage(call, { least: 1, most: 5_000_000, usual: 100 }, listed);
}

function create(call: Call, zone: Zone): Reply {
  const input = readRecord(zone, jsonBody(call), call.now);
  refuseDuplicate(zone, input);
  const record = { id: call.core.ids.hex(32), ...input, createdAt: call.now, modifiedAt: call.now };
  zone.records.set(record.id, record);
  noticeRecord(call.core, zone, record.name, call.now);
  return success(view(zone, record));
}

/** PATCH keeps what is not sent, PUT resets it. */
function edit(call: Call, zone: Zone, record: DnsRecord, kept: DnsRecord | undefined): Reply {
  const input = readRecord(zone, jsonBody(call), call.now, kept);
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

/** Throws 7003 for what is no id, such as the name of a call that the emulator does not have, and 81044 for an unknown id. */
function found(call: Call, zone: Zone): DnsRecord {
  if (!/^[0-9a-f]{32}$/.test(param(call, "id"))) throw generalError(7003);
  const record = zone.records.get(param(call, "id"));
  if (record === undefined) throw new ServiceError(404, { code: 81044, message: "Record does not exist." });
  return record;
}

function view(zone: Zone, record: DnsRecord): JsonObject {
  const { id, type, name, content, priority, data, proxied, ttl, comment, tags, settings } = record;
  const { commentModifiedAt, tagsModifiedAt } = record;
  return compact({
    id,
    type,
    name,
    content,
    priority,
    data: copy(data),
    proxiable: PROXIABLE.has(type),
    proxied,
    ttl,
    comment,
    comment_modified_on: commentModifiedAt === undefined ? undefined : timestamp(commentModifiedAt),
    tags: [...tags],
    tags_modified_on: tagsModifiedAt === undefined ? undefined : timestamp(tagsModifiedAt),
    settings: copy(settings ?? {}),
    meta: {},
    zone_id: zone.id,
    zone_name: zone.name,
    created_on: timestamp(record.createdAt),
    modified_on: timestamp(record.modifiedAt),
  });
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

const PROXIABLE = new Set(["A", "AAAA", "CNAME"]);

/** The part of a DNS record that a caller sets. */
type DnsRecordInput = Omit<DnsRecord, "id" | "createdAt" | "modifiedAt">;

/** Reads a DNS record. A member that is absent keeps its present value, or takes its default. Throws a 400. */
export function readRecord(zone: Zone, body: JsonObject, at: number, present?: DnsRecord): DnsRecordInput {
  const { data, ...sent } = body;
  // A new content makes the present data void.
  const kept = present === undefined || body["content"] === undefined ? present?.data : undefined;
  const whole = { ...presentBody(present), ...sent, ...compact({ data: data ?? kept }) };
  const { type, name, proxied = false, ttl = 1, settings = {} } = whole;
  if (typeof type !== "string" || !isRecordType(type)) throw invalid("type must be a known record type");
  if (typeof name !== "string" || name === "")
    throw new ServiceError(400, { code: 9000, message: "DNS name is invalid." });
  if (typeof proxied !== "boolean") throw invalid("proxied must be a boolean");
  if (proxied && !PROXIABLE.has(type))
    throw new ServiceError(400, { code: 9004, message: "This record type cannot be proxied." });
  const least = zone.plan === "enterprise" ? 30 : 60;
  if (typeof ttl !== "number" || (ttl !== 1 && (ttl < least || ttl > 86_400)))
    throw new ServiceError(400, {
      code: 9021,
      message: `Invalid TTL. Must be between ${least} and 86400 seconds, or 1 for Automatic`,
    });
  if (!isObject(settings)) throw invalid("settings must be an object");
  const notes = readNotes(body, at, present);
  return { type, name: fullName(zone, name), ...readContent(type, whole), proxied, ttl, settings, ...notes };
}

function presentBody(present: DnsRecord | undefined): JsonObject {
  if (present === undefined) return {};
  const { type, name, content, priority, proxied, ttl, settings } = present;
  return compact({ type, name, content, priority, proxied, ttl, settings });
}

/** Refuses a record that exists already (81058), and an address beside a CNAME (81053, 81054; inferred, the codes are well known). */
function refuseDuplicate(zone: Zone, input: DnsRecordInput, present?: DnsRecord): void {
  for (const other of zone.records.values()) {
    if (other === present || other.name !== input.name) continue;
    if (other.type === input.type && other.content === input.content)
      throw new ServiceError(400, { code: 81058, message: "An identical record already exists." });
    if (!clashes(other.type, input.type)) continue;
    throw other.type === "CNAME" && input.type !== "CNAME"
      ? new ServiceError(400, { code: 81054, message: "A CNAME record with that host already exists." })
      : new ServiceError(400, { code: 81053, message: "An A, AAAA, or CNAME record with that host already exists." });
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

/** Whether two records of one name exclude each other: a name with a CNAME has no other record that carries traffic. */
function clashes(left: string, right: string): boolean {
  const isTraffic = PROXIABLE.has(left) && PROXIABLE.has(right);
  return isTraffic && (left === "CNAME" || right === "CNAME");
}

type Notes = Pick<DnsRecord, "comment" | "tags" | "commentModifiedAt" | "tagsModifiedAt">;

function readNotes(body: JsonObject, at: number, present?: DnsRecord): Notes {
  const comment = body["comment"] === undefined ? (present?.comment ?? null) : body["comment"] || null;
  const given = body["tags"] ?? present?.tags ?? [];
  if (comment !== null && typeof comment !== "string") throw invalid("comment must be a string");
  if (!Array.isArray(given)) throw invalid("tags must be a list");
  const tags = given.map(String);
  const isKept = present !== undefined && canonical(tags) === canonical(present.tags);
  return {
    comment,
    tags,
    commentModifiedAt: comment === null ? undefined : comment === present?.comment ? present.commentModifiedAt : at,
    tagsModifiedAt: tags.length === 0 ? undefined : isKept ? present.tagsModifiedAt : at,
  };
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
