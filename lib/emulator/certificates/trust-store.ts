import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import { timestamp } from "../clock.ts";
import { asText, type JsonObject } from "../json.ts";
import { listPage } from "../lists.ts";
import { type Reply, ServiceError, success } from "../messages.ts";
import type { TrustedAuthority, Zone } from "../store.ts";
import { packError } from "./packs.ts";
import { describeCertificate } from "./pem.ts";
import { STEP_MILLISECONDS } from "./steps.ts";

const BASE = "/acm/custom_trust_store";

type Entry = TrustedAuthority & { readonly id: string };

/** The CAs that the zone trusts for its origins (docs/service.md#custom-certificates). */
export function trustStoreRoutes(): Route[] {
  return [
    zoneRoute("GET", BASE, list),
    zoneRoute("POST", BASE, create),
    zoneRoute("GET", `${BASE}/:id`, (call, zone) => success(view(call, found(call, zone)))),
    zoneRoute("DELETE", `${BASE}/:id`, remove),
  ];
}

function list(call: Call, zone: Zone): Reply {
  const items = Object.entries(zone.trustStore ?? {}).map(([id, entry]) => ({ id, ...entry }));
  const listed = { items, idOf: ({ id }: Entry) => id, view: (entry: Entry) => view(call, entry) };
  return listPage(call, { least: 5, most: 50, usual: 20 }, listed);
}

/** Throws 1450 without the entitlement, and 1434 for a certificate of no CA. */
function create(call: Call, zone: Zone): Reply {
  if (!zone.grants.certificateManager) throw packError(1450, "Advanced Certificate Manager is required", 403);
  const certificate = asText(jsonBody(call)["certificate"]);
  if (!describeCertificate(certificate).isAuthority) throw packError(1434, "The certificate is not one of a CA");
  const id = call.core.ids.uuid();
  const entry = { certificate, uploadedAt: call.now };
  zone.trustStore = { ...zone.trustStore, [id]: entry };
  return success(view(call, { id, ...entry }));
}

function remove(call: Call, zone: Zone): Reply {
  const { id } = found(call, zone);
  zone.trustStore = Object.fromEntries(Object.entries(zone.trustStore ?? {}).filter(([other]) => other !== id));
  return success({ id });
}

/** The code of an entry that does not exist is not published (inferred). */
function found(call: Call, zone: Zone): Entry {
  const id = param(call, "id");
  const entry = Object.hasOwn(zone.trustStore ?? {}, id) ? zone.trustStore?.[id] : undefined;
  if (entry === undefined) throw new ServiceError(404, { code: 1408, message: "The certificate was not found" });
  return { id, ...entry };
}

function view({ now }: Call, { id, certificate, uploadedAt }: Entry): JsonObject {
  const { issuer, signature, expiresAt } = describeCertificate(certificate);
  const isDeployed = now >= uploadedAt + STEP_MILLISECONDS.deployment;
  const uploaded = timestamp(uploadedAt);
  return {
    id,
    certificate,
    issuer,
    signature,
    status: now >= expiresAt ? "expired" : isDeployed ? "active" : "pending_deployment",
    expires_on: timestamp(expiresAt),
    uploaded_on: uploaded,
    updated_at: uploaded,
  };
}
