import { type Call, jsonBody, param, type Route, zoneRoute } from "../call.ts";
import { timestamp } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import { type Reply, success } from "../messages.ts";
import type { Zone } from "../store.ts";
import { packError, restartPack, setUniversal } from "./packs.ts";
import { describeCertificate } from "./pem.ts";
import { delegationOf } from "./validation.ts";
import type { CertificatePack, CertificateStatus } from "./certificate.ts";

/** The status of a certificate as `/ssl/verification` names it (docs/service.md#universal-ssl). */
const STATUSES: Partial<Record<CertificateStatus, string>> = {
  initializing: "initializing",
  pending_validation: "authorizing",
  pending_issuance: "issuing",
  pending_deployment: "pending_deployment",
  active: "active",
  pending_expiration: "active",
  expired: "expired",
};

/** `/ssl/universal/settings`, `/ssl/verification` (docs/service.md#universal-ssl), `/ssl/analyze` and `/dcv_delegation/uuid`. */
export function sslSettingRoutes(): Route[] {
  return [
    zoneRoute("GET", "/ssl/universal/settings", (_call, zone) => success({ enabled: zone.universal.enabled })),
    zoneRoute("PATCH", "/ssl/universal/settings", switchUniversal),
    zoneRoute("GET", "/ssl/verification", verifications),
    zoneRoute("PATCH", "/ssl/verification/:id", changeMethod),
    zoneRoute("POST", "/ssl/analyze", analyze),
    zoneRoute("GET", "/dcv_delegation/uuid", (_call, zone) => success({ uuid: delegationOf(zone.id) })),
  ];
}

function switchUniversal(call: Call, zone: Zone): Reply {
  const { enabled } = jsonBody(call);
  if (typeof enabled !== "boolean") throw packError(1434, "enabled must be true or false");
  setUniversal(call.core, zone, enabled, call.now);
  return success({ enabled });
}

/** `retry=true` restarts the validations that timed out. */
function verifications(call: Call, zone: Zone): Reply {
  const packs = [...zone.packs.values()].filter((pack) => pack.status !== "inactive");
  const timedOut = packs.filter((pack) => pack.status.endsWith("_timed_out"));
  if (call.query.get("retry") === "true") for (const pack of timedOut) restartPack(call.core, zone, pack, call.now);
  return success(packs.map((pack) => view(pack)));
}

function changeMethod(call: Call, zone: Zone): Reply {
  const pack = zone.packs.get(param(call, "id"));
  if (pack === undefined) throw packError(1408, "The certificate pack was not found", 404);
  const wanted = jsonBody(call)["validation_method"];
  const method = (["http", "txt", "email"] as const).find((known) => known === wanted);
  if (method === undefined) throw packError(1432, "The validation method must be http, email or txt");
  pack.method = method;
  if (pack.status !== "active") restartPack(call.core, zone, pack, call.now);
  return success({ status: STATUSES[pack.status] ?? "timing_out", validation_method: method });
}

/** What a certificate says of itself, without uploading it. The form of the answer is not published (inferred). */
function analyze(call: Call): Reply {
  const body = jsonBody(call);
  const { hosts, issuer, signature, expiresAt } = describeCertificate(body["certificate"]);
  const bundle_method = body["bundle_method"] ?? "ubiquitous";
  return success({ hosts, issuer, signature, expires_on: timestamp(expiresAt), bundle_method });
}

function view(pack: CertificatePack): JsonObject {
  return {
    brand_check: false,
    cert_pack_uuid: pack.id,
    certificate_status: STATUSES[pack.status] ?? "timing_out",
    hostname: pack.hosts[0] ?? "",
    signature: "ECDSAWithSHA256",
    validation_method: pack.method,
    verification_status: pack.status === "active",
    verification_type: "cname",
  };
}
