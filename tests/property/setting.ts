import fc from "fast-check";
import type { BehaviourName, SeedZone } from "../../lib/emulator.ts";

/** What a zone may do: its subscription, and the service's behaviour. */
export interface Setting {
  readonly plan: NonNullable<SeedZone["plan"]>;
  readonly behaviour: BehaviourName;
  /** Wildcards, metadata, uploads and a chosen CA: as published only for Enterprise. */
  readonly hasFeatures: boolean;
  /** Ciphers exclude TLS 1.3 as the minimum version (1443), so a zone uses one or the other. */
  readonly hasCiphers: boolean;
  /** Zones with hostnames without any certificate are a case of their own. */
  readonly hasSsl: boolean;
}

/** Every subscription under both behaviours. */
export const setting: fc.Arbitrary<Setting> = fc
  .record({
    plan: fc.constantFrom("free" as const, "pro" as const, "business" as const, "enterprise" as const),
    behaviour: fc.constantFrom("described" as const, "public" as const),
    hasCiphers: fc.boolean(),
    hasSsl: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  })
  .map((drawn) => ({ ...drawn, hasFeatures: drawn.behaviour === "described" || drawn.plan === "enterprise" }));

/** The names that all configurations draw from: few, so that any two configurations overlap. */
export interface NamedHostname {
  readonly hostname: string;
  readonly isWildcard?: true;
  /** Longer than a common name: needs branding. */
  readonly isLong?: true;
  readonly isUploaded?: true;
}

const ANYWHERE: readonly NamedHostname[] = [
  { hostname: "app.alpha.net" },
  { hostname: "shop.beta.org" },
  { hostname: "www.gamma.co.uk" },
  // No punycode: a configuration may choose Google for all names, and Google issues none for it.
  { hostname: "buecher.delta.com" },
  { hostname: "deep.down.in.epsilon.net" },
  { hostname: "n0.zeta.net" },
  { hostname: `${"a-rather-long-name-of-a-customer.".repeat(2)}eta.net`, isLong: true },
];

const WITH_FEATURES: readonly NamedHostname[] = [
  { hostname: "*.theta.net", isWildcard: true },
  { hostname: "tenants.iota.net", isWildcard: true },
  { hostname: "one.uploaded.net", isUploaded: true },
  { hostname: "two.uploaded.net", isUploaded: true },
];

/** The names that a zone with this setting may have. */
export function namesOf({ hasFeatures, hasSsl }: Setting): readonly NamedHostname[] {
  const isPossible = ({ hostname, isUploaded }: NamedHostname): boolean =>
    hasSsl || (isUploaded !== true && (hostname.startsWith("*.") || hostname !== "tenants.iota.net"));
  return [...ANYWHERE, ...(hasFeatures ? WITH_FEATURES : [])].filter(isPossible);
}
