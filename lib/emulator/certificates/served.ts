import { timestamp } from "../clock.ts";
import type { Certificate, CustomHostname } from "../custom-hostnames/custom-hostname.ts";
import { compact, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { type Chain, chainAt } from "./authority.ts";
import type { Bundling, IssuedCertificate } from "./certificate.ts";

/** A certificate of a zone, and how it is served. */
export interface ServedCertificate {
  readonly kind: "custom_hostname" | "universal" | "advanced" | "total_tls" | "custom_certificate";
  /** The hostname's id, the pack's, or the certificate's. */
  readonly id: string;
  /** The chosen CA; "" lets the service choose, and null stands for an upload. */
  readonly chosenAuthority: string | null;
  readonly bundling: Bundling;
  readonly issued: IssuedCertificate;
}

/** Every certificate of the zone that was issued or uploaded. A bundle of two key types counts as two. */
export function servedBy(zone: Zone): ServedCertificate[] {
  const packs = [...zone.packs.values()].flatMap((pack): ServedCertificate[] => {
    const { issued, chosenAuthority } = pack;
    return issued === null || pack.status === "inactive"
      ? []
      : [{ kind: pack.type, id: pack.id, chosenAuthority, bundling: "managed", issued }];
  });
  const uploads = [...zone.uploads.values()].map(({ id, bundleMethod, issued }): ServedCertificate => {
    return { kind: "custom_certificate", id, chosenAuthority: null, bundling: bundleMethod, issued };
  });
  const hostnames = zone.hostnames.all().flatMap((custom) => servedFor(custom));
  return [...packs, ...uploads, ...hostnames];
}

/** The certificates of one custom hostname. */
export function servedFor(custom: CustomHostname): ServedCertificate[] {
  const { ssl } = custom;
  if (ssl === null) return [];
  const { uploaded, chosenAuthority } = ssl;
  const bundling = uploaded ? bundlingOf(ssl) : "managed";
  return [ssl.issued, ssl.second].flatMap((issued): ServedCertificate[] => {
    const shared = { kind: "custom_hostname", id: custom.id, bundling } as const;
    return issued === null ? [] : [{ ...shared, chosenAuthority: uploaded ? null : chosenAuthority, issued }];
  });
}

/** The chain of the certificate at a time (ms since the epoch); null if it is not served then. */
export function chainOf(served: ServedCertificate, at: number): Chain | null {
  const { issued, bundling } = served;
  if (at < issued.issuedAt || at >= issued.expiresAt) return null;
  const { authority, issuedAt: since, uploadedChain: uploaded } = issued;
  return chainAt({ authority, bundling, since, uploaded }, at);
}

/** The certificate with its chain at a time, as the admin API shows it. */
export function servedView(served: ServedCertificate, at: number): JsonObject {
  const { issued } = served;
  const chain = chainOf(served, at);
  return compact({
    kind: served.kind,
    id: served.id,
    certificate_id: issued.id,
    common_name: issued.commonName,
    hosts: [...issued.hosts],
    chosen_authority: served.chosenAuthority,
    issuing_authority: issued.authority,
    bundling: served.bundling,
    issued_at: timestamp(issued.issuedAt),
    expires_at: timestamp(issued.expiresAt),
    chain:
      chain === null
        ? null
        : {
            name: chain.name,
            certificates: [...chain.certificates],
            expired: chain.isExpired,
            reaches_impacted_clients: chain.reachesImpactedClients,
          },
  });
}

function bundlingOf(ssl: Certificate): Bundling {
  const known = (["ubiquitous", "optimal", "force"] as const).find((method) => method === ssl.bundleMethod);
  return known ?? "ubiquitous";
}
