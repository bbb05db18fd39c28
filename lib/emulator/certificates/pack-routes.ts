import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import type { CustomHostname } from "../custom-hostnames/custom-hostname.ts";
import { managedPackView, replacedPackView } from "../custom-hostnames/view.ts";
import { pageOf, type Reply, ServiceError, success } from "../messages.ts";
import type { JsonObject } from "../json.ts";
import { cutList, readPage, remembering } from "../lists.ts";
import type { Zone } from "../store.ts";
import { packView } from "./pack-view.ts";
import { asksForBranding, deletePack, orderPack, packError, readPack, restartPack } from "./packs.ts";
import type { CertificatePack, CertificateStatus } from "./certificate.ts";

const BASE = "/ssl/certificate_packs";

/** A pack of the zone itself, or the hostname whose certificate the API shows as a pack. */
type Entry = CertificatePack | CustomHostname | Replaced;

/** The pack of a hostname that serves until its replacement is live. */
interface Replaced {
  readonly replaced: CustomHostname;
}

/** /zones/{id}/ssl/certificate_packs (docs/service.md#certificate-packs). */
export function certificatePackRoutes(): Route[] {
  const kept = (handler: (call: Call, zone: Zone) => Reply): typeof handler => remembering("packs", lookOf, handler);
  return [
    zoneRoute("GET", BASE, list),
    zoneRoute("POST", `${BASE}/order`, kept(order)),
    zoneRoute("GET", `${BASE}/quota`, (_call, zone) => quota(zone)),
    zoneRoute("GET", `${BASE}/:id`, (call, zone) => success(viewOf(zone, found(zone, param(call, "id"))))),
    zoneRoute("PATCH", `${BASE}/:id`, kept(edit)),
    zoneRoute("DELETE", `${BASE}/:id`, kept(remove)),
  ];
}

/** Lists only active packs unless `status=all`. The emulator never has staged packs. */
function list(call: Call, zone: Zone): Reply {
  const { page, perPage } = readPage(call.query, { least: 5, most: 50, usual: 20 });
  const isAll = call.query.get("status") === "all";
  if (call.query.get("deploy") === "staging") return pageOf({ items: [], total: 0, page, perPage });
  const from = (page - 1) * perPage;
  const view = (entry: Entry): JsonObject => viewOf(zone, entry);
  if (call.fault === undefined) {
    const { entries, total } = entriesOf(zone, isAll, from, perPage);
    return pageOf({ items: entries.map(view), total, page, perPage });
  }
  const items = entriesOf(zone, isAll, 0, Infinity).entries;
  return pageOf({
    ...cutList(call, { items, idOf, view, history: zone.histories.packs }, from, perPage),
    page,
    perPage,
  });
}

/** One page of the packs, and how many there are. It passes over the hostnames once, and builds only the packs of the page. */
function entriesOf(
  zone: Zone,
  isAll: boolean,
  from: number,
  length: number,
): { readonly entries: Entry[]; readonly total: number } {
  const entries: Entry[] = [];
  let total = 0;
  const isNext = (): boolean => {
    total += 1;
    return total > from && total <= from + length;
  };
  for (const pack of zone.packs.values()) if (isShown(pack.status, isAll) && isNext()) entries.push(pack);
  for (const custom of zone.hostnames.all()) {
    const { ssl } = custom;
    if (ssl === null) continue;
    if (isShown(ssl.status, isAll) && isNext()) entries.push(custom);
    if (isAll && ssl.replacedId !== null && isNext()) entries.push({ replaced: custom });
  }
  return { entries, total };
}

function isShown(status: CertificateStatus, isAll: boolean): boolean {
  return isAll || status === "active" || status === "pending_expiration";
}

function order(call: Call, zone: Zone): Reply {
  const { certificateManager, certificatePacks } = zone.grants;
  if (!certificateManager) throw packError(1450, "Advanced Certificate Manager is required", 403);
  const { authority, ...input } = readPack(zone, jsonBody(call));
  if (advancedOf(zone) >= certificatePacks) throw packError(1405, "The quota of certificate packs is used up", 403);
  const traits = { type: "advanced", ...input, chosenAuthority: authority } as const;
  return success(packView(zone.id, orderPack(call.core, zone, traits, call.now)));
}

function quota(zone: Zone): Reply {
  const { certificateManager, certificatePacks } = zone.grants;
  return success({ advanced: { allocated: certificateManager ? certificatePacks : 0, used: advancedOf(zone) } });
}

function advancedOf(zone: Zone): number {
  return [...zone.packs.values()].filter((pack) => pack.type === "advanced").length;
}

/** Restarts a validation that timed out, or adds branding, which needs a new certificate. Anything else has no effect. */
function edit(call: Call, zone: Zone): Reply {
  const pack = ownPack(zone, param(call, "id"));
  if (pack.status === "pending_deletion") throw notFound();
  const isBranded = asksForBranding(call.body === undefined || call.body === "" ? {} : jsonBody(call));
  const isRestart = pack.status.endsWith("_timed_out");
  const isReissue = isBranded && !pack.branding;
  if (isReissue) pack.branding = true;
  if (isRestart || isReissue) restartPack(call.core, zone, pack, call.now);
  return success(packView(zone.id, pack));
}

function remove(call: Call, zone: Zone): Reply {
  const pack = ownPack(zone, param(call, "id"));
  if (pack.type !== "advanced") throw packError(1439, "Only advanced certificate packs can be deleted", 409);
  deletePack(call.core, zone, pack, call.now);
  return success({ id: pack.id });
}

/** A pack of the zone itself. Throws 1439 for a hostname's pack, which changes only through the hostname. */
function ownPack(zone: Zone, id: string): CertificatePack {
  const entry = found(zone, id);
  const pack = zone.packs.get(id);
  if (pack === undefined)
    throw packError(1439, `The certificate pack ${idOf(entry)} belongs to a custom hostname`, 409);
  return pack;
}

/** Throws 7003 for a malformed id, and 1408 for an id that no pack has (docs/service.md#certificate-packs). */
function found(zone: Zone, id: string): Entry {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new ServiceError(400, { code: 7003, message: "Invalid object identifier" });
  const entry = zone.packs.get(id) ?? managedBy(zone, id);
  if (entry === undefined) throw notFound();
  return entry;
}

function managedBy(zone: Zone, id: string): Entry | undefined {
  const custom = zone.hostnames.all().find(({ ssl }) => ssl?.id === id || ssl?.replacedId === id);
  return custom === undefined || custom.ssl?.id === id ? custom : { replaced: custom };
}

function notFound(): ServiceError {
  return packError(1408, "The certificate pack was not found", 404);
}

function idOf(entry: Entry): string {
  if ("replaced" in entry) return entry.replaced.ssl?.replacedId ?? "";
  return "ownershipToken" in entry ? (entry.ssl?.id ?? "") : entry.id;
}

function viewOf(zone: Zone, entry: Entry): JsonObject {
  const custom = "replaced" in entry ? entry.replaced : entry;
  if (!("ownershipToken" in custom)) return packView(zone.id, custom);
  if (custom.ssl === null) return {};
  return "replaced" in entry
    ? replacedPackView(zone.id, custom, custom.ssl)
    : managedPackView(zone.id, custom, custom.ssl);
}

function lookOf(zone: Zone, id: string): JsonObject | undefined {
  const pack = zone.packs.get(id);
  return pack === undefined ? undefined : packView(zone.id, pack);
}
