import { jsonBody, param, zoneRoute, type Call, type Route } from "../call.ts";
import {
  customCertificateView,
  deployCustomCertificate,
  readCustomCertificate,
} from "../certificates/custom-certificates.ts";
import { packError } from "../certificates/pack-input.ts";
import type { CustomCertificate } from "../certificates/uploaded.ts";
import { pageOf, success, type Reply } from "../envelope.ts";
import { isObject, type JsonObject } from "../json.ts";
import { cutList, remembering } from "../lists.ts";
import { readPage } from "../pages.ts";
import type { Zone } from "../store.ts";

const BASE = "/custom_certificates";

/** /zones/{id}/custom_certificates (docs/service.md#custom-certificates). */
export function customCertificateRoutes(): Route[] {
  const kept = (handler: (call: Call, zone: Zone) => Reply): typeof handler => remembering("uploads", lookOf, handler);
  return [
    zoneRoute("GET", BASE, list),
    zoneRoute("POST", BASE, kept(create)),
    zoneRoute("PUT", `${BASE}/prioritize`, prioritize),
    zoneRoute("GET", `${BASE}/:id`, (call, zone) => success(customCertificateView(zone.id, found(call, zone)))),
    zoneRoute("PATCH", `${BASE}/:id`, kept(edit)),
    zoneRoute("DELETE", `${BASE}/:id`, kept(remove)),
  ];
}

/** `order=priority` sorts, the highest priority first. */
function list(call: Call, zone: Zone): Reply {
  const { page, perPage } = readPage(call.query, { least: 5, most: 50, usual: 20 });
  const status = call.query.get("status");
  const items = [...zone.uploads.values()].filter((upload) => status === null || upload.status === status);
  if (call.query.get("order") === "priority") items.sort((a, b) => b.priority - a.priority);
  const view = (upload: CustomCertificate): JsonObject => customCertificateView(zone.id, upload);
  const listed = { items, idOf: (upload: CustomCertificate) => upload.id, view, history: zone.pasts.uploads };
  return pageOf({ ...cutList(call, listed, (page - 1) * perPage, perPage), page, perPage });
}

/** Publicly for Business and Enterprise only (docs/service.md#limits-by-plan); the description has no such rule. */
function create(call: Call, zone: Zone): Reply {
  const isPlanned = zone.plan === "business" || zone.plan === "enterprise";
  if (call.core.behaviour.enterpriseFeatures && !isPlanned)
    throw packError(1434, "Custom certificates need the Business or Enterprise plan", 403);
  const upload = readCustomCertificate(call.core, zone, jsonBody(call));
  deployCustomCertificate(call.core, zone, upload, call.now);
  return success(customCertificateView(zone.id, upload));
}

/** A changed `sni_custom` gets a new id, and the old one is gone (docs/service.md#custom-certificates). */
function edit(call: Call, zone: Zone): Reply {
  const present = found(call, zone);
  const upload = readCustomCertificate(call.core, zone, jsonBody(call), present);
  zone.uploads.delete(present.id);
  deployCustomCertificate(call.core, zone, upload, call.now);
  return success(customCertificateView(zone.id, upload));
}

function remove(call: Call, zone: Zone): Reply {
  const upload = found(call, zone);
  zone.uploads.delete(upload.id);
  return success({ id: upload.id });
}

/** `{certificates: [{id, priority}]}`; where two certificates cover a name, the one with the higher priority serves. */
function prioritize(call: Call, zone: Zone): Reply {
  const { certificates } = jsonBody(call);
  if (!Array.isArray(certificates)) throw packError(1400, "certificates must be a list");
  const wanted = certificates.map((entry) => readPriority(zone, entry));
  for (const { upload, priority } of wanted) upload.priority = priority;
  const sorted = [...zone.uploads.values()].sort((a, b) => b.priority - a.priority);
  return success(sorted.map((upload) => customCertificateView(zone.id, upload)));
}

function readPriority(zone: Zone, entry: unknown): { readonly upload: CustomCertificate; readonly priority: number } {
  const id = isObject(entry) ? entry["id"] : undefined;
  const priority = isObject(entry) ? entry["priority"] : undefined;
  const upload = typeof id === "string" ? zone.uploads.get(id) : undefined;
  if (upload === undefined) throw notFound();
  if (typeof priority !== "number") throw packError(1400, "a priority must be a number");
  return { upload, priority };
}

function found(call: Call, zone: Zone): CustomCertificate {
  const upload = zone.uploads.get(param(call, "id"));
  if (upload === undefined) throw notFound();
  return upload;
}

function notFound(): Error {
  return packError(1408, "The custom certificate was not found", 404);
}

function lookOf(zone: Zone, id: string): JsonObject | undefined {
  const upload = zone.uploads.get(id);
  return upload === undefined ? undefined : customCertificateView(zone.id, upload);
}
