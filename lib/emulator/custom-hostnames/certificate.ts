import { caaOf, issuerBy } from "../caa.ts";
import { defaultAuthorities } from "../certificates/authority.ts";
import { issueFor, USUAL_VALIDITY_DAYS } from "../certificates/issue.ts";
import type { IssuedCertificate } from "../certificates/order.ts";
import { isValidated } from "../certificates/validation.ts";
import type { Zone } from "../store.ts";
import type { World } from "../world.ts";
import { reachesZone } from "./ownership.ts";
import type { Certificate, CustomHostname } from "./record.ts";
import { bareName, challengeOf } from "./view.ts";

/** Whether the CA can see that the owner controls the name. A name that reaches the zone validates by itself, unless a wildcard. */
export function isControlShown(world: World, zone: Zone, record: CustomHostname, certificate: Certificate): boolean {
  if (zone.validation === "automatic" && !world.dns.has(record.hostname)) return true;
  const isWildcard = certificate.wildcard || record.hostname.startsWith("*.");
  if (!isWildcard && reachesZone(world, zone, record.hostname)) return true;
  return isValidated(world, challengeOf(record.hostname, certificate));
}

/** The CA that issues at a time (ms since the epoch): the chosen one, else the service's choice as far as CAA lets it. */
export function issuingAuthority(
  world: World,
  hostname: string,
  certificate: Certificate,
  at: number,
): { readonly authority: string } | { readonly refused: string } {
  const { chosenAuthority } = certificate;
  const candidates = chosenAuthority === "" ? defaultAuthorities(at) : [chosenAuthority];
  return issuerBy(world, caaOf(world), alternativeNames(hostname, certificate.wildcard), candidates);
}

/** The names in the certificate. */
export function alternativeNames(hostname: string, wildcard: boolean): string[] {
  const name = bareName(hostname);
  return wildcard ? [name, `*.${name}`] : [hostname];
}

/** A certificate for the hostname, issued at a time (ms since the epoch). */
export function issue(record: CustomHostname, order: Certificate, authority: string, at: number): IssuedCertificate {
  const hosts = alternativeNames(record.hostname, order.wildcard);
  return issueFor(order, { label: record.id, hosts, validityDays: USUAL_VALIDITY_DAYS }, authority, at);
}
