import { defaultAuthorities, issuerOf, USUAL_VALIDITY_DAYS } from "../certificates/authority.ts";
import { plantPack, universalTraits } from "../certificates/packs.ts";
import type { CustomCertificate } from "../certificates/certificate.ts";
import { nextLook, STEP_MILLISECONDS, waitBeforeTry } from "../certificates/steps.ts";
import { deepNames, traitsOf } from "../certificates/total-tls.ts";
import type { Core } from "../core.ts";
import { install, issue, newCertificate } from "../custom-hostnames/certificate.ts";
import { UNKNOWN_TEXT } from "../custom-hostnames/ownership.ts";
import type { Certificate, CustomHostname } from "../custom-hostnames/custom-hostname.ts";
import { MOVED_RETENTION_MILLISECONDS } from "../custom-hostnames/hostname-steps.ts";
import { readSsl } from "../custom-hostnames/ssl-input.ts";
import { asUuid, derive } from "../ids.ts";
import { InputError } from "../input.ts";
import type { JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import type { SeedCustomCertificate, SeedHostname, SeedPack, SeedZone } from "./shape.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Puts the seed's certificates into the zone, as if they had been there for a while: universal, Total TLS, packs and uploads. */
export function plantCertificates(core: Core, zone: Zone, seed: SeedZone): void {
  const now = core.clock.now();
  const { universal } = seed;
  if (zone.universal.enabled) plantPack(zone, "universal", universalTraits(zone), universal?.issued_by, now);
  if (zone.totalTls.enabled)
    for (const host of deepNames(zone)) plantPack(zone, host, traitsOf(host, zone.totalTls.authority), undefined, now);
  for (const [index, pack] of (seed.certificate_packs ?? []).entries()) plantAdvanced(zone, pack, index, now);
  for (const [index, upload] of (seed.custom_certificates ?? []).entries()) plantUpload(zone, upload, index, now);
}

function plantAdvanced(zone: Zone, seed: SeedPack, index: number, now: number): void {
  const traits = {
    type: "advanced",
    hosts: seed.hosts ?? [zone.name, `*.${zone.name}`],
    method: "txt",
    validityDays: seed.validity_days ?? USUAL_VALIDITY_DAYS,
    chosenAuthority: seed.certificate_authority ?? "google",
    branding: false,
  } as const;
  plantPack(zone, `advanced ${index}`, traits, undefined, timeOf(seed.issued_at, now));
}

function plantUpload(zone: Zone, seed: SeedCustomCertificate, index: number, now: number): void {
  const at = timeOf(seed.uploaded_at, now);
  const label = derive(`upload ${zone.id} ${index}`);
  const { hosts = [], certificate_authority: authority = "lets_encrypt" } = seed;
  const upload: CustomCertificate = {
    id: asUuid(label),
    type: seed.type ?? "legacy_custom",
    bundleMethod: seed.bundle_method ?? "ubiquitous",
    geo: null,
    policy: null,
    priority: index + 1,
    status: "active",
    csrId: null,
    issued: {
      id: asUuid(label.slice(32)),
      authority,
      issuer: issuerOf(authority),
      serialNumber: label.slice(0, 32),
      signature: "SHA256WithRSA",
      fingerprint: derive(label),
      commonName: hosts[0] ?? zone.name,
      hosts,
      keyType: "rsa",
      uploadedChain: seed.chain ?? "own",
      issuedAt: at,
      expiresAt: timeOf(seed.expires_at, at + USUAL_VALIDITY_DAYS * DAY_MILLISECONDS),
    },
    uploadedAt: at,
    modifiedAt: at,
    dueAt: null,
  };
  upload.dueAt = upload.issued.expiresAt;
  zone.uploads.set(upload.id, upload);
}

const USUAL_SSL: JsonObject = { method: "http", type: "dv" };

/** Puts a hostname into the zone, as if it had been there for a while. Its timers are set after the whole seed is planted. */
export function plantHostname(core: Core, zone: Zone, seed: SeedHostname): void {
  const hostname = seed.hostname.toLowerCase();
  if (zone.hostnames.named(hostname) !== undefined)
    throw new InputError({ at: "", problem: `${hostname} appears twice`, remedy: "remove one of the two" });
  const now = core.clock.now();
  const status = seed.status ?? "active";
  const custom: CustomHostname = {
    id: seed.id ?? core.ids.uuid(),
    hostname,
    createdAt: now,
    status,
    verificationErrors: status === "active" ? [] : [UNKNOWN_TEXT],
    ownershipToken: core.ids.uuid(),
    tries: 0,
    dueAt: firstStep(status, now),
    pointed: status === "active",
    ssl: null,
    customOriginServer: seed.custom_origin_server ?? null,
    customOriginSni: null,
    customMetadata: seed.custom_metadata ?? null,
  };
  if (seed.ssl !== null) plantCertificate(core, zone, custom, seed);
  zone.hostnames.add(custom);
}

function firstStep(status: "active" | "pending" | "moved", now: number): number | null {
  if (status === "active") return null;
  return now + (status === "moved" ? MOVED_RETENTION_MILLISECONDS : waitBeforeTry(0));
}

function plantCertificate(core: Core, zone: Zone, custom: CustomHostname, seed: SeedHostname): void {
  const { hostname } = custom;
  const rules = { core, zone, hostname, isNew: true, brandingAtTop: false, isWildcard: hostname.startsWith("*.") };
  const input = readSsl({ ...USUAL_SSL, ...seed.ssl }, rules);
  const now = core.clock.now();
  const certificate = newCertificate(core, zone, input);
  custom.ssl = certificate;
  if (input.upload !== undefined) return install({ core, zone, custom }, certificate, input.upload, now);
  certificate.dueAt = now + STEP_MILLISECONDS.initializing;
  if (custom.status !== "pending") plantIssued(custom, certificate, seed.issued_by, timeOf(seed.issued_at, now));
}

/** Issues the certificate in the past, by the given CA or else by the one that would have issued it then. What came due since is done later. */
function plantIssued(
  custom: CustomHostname,
  certificate: Certificate,
  authority: string | undefined,
  at: number,
): void {
  const usual = certificate.chosenAuthority === "" ? defaultAuthorities(at)[0] : certificate.chosenAuthority;
  certificate.issued = issue(custom, certificate, authority ?? usual, at);
  certificate.status = "active";
  certificate.dueAt = nextLook(certificate, false, at);
}

/** A time in the seed (ISO 8601); now when absent. */
function timeOf(text: string | undefined, now: number): number {
  return text === undefined ? now : Date.parse(text);
}
