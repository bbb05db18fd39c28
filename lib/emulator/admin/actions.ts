import { CERTIFICATE_STATUSES, type CertificateStatus } from "../certificates/certificate.ts";
import type { Core } from "../core.ts";
import { wakeCertificate } from "../custom-hostnames/certificate.ts";
import { wakeHostname } from "../custom-hostnames/hostname-steps.ts";
import { type CustomHostname, HOSTNAME_STATUSES, type HostnameStatus } from "../custom-hostnames/custom-hostname.ts";
import { oneOf, readMembers, TEXTS } from "../input.ts";
import type { JsonObject } from "../json.ts";
import { settle } from "../lifecycle.ts";
import type { Zone } from "../store.ts";
import { type DnsAnswer, isUnder, type Traffic } from "../world.ts";

/** How long the service takes to notice that the DNS of a verified hostname changed. Inferred. */
const NOTICE_MILLISECONDS = 60_000;

/** Fields of a hostname to force, even to values that the rules would not allow. */
export interface Forced {
  readonly status?: HostnameStatus;
  readonly sslStatus?: CertificateStatus;
  readonly verificationErrors?: readonly string[];
  readonly validationErrors?: readonly string[];
}

/** Moves the clock forward, and does everything that comes due on the way. */
export function advance(core: Core, milliseconds: number): void {
  core.clock.advance(milliseconds);
  settle(core);
}

/** Sets what the outside DNS answers for a name; undefined removes the name. The service soon checks its verified hostnames again. */
export function setDns(core: Core, name: string, answer: DnsAnswer | undefined): void {
  settle(core);
  const lower = name.toLowerCase();
  if (answer === undefined) core.world.dns.delete(lower);
  else core.world.dns.set(lower, answer);
  for (const zone of core.store.zones.values()) noticeDns(core, zone, lower);
}

/** Sets what a web server in the outside world answers at a URL; undefined removes it. */
export function setHttp(core: Core, url: string, body: string | undefined): void {
  settle(core);
  if (body === undefined) core.world.http.delete(url);
  else core.world.http.set(url, body);
}

/** Sets who sends requests to a name; undefined removes it. */
export function setTraffic(core: Core, name: string, traffic: Traffic | undefined): void {
  settle(core);
  if (traffic === undefined) core.world.traffic.delete(name.toLowerCase());
  else core.world.traffic.set(name.toLowerCase(), traffic);
}

/** The hostname by its id or its name. */
export function findHostname(core: Core, zoneId: string, idOrName: string): CustomHostname | undefined {
  const hostnames = core.store.zones.get(zoneId)?.hostnames;
  return hostnames?.get(idOrName) ?? hostnames?.named(idOrName);
}

/** Forces fields. A forced status stays, because the lifecycle no longer changes it. */
export function forceHostname(core: Core, zone: Zone, custom: CustomHostname, forced: Forced): void {
  if (forced.status !== undefined) {
    custom.status = forced.status;
    wakeHostname(core, zone, custom, null);
  }
  if (forced.verificationErrors !== undefined) custom.verificationErrors = [...forced.verificationErrors];
  const { ssl } = custom;
  if (ssl === null) return;
  if (forced.sslStatus !== undefined) {
    ssl.status = forced.sslStatus;
    wakeCertificate({ core, zone, custom }, ssl, null);
  }
  if (forced.validationErrors !== undefined) ssl.validationErrors = [...forced.validationErrors];
}

/** Only verified hostnames need this, because the service keeps checking the others. A name below the hostname counts too. */
function noticeDns(core: Core, zone: Zone, name: string): void {
  const at = core.clock.now() + NOTICE_MILLISECONDS;
  for (const custom of zone.hostnames.all()) {
    const isConcerned = custom.hostname === name || isUnder(name, custom.hostname);
    if (custom.status === "active" && isConcerned) wakeHostname(core, zone, custom, at);
  }
}

/** Reads `{status, ssl_status, verification_errors, validation_errors}`; throws an InputError. */
export function readForced(body: JsonObject): Forced {
  const {
    ssl_status: sslStatus,
    verification_errors: verificationErrors,
    validation_errors: validationErrors,
    ...rest
  } = readMembers(body, "", {
    status: oneOf(HOSTNAME_STATUSES),
    ssl_status: oneOf(CERTIFICATE_STATUSES),
    verification_errors: TEXTS,
    validation_errors: TEXTS,
  });
  return {
    ...rest,
    ...(sslStatus === undefined ? {} : { sslStatus }),
    ...(verificationErrors === undefined ? {} : { verificationErrors }),
    ...(validationErrors === undefined ? {} : { validationErrors }),
  };
}
