import { noticeName } from "./certificates/total-tls.ts";
import { ServiceError } from "./errors.ts";
import { FALLBACK_MILLISECONDS, serves, wakeFallbackOrigin } from "./fallback-origin.ts";
import type { Core } from "./core.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import type { DnsRecord, Zone } from "./store.ts";
import { isUnder } from "./world.ts";

const TYPES = new Set(
  [
    "A",
    "AAAA",
    "CAA",
    "CERT",
    "CNAME",
    "DNSKEY",
    "DS",
    "HTTPS",
    "LOC",
    "MX",
    "NAPTR",
    "NS",
    "OPENPGPKEY",
    "PTR",
  ].concat(["SMIMEA", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"]),
);
const PROXIABLE = new Set(["A", "AAAA", "CNAME"]);

/** The part of a DNS record that a caller sets. */
export type DnsRecordInput = Pick<DnsRecord, "type" | "name" | "content" | "proxied" | "ttl" | "comment" | "tags">;

/** Reads a record's members; those that are absent come from the record as it is, or from the defaults. Throws a 400. */
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
export function refuseTwin(zone: Zone, input: DnsRecordInput, present?: DnsRecord): void {
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
export function refuseFallback(zone: Zone, record: DnsRecord): void {
  const origin = zone.fallbackOrigin?.origin;
  if (origin === undefined || !serves(record, origin)) return;
  const others = [...zone.records.values()].filter((other) => other !== record && serves(other, origin));
  if (others.length > 0) return;
  const message = "This record is configured as an SSL for SaaS fallback origin and cannot be deleted.";
  throw new ServiceError(400, { code: 1039, message });
}

/** Total TLS reacts to a change of a record, and so does the fallback origin, after the time that a deployment takes. */
export function noticeRecord(core: Core, zone: Zone, name: string, at: number): void {
  noticeName(core, zone, name, at);
  const fallback = zone.fallbackOrigin;
  if (fallback === null || fallback.origin !== name || fallback.status === "pending_deletion") return;
  wakeFallbackOrigin(core, zone, fallback, at + FALLBACK_MILLISECONDS.deployment);
}

/** CAA may be sent as `{flags, tag, value}`; the service makes the content of it. */
function caaContent(data: Json | undefined): string | undefined {
  if (!isObject(data) || typeof data["tag"] !== "string" || typeof data["value"] !== "string") return undefined;
  return `${Number(data["flags"] ?? 0)} ${data["tag"]} ${JSON.stringify(data["value"])}`;
}

/** A name with a CNAME has no other record that carries traffic. */
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
