import { isObject } from "../../lib/core/json.ts";
import type { HttpRequest } from "../../lib/service/http.ts";
import { verifiedCrc } from "../../lib/state/journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Shelf } from "./shelf.ts";
import { hostsKey } from "./truth.ts";
import { journalLine } from "./vault.ts";
import { PHASE } from "./wish.ts";
import { pathInZone } from "./zones.ts";

/** The path of the hostnames after the zone's. */
export const HOSTNAMES = "/custom_hostnames";
/** The path of the certificate packs. */
export const PACKS = "/ssl/certificate_packs";

/** The path of the zone's hold. */
export const HOLD = "/hold";
/** The prefix of the path of a zone's setting. */
export const SETTINGS = "/settings/";

/** The kind whose one object is the state of the zone's migration. */
export const MIGRATION = "waf_migration";

/** The object of a write. */
export interface Write {
  readonly kind: string;
  readonly key: string;
  readonly verb: "create" | "change" | "delete";
  readonly id?: string;
}

/** What a request would write; undefined for a request that no engine should send. */
export function writeOf(ledger: Ledger, request: HttpRequest): Write | undefined {
  const pathname = pathInZone(request.url);
  const { searchParams } = new URL(request.url);
  const verb = request.method === "DELETE" ? "delete" : "change";
  const body: unknown = JSON.parse(request.body ?? "{}");
  if (pathname === HOSTNAMES && request.method === "POST") {
    const key = isObject(body) && typeof body["hostname"] === "string" ? body["hostname"] : "";
    return { kind: "custom_hostname", key, verb: "create" };
  }
  if (pathname.startsWith(`${HOSTNAMES}/fallback_origin`)) return { kind: "fallback_origin", key: "", verb };
  if (pathname.startsWith(`${HOSTNAMES}/`)) {
    const id = pathname.slice(HOSTNAMES.length + 1);
    return { kind: "custom_hostname", key: ledger.names.get(id) ?? "", verb, id };
  }
  if (pathname === `${PACKS}/order`) {
    const hosts = isObject(body) && Array.isArray(body["hosts"]) ? body["hosts"].map(String) : [];
    return { kind: "certificate_pack", key: hostsKey(hosts), verb: "create" };
  }
  if (pathname.startsWith(`${PACKS}/`)) {
    const id = pathname.slice(PACKS.length + 1);
    return { kind: "certificate_pack", key: ledger.names.get(id) ?? "", verb, id };
  }
  if (searchParams.has("waf_migration") || isOverride(request)) return { kind: MIGRATION, key: "", verb: "change" };
  if (pathname.includes("/rulesets")) return { kind: "ruleset", key: PHASE, verb };
  if (pathname.endsWith("/acm/total_tls")) return { kind: "total_tls", key: "", verb };
  // A DELETE releases a hold, which stays the zone's.
  if (pathname === HOLD) return { kind: "zone_hold", key: "", verb: "change" };
  if (pathname.startsWith(SETTINGS)) {
    const name = pathname.slice(SETTINGS.length);
    return { kind: "zone_setting", key: name, verb, id: name };
  }
  return undefined;
}

/** Whether a request concerns the URI-based overrides, which a step of the migration deletes first. */
export function isOverride({ url }: HttpRequest): boolean {
  return url.includes("/firewall/waf/overrides");
}

/**
 * Which requests each action may send: a create for a create or a replacement, and so on; the same request creates and
 * changes settings.
 */
export function isAllowed(action: string, verb: Write["verb"]): boolean {
  switch (verb) {
    case "create":
      return action === "create" || action === "replace";
    case "change":
      return action === "update" || action === "adopt" || action === "create" || action === "delete";
    case "delete":
      return action === "delete" || action === "replace";
    default:
      return verb satisfies never;
  }
}

/** Whether the zone's journal, as a power cut would leave it, has an intent for the write, in a part that can be read. */
export function hasDurableIntent(shelf: Shelf, zone: string, { kind, key }: Write): boolean {
  // A replaced pack is known by its key with its id.
  const address = key === "" ? kind : `${kind}["${key}${kind === "certificate_pack" ? "" : '"]'}`;
  const wanted = `"address":${JSON.stringify(address).slice(0, -1)}`;
  const journal = shelf.durable(zone, "journal") ?? "";
  let crc: string | undefined = "";
  for (const [index, written] of journal.split("\n").entries()) {
    const line = journalLine(written, index + 1);
    crc = verifiedCrc(line, crc);
    if (crc === undefined) return false;
    if (line.includes('"kind":"intent"') && line.includes(wanted)) return true;
  }
  return false;
}
