import type { Meant } from "./statuses.ts";

/** Our name for a text; the service has none. */
export type TextCode =
  | "does-not-cname"
  | "no-owned-address"
  | "token-useless"
  | "no-fallback-origin"
  | "fallback-origin-not-active"
  | "held-zone"
  | "caa-lookup-failed"
  | "caa-error"
  | "potential-risk";

/** A text that the service writes into `verification_errors` or `validation_errors`. */
export interface MeantText extends Meant {
  readonly code: TextCode;
  /** The part of the service's text that is always the same. */
  readonly text: string;
}

/**
 * The texts that say why a hostname or its certificate is not active (docs/service.md#verification-errors,
 * docs/service.md#caa). The first match wins.
 */
export const TEXTS: readonly MeantText[] = [
  {
    code: "does-not-cname",
    text: "custom hostname does not CNAME to this zone",
    cause: "the hostname's DNS does not point at the zone",
    remedy: "the customer has to set a CNAME record to the zone's fallback origin: zoneform hostname todo",
  },
  {
    code: "no-owned-address",
    text: "None of the A or AAAA records are owned by this account",
    cause: "the hostname points elsewhere, and its ownership token was not found",
    remedy: "the customer has to set the CNAME record, or first the ownership record: zoneform hostname todo",
  },
  {
    code: "token-useless",
    text: "cannot be activated with a TXT or HTTP token",
    cause: "the hostname is served by Cloudflare already, in another zone, so a token proves nothing",
    remedy: "the customer has to point the name at this zone by a CNAME record",
  },
  {
    code: "no-fallback-origin",
    text: "Zone does not have a fallback origin set",
    cause: "the zone has no fallback origin, so there is nowhere to send requests to",
    remedy: "declare fallback_origin in the zone's YAML, and apply",
  },
  {
    code: "fallback-origin-not-active",
    text: "Fallback origin is in a status of",
    cause: "the zone's fallback origin does not serve yet, or no more",
    remedy: "its name has to be a proxied A, AAAA or CNAME record of the zone",
  },
  {
    code: "held-zone",
    text: "The hostname is associated with a held zone",
    cause: "the hostname belongs to a held zone, whose hold also prevents subdomains",
    remedy: "the owner of the domain has to release the hold of the zone, then: zoneform hostname retry HOSTNAME",
  },
  {
    code: "caa-lookup-failed",
    text: "SERVFAIL looking up CAA",
    cause: "the domain's name servers do not answer the query for CAA records",
    remedy: "ask the customer to fix the domain's DNS; to see the error, query type CAA",
  },
  {
    code: "caa-error",
    text: "caa_error",
    cause: "CAA records of the domain keep the certificate authority from issuing",
    remedy:
      "the customer has to allow the CA by CAA records, issue and issuewild with flag 0; see them with a DNS query of type CAA",
  },
  {
    code: "potential-risk",
    text: "reported as potential risk",
    cause: "the CA takes the name for dangerous, or like a well-known brand",
    remedy: "choose another certificate_authority, or have the CA look at the name",
  },
];

/** What a text of the service means; undefined for an unknown text. */
export function meaningOfText(text: string): MeantText | undefined {
  const found = text.toLowerCase();
  return TEXTS.find((known) => found.includes(known.text.toLowerCase()));
}

/** Whether one of the texts has that name. */
export function saysOneOf(texts: readonly string[], code: TextCode): boolean {
  return texts.some((text) => meaningOfText(text)?.code === code);
}
