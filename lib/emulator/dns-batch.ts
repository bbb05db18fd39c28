import { type Call, jsonBody, type Route, zoneRoute } from "./call.ts";
import { asText, isObject, type Json, type JsonObject } from "./json.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import type { DnsRecord, Zone } from "./store.ts";

/** What the calls for one record do, by which the calls for many do the same. */
export interface RecordCalls {
  readonly view: (zone: Zone, record: DnsRecord) => JsonObject;
  readonly POST: Step;
  readonly PUT: Step;
  readonly PATCH: Step;
  readonly DELETE: Step;
}

type Step = (call: Call, zone: Zone) => Reply;

const BASE = "/dns_records";

/** `batch`, `import` and `export` of /zones/{id}/dns_records (docs/service.md#dns-records). */
export function dnsBatchRoutes(calls: RecordCalls): Route[] {
  return [
    zoneRoute("POST", `${BASE}/batch`, (call, zone) => batch(calls, call, zone)),
    zoneRoute("POST", `${BASE}/import`, (call, zone) => importFile(calls, call, zone)),
    zoneRoute("GET", `${BASE}/export`, (_call, zone) => ({ status: 200, text: zoneFile(zone) })),
  ];
}

/** The parts of a batch in the order in which the service carries them out, whatever their order in the body. */
const PARTS = [
  ["deletes", "DELETE"],
  ["patches", "PATCH"],
  ["puts", "PUT"],
  ["posts", "POST"],
] as const;

/** All or nothing: if one step is refused, the records are as they were before the first. */
function batch(calls: RecordCalls, call: Call, zone: Zone): Reply {
  const body = jsonBody(call);
  return allOrNothing(zone, () => {
    const result: JsonObject = {};
    for (const [part, method] of PARTS) {
      const items = body[part] ?? [];
      if (!Array.isArray(items)) throw new ServiceError(400, { code: 1004, message: `${part} must be a list` });
      if (body[part] !== undefined) result[part] = items.map((item) => step(calls, call, zone, method, item));
    }
    return success(result);
  });
}

/** One step of a batch. The answer to a deletion has the whole record. */
function step(calls: RecordCalls, call: Call, zone: Zone, method: (typeof PARTS)[number][1], item: Json): Json {
  const { id = "", ...body } = isObject(item) ? item : {};
  const before = zone.records.get(asText(id));
  const deleted = before === undefined ? {} : calls.view(zone, before);
  const params = method === "POST" ? call.params : { ...call.params, id: asText(id) };
  const headers = { ...call.headers, "content-type": "application/json" };
  const reply = calls[method]({ ...call, params, headers, body: JSON.stringify(body) }, zone);
  return method === "DELETE" ? deleted : isObject(reply.body) ? (reply.body["result"] ?? null) : null;
}

function allOrNothing<T>(zone: Zone, act: () => T): T {
  const before = [...zone.records].map(([id, record]) => [id, { ...record }] as const);
  try {
    return act();
  } catch (error) {
    zone.records.clear();
    for (const [id, record] of before) zone.records.set(id, record);
    throw error;
  }
}

/** Adds the records of a zone file. One that exists already is passed over (inferred); one that is wrong refuses the whole file. */
function importFile(calls: RecordCalls, call: Call, zone: Zone): Reply {
  const form = readForm(call);
  const records = parseZoneFile(form.get("file") ?? "", zone);
  const proxied = form.get("proxied") === "true";
  const added = allOrNothing(zone, () =>
    records.filter((record) => {
      const isTraffic = ["A", "AAAA", "CNAME"].includes(asText(record["type"]));
      return isAdded(() => step(calls, call, zone, "POST", isTraffic && proxied ? { ...record, proxied } : record));
    }),
  );
  return success({ recs_added: added.length, total_records_parsed: records.length });
}

function isAdded(add: () => unknown): boolean {
  try {
    add();
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.item.code === 81058) return false;
    throw error;
  }
}

/** The fields of a multipart form (RFC 7578). */
function readForm(call: Call): ReadonlyMap<string, string> {
  const boundary = /boundary="?([^";]+)/i.exec(call.headers["content-type"] ?? "")?.[1];
  const parts = boundary === undefined ? [] : (call.body ?? "").split(`--${boundary}`).slice(1, -1);
  const fields = parts.flatMap((part): [string, string][] => {
    const [, head = "", value = ""] = /^\r?\n(.*?)\r?\n\r?\n(.*)\r?\n$/s.exec(part) ?? [];
    const name = /\bname="([^"]*)"/i.exec(head)?.[1];
    return name === undefined ? [] : [[name, value]];
  });
  if (!fields.some(([name]) => name === "file"))
    throw new ServiceError(400, { code: 1004, message: "the form has no field named file" });
  return new Map(fields);
}

/** The records of a zone file (RFC 1035), one a line. SOA records and the NS records of the zone itself are the service's own. */
function parseZoneFile(text: string, zone: Zone): JsonObject[] {
  let origin = `${zone.name}.`;
  let usualTtl = 1;
  let name = origin;
  const records: JsonObject[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [code = "", remark = ""] = splitRemark(line);
    const directive = /^\$(ORIGIN|TTL)\s+(\S+)/i.exec(code);
    if (directive?.[1]?.toUpperCase() === "ORIGIN") origin = directive[2] ?? origin;
    if (directive?.[1]?.toUpperCase() === "TTL") usualTtl = Number(directive[2]);
    const found = /^(\S*)\s+(?:(\d+)\s+)?(?:IN\s+)?(?:(\d+)\s+)?([A-Z]+)\s+(.*)$/i.exec(code);
    if (directive !== null || found === null) continue;
    const [, own = "", ttl, laterTtl, type = "", rest = ""] = found;
    if (own !== "") name = absolute(own, origin);
    const isServices = type.toUpperCase() === "SOA" || (type.toUpperCase() === "NS" && name === `${zone.name}.`);
    if (isServices) continue;
    const proxied = remark.includes("cf-proxied:true") ? { proxied: true } : {};
    records.push({
      name,
      ttl: Number(ttl ?? laterTtl ?? usualTtl),
      ...content(type.toUpperCase(), rest.trim(), origin),
      ...proxied,
    });
  }
  return records;
}

/** A line before and after its remark, which begins with a semicolon outside of quotes. */
function splitRemark(line: string): string[] {
  const [code = ""] = /^(?:"(?:[^"\\]|\\.)*"|[^;"])*/.exec(line) ?? [];
  return [code.trimEnd(), line.slice(code.length + 1)];
}

function absolute(name: string, origin: string): string {
  if (name === "@") return origin;
  return name.endsWith(".") ? name : `${name}.${origin}`;
}

function content(type: string, rest: string, origin: string): JsonObject {
  if (["CNAME", "NS", "PTR"].includes(type)) return { type, content: absolute(rest, origin) };
  const [, priority = "", target = ""] = /^(\d+)\s+(.*)$/.exec(rest) ?? [];
  if (type === "MX") return { type, priority, content: absolute(target, origin) };
  return type === "URI" ? { type, priority, content: target } : { type, content: rest };
}

/** The zone's records as a file that `import` reads, grouped by type. */
function zoneFile(zone: Zone): string {
  const records = [...zone.records.values()];
  const types = [...new Set(records.map(({ type }) => type))].sort();
  const groups = types.map((type) => {
    const lines = records.filter((record) => record.type === type).map(zoneLine);
    return [`;; ${type} Records`, ...lines, ""].join("\n");
  });
  return [`;; Domain:     ${zone.name}.`, "", ...groups].join("\n");
}

/** A CNAME and the like end in a dot, since all names of the file are absolute. */
function zoneLine({ type, name, content, priority, ttl, proxied }: DnsRecord): string {
  const isPointer = ["CNAME", "MX", "NS", "PTR"].includes(type) && !content.endsWith(".");
  const value = `${priority === undefined ? "" : `${priority} `}${content}${isPointer ? "." : ""}`;
  return `${name}.\t${ttl}\tIN\t${type}\t${value}${proxied ? " ; cf_tags=cf-proxied:true" : ""}`;
}
