import { LEGACY_AUTHORITY } from "./authority.ts";
import { CROSS_SIGNED_EXPIRES, CROSS_SIGNED_STOPS } from "./dates.ts";

/** Which chain a certificate is served with; `own` is the one chain of a CA that has only one. */
export type ChainName = "cross-signed" | "self-signed" | "own";

/** Who decides the chain of a certificate: the service, or one of the bundle methods of uploads. */
export type Bundling = "managed" | "ubiquitous" | "optimal" | "force";

/** What decides about the chain. */
export interface Chained {
  /** The CA that issued. */
  readonly authority: string;
  readonly bundling: Bundling;
  /** When it was issued, or uploaded; in milliseconds since the epoch. */
  readonly since: number;
  /** The chain that came with an upload; null when it came without one. */
  readonly uploaded: ChainName | null;
}

/** A chain as served: the certificates above the leaf, and what clients make of it. */
export interface Chain {
  readonly name: ChainName;
  /** Common names from the leaf's issuer upwards. */
  readonly certificates: readonly string[];
  /** Part of it has expired. */
  readonly isExpired: boolean;
  /** Clients that know only the old root can verify it. */
  readonly reachesImpactedClients: boolean;
}

/**
 * The chain at a date (ms since the epoch) (docs/service.md#ca-chain-change): what the legacy-chain CA issued (or was uploaded
 * as compatible or modern) before 2024-09-09 keeps the cross-signed chain until that expires, and has the self-signed root
 * afterwards, as has everything newer. A user-defined upload is served as it came.
 */
export function chainAt(certificate: Chained, at: number): Chain {
  const name = nameAt(certificate, at);
  const isExpired = name === "cross-signed" && at >= CROSS_SIGNED_EXPIRES;
  const isLegacy = certificate.authority === LEGACY_AUTHORITY;
  return {
    name,
    certificates: isLegacy ? LEGACY_CHAINS[name] : [`${certificate.authority} root`],
    isExpired,
    reachesImpactedClients: !isLegacy || (name === "cross-signed" && !isExpired),
  };
}

const LEGACY_CHAINS: Readonly<Record<ChainName, readonly string[]>> = {
  "cross-signed": ["R3", "ISRG Root X1 (cross-signed by DST Root CA X3)"],
  "self-signed": ["R3", "ISRG Root X1"],
  own: ["R3"],
};

function nameAt(certificate: Chained, at: number): ChainName {
  if (certificate.bundling === "force") return certificate.uploaded ?? "own";
  if (certificate.authority !== LEGACY_AUTHORITY) return "own";
  const isKept = certificate.since < CROSS_SIGNED_STOPS && at < CROSS_SIGNED_EXPIRES;
  return isKept ? "cross-signed" : "self-signed";
}
