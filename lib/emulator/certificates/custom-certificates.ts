import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import { timestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { compact, isObject, type JsonObject } from "../json.ts";
import { listPage, remembering } from "../lists.ts";
import { generalError, type Reply, success } from "../messages.ts";
import type { Zone } from "../store.ts";
import { packError } from "./packs.ts";
import { readUpload } from "./pem.ts";
import type { CustomCertificate } from "./certificate.ts";
import { STEP_MILLISECONDS } from "./steps.ts";

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

/** `order=priority` lists the highest priority first. */
function list(call: Call, zone: Zone): Reply {
  const status = call.query.get("status");
  const items = [...zone.uploads.values()].filter((upload) => status === null || upload.status === status);
  if (call.query.get("order") === "priority") items.sort((a, b) => b.priority - a.priority);
  const view = (upload: CustomCertificate): JsonObject => customCertificateView(zone.id, upload);
  const listed = { items, idOf: (upload: CustomCertificate) => upload.id, view, history: zone.histories.uploads };
  return listPage(call, { least: 5, most: 50, usual: 20 }, listed);
}

/** Publicly only Business and Enterprise may upload (docs/service.md#limits-by-plan). The description has no such rule. */
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

/** Takes `{certificates: [{id, priority}]}`, and lists the highest priority first. The emulator's edge ignores priorities. */
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

/** Throws 7003 for what is no id, and 1408 for an id that no certificate has. */
function found(call: Call, zone: Zone): CustomCertificate {
  if (!/^[0-9a-f-]{32,36}$/.test(param(call, "id"))) throw generalError(7003);
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

const BUNDLE_METHODS = ["ubiquitous", "optimal", "force"] as const;

/** The uploaded certificate in a body. An absent member keeps its present value, or takes its default. Throws 1426 to 1449. */
function readCustomCertificate(
  core: Core,
  zone: Zone,
  body: JsonObject,
  present?: CustomCertificate,
): CustomCertificate {
  const at = core.clock.now();
  const isNew = present === undefined || body["certificate"] !== undefined;
  const csrId = textIn(body, "custom_csr_id") ?? present?.csrId ?? null;
  const issued = isNew ? readIssued(core, zone, body, csrId) : { ...present.issued, issuedAt: at };
  const bundle = body["bundle_method"] ?? present?.bundleMethod ?? "ubiquitous";
  const bundleMethod = BUNDLE_METHODS.find((known) => known === bundle);
  if (bundleMethod === undefined) throw packError(1449, "bundle_method must be ubiquitous, optimal or force");
  const type = present?.type ?? (body["type"] === "sni_custom" ? "sni_custom" : "legacy_custom");
  const geo = body["geo_restrictions"];
  return {
    id: present?.type === "legacy_custom" ? present.id : core.ids.uuid(),
    type,
    bundleMethod,
    geo: isObject(geo) ? (textIn(geo, "label") ?? null) : (present?.geo ?? null),
    policy: textIn(body, "policy") ?? present?.policy ?? null,
    priority: present?.priority ?? 0,
    status: "pending",
    csrId,
    issued,
    uploadedAt: present?.uploadedAt ?? at,
    modifiedAt: at,
    dueAt: null,
  };
}

/** Stores the certificate, which replaces one with the same id, and begins to deploy it. */
function deployCustomCertificate(core: Core, zone: Zone, upload: CustomCertificate, at: number): void {
  zone.uploads.set(upload.id, upload);
  wake(core, zone, upload, at + STEP_MILLISECONDS.deployment);
}

/** Takes the certificate's next step when it is due: active once deployed, and expired at its end. */
export function stepCustomCertificate(core: Core, zone: Zone, upload: CustomCertificate, at: number): void {
  upload.status = at >= upload.issued.expiresAt ? "expired" : "active";
  wake(core, zone, upload, upload.status === "expired" ? null : upload.issued.expiresAt);
}

/** The certificate as the API shows it (docs/service.md#custom-certificates). */
function customCertificateView(zoneId: string, upload: CustomCertificate): JsonObject {
  const { issued } = upload;
  return compact({
    id: upload.id,
    type: upload.type,
    hosts: [...issued.hosts],
    issuer: issued.issuer,
    signature: issued.signature,
    status: upload.status,
    bundle_method: upload.bundleMethod,
    geo_restrictions: upload.geo === null ? undefined : { label: upload.geo },
    policy_restrictions: upload.policy ?? undefined,
    custom_csr_id: upload.csrId ?? undefined,
    zone_id: zoneId,
    uploaded_on: timestamp(upload.uploadedAt),
    modified_on: timestamp(upload.modifiedAt),
    expires_on: timestamp(issued.expiresAt),
    priority: upload.priority,
  });
}

function readIssued(core: Core, zone: Zone, body: JsonObject, csrId: string | null): CustomCertificate["issued"] {
  const csr = csrId === null ? undefined : core.store.csrs.get(csrId);
  if (csrId !== null && csr?.owner !== zone.id && csr?.owner !== zone.accountId)
    throw packError(1431, "The custom CSR could not be found", 404);
  const upload = { certificate: body["certificate"], key: body["private_key"], csrKey: csr?.privateKey };
  return readUpload(upload, core.ids.uuid(), core.clock.now());
}

function wake(core: Core, zone: Zone, upload: CustomCertificate, at: number | null): void {
  upload.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "upload", zoneId: zone.id, id: upload.id });
}

function textIn(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
