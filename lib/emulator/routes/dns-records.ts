import { jsonBody, param, zoneRoute, type Call, type Route } from "../call.ts";
import { timestamp } from "../clock.ts";
import { filterRecords } from "../dns-filter.ts";
import { noticeRecord, readRecord, refuseFallback, refuseTwin } from "../dns-records.ts";
import { pageOf, success, type Reply } from "../envelope.ts";
import { ServiceError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { cutList, remembering } from "../lists.ts";
import { readPage } from "../pages.ts";
import type { DnsRecord, Zone } from "../store.ts";

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
  const { page, perPage } = readPage(call.query, { least: 1, most: 5_000_000, usual: 100 });
  const items = filterRecords([...zone.records.values()], call.query);
  const look = (record: DnsRecord): JsonObject => view(zone, record);
  const listed = { items, idOf: (record: DnsRecord) => record.id, view: look, history: zone.pasts.records };
  return pageOf({ ...cutList(call, listed, (page - 1) * perPage, perPage), page, perPage });
}

function create(call: Call, zone: Zone): Reply {
  const input = readRecord(zone, jsonBody(call));
  refuseTwin(zone, input);
  const record = { id: call.core.ids.hex(32), ...input, createdAt: call.now, modifiedAt: call.now };
  zone.records.set(record.id, record);
  noticeRecord(call.core, zone, record.name, call.now);
  return success(view(zone, record));
}

/** PATCH keeps what is not sent, PUT resets it. */
function edit(call: Call, zone: Zone, record: DnsRecord, kept: DnsRecord | undefined): Reply {
  const input = readRecord(zone, jsonBody(call), kept);
  refuseTwin(zone, input, record);
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
