import { issuerOf, USUAL_VALIDITY_DAYS } from "../certificates/authority.ts";
import { plantPack, universalTraits } from "../certificates/packs.ts";
import { deepNames, traitsOf } from "../certificates/total-tls.ts";
import type { CustomCertificate } from "../certificates/record.ts";
import type { Core } from "../core.ts";
import { asUuid, derive } from "../ids.ts";
import type { Zone } from "../store.ts";
import { timeOf } from "./plant-hostname.ts";
import type { SeedCustomCertificate, SeedPack, SeedZone } from "./shape.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Puts the zone's own certificates into it, as if they had been there for a while: universal, Total TLS, packs, uploads. */
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
