import { defaultAuthorities, issueFor, USUAL_VALIDITY_DAYS } from "../certificates/authority.ts";
import type { IssuedCertificate } from "../certificates/certificate.ts";
import { type OrderOwner, STEP_MILLISECONDS, stepOrder } from "../certificates/steps.ts";
import { delegationOf, isValidated } from "../certificates/validation.ts";
import type { Core } from "../core.ts";
import type { Zone } from "../store.ts";
import { caaOf, issuerBy, type World } from "../world.ts";
import { reachesZone } from "./ownership.ts";
import type { Certificate, CustomHostname } from "./custom-hostname.ts";
import type { SslInput, UploadInput } from "./ssl-input.ts";
import { alternativeNames, challengeOf } from "./view.ts";

/** A hostname, with its zone and the service. */
interface Owner {
  readonly core: Core;
  readonly zone: Zone;
  readonly custom: CustomHostname;
}

/** Orders the first certificate of a hostname, at a time (ms since the epoch). */
export function orderCertificate(owner: Owner, input: SslInput, at: number): void {
  const certificate = newCertificate(owner.core, owner.zone, input);
  owner.custom.ssl = certificate;
  if (input.upload === undefined) restartCertificate(owner, certificate, at);
  else install(owner, certificate, input.upload, at);
}

/** An order that has not started yet. */
export function newCertificate(core: Core, zone: Zone, input: SslInput): Certificate {
  return {
    id: core.ids.uuid(),
    method: input.method,
    chosenAuthority: input.chosenAuthority ?? "",
    wildcard: input.wildcard ?? false,
    branding: input.branding ?? false,
    bundleMethod: input.bundleMethod ?? "ubiquitous",
    settings: input.settings ?? {},
    uploaded: false,
    csrId: null,
    second: null,
    replacedId: null,
    delegation: delegationOf(zone.id),
    status: "initializing",
    validationErrors: [],
    challenge: core.ids.hex(16),
    tries: 0,
    dueAt: null,
    issued: null,
    generation: 0,
  };
}

/** Restarts validation with new records, and counts the tries anew. The serving certificate stays. */
export function restartCertificate(owner: Owner, certificate: Certificate, at: number): void {
  certificate.status = "initializing";
  certificate.validationErrors = [];
  certificate.challenge = owner.core.ids.hex(16);
  certificate.tries = 0;
  wakeCertificate(owner, certificate, at + STEP_MILLISECONDS.initializing);
}

/** An uploaded certificate needs no validation: it goes straight to deployment (docs/service.md#editing-a-custom-hostname). */
export function install(owner: Owner, certificate: Certificate, upload: UploadInput, at: number): void {
  certificate.uploaded = true;
  certificate.csrId = upload.csrId;
  certificate.issued = upload.first;
  certificate.second = upload.second;
  certificate.validationErrors = [];
  certificate.status = "pending_deployment";
  wakeCertificate(owner, certificate, at + STEP_MILLISECONDS.deployment);
}

/** Takes the next step of a hostname's certificate when it is due (docs/service.md#certificate-lifecycle). */
export function stepCertificate(owner: Owner, certificate: Certificate, at: number): void {
  const { core, zone, custom } = owner;
  const orderOwner: OrderOwner = {
    isControlShown: () => isControlShown(core.world, zone, custom, certificate),
    authority: (at) => issuingAuthority(core.world, custom.hostname, certificate, at),
    issue: (authority, at) => {
      certificate.second = null;
      return issue(custom, certificate, authority, at);
    },
    isLive: () => custom.status === "active",
    isUploaded: () => certificate.uploaded,
    wake: (at) => wakeCertificate(owner, certificate, at),
    deployed: () => {
      certificate.replacedId = null;
    },
  };
  stepOrder(certificate, orderOwner, at);
}

/** Whether the CA can see that the owner controls the name. A name that points at the zone needs no records, unless it is a wildcard. */
function isControlShown(world: World, zone: Zone, custom: CustomHostname, certificate: Certificate): boolean {
  if (zone.validation === "automatic" && !world.dns.has(custom.hostname)) return true;
  const isWildcard = certificate.wildcard || custom.hostname.startsWith("*.");
  if (!isWildcard && reachesZone(world, zone, custom.hostname)) return true;
  return isValidated(world, challengeOf(custom.hostname, certificate));
}

/** The CA that would issue at a time (ms since the epoch): the chosen one, or else the service's first choice that CAA allows. */
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

/** Issues a certificate for the hostname at a time (ms since the epoch). */
export function issue(custom: CustomHostname, order: Certificate, authority: string, at: number): IssuedCertificate {
  const hosts = alternativeNames(custom.hostname, order.wildcard);
  return issueFor(order, { label: custom.id, hosts, validityDays: USUAL_VALIDITY_DAYS }, authority, at);
}

/** Sets when the hostname's certificate next changes (ms since the epoch); null if it waits for nothing. */
export function wakeCertificate({ core, zone, custom }: Owner, certificate: Certificate, at: number | null): void {
  certificate.dueAt = at;
  if (at !== null) core.timers.set({ at, kind: "certificate", zoneId: zone.id, id: custom.id });
}
