import { timestamp } from "../clock.ts";
import type { Core } from "../core.ts";
import { compact, isObject, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { packError } from "./pack-input.ts";
import { readUpload } from "./pem.ts";
import { STEP_MILLISECONDS } from "./steps.ts";
import type { CustomCertificate } from "./uploaded.ts";

const BUNDLE_METHODS = ["ubiquitous", "optimal", "force"] as const;

/** Reads what a body uploads, at the present time; members that are absent come from the certificate as it is. Throws 1426 to 1449. */
export function readCustomCertificate(
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
    priority: present?.priority ?? zone.uploads.size + 1,
    status: "pending",
    csrId,
    issued,
    uploadedAt: present?.uploadedAt ?? at,
    modifiedAt: at,
    dueAt: null,
  };
}

/** Puts the certificate into the zone, to be deployed. One with the id of another takes its place. */
export function deployCustomCertificate(core: Core, zone: Zone, upload: CustomCertificate, at: number): void {
  zone.uploads.set(upload.id, upload);
  wake(core, zone, upload, at + STEP_MILLISECONDS.deployment);
}

/** The certificate's next step, when it is due: active once deployed, expired at its end. */
export function stepCustomCertificate(core: Core, zone: Zone, upload: CustomCertificate, at: number): void {
  upload.status = at >= upload.issued.expiresAt ? "expired" : "active";
  wake(core, zone, upload, upload.status === "expired" ? null : upload.issued.expiresAt);
}

/** The certificate as the API shows it (docs/service.md#custom-certificates). */
export function customCertificateView(zoneId: string, upload: CustomCertificate): JsonObject {
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
