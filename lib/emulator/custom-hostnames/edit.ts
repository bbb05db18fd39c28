import type { Call } from "../call.ts";
import type { IssuedCertificate } from "../certificates/certificate.ts";
import { STEP_MILLISECONDS } from "../certificates/steps.ts";
import { canonical, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { install, issuingAuthority, orderCertificate, restartCertificate } from "./certificate.ts";
import { hostnameError } from "./errors.ts";
import { activate, wakeHostname } from "./hostname-steps.ts";
import { readMetadata, readOrigin, readSni } from "./input.ts";
import { isUnderHold, ownershipErrors } from "./ownership.ts";
import type { Certificate, CustomHostname } from "./custom-hostname.ts";
import { readPair, readSsl, type SslInput } from "./ssl-input.ts";

/** How long a restarted validation waits before its first check. Inferred. */
const RESTART_MILLISECONDS = 2000;

/**
 * Edits a custom hostname. Only the members that were sent change, and `ssl` counts as one unit
 * (docs/service.md#editing-a-custom-hostname). All checks come before the first change. An `ssl` that changes nothing still restarts
 * any validation that has not succeeded yet.
 */
export function editHostname(call: Call, zone: Zone, custom: CustomHostname, body: JsonObject): void {
  const name = body["hostname"];
  if (name !== undefined && name !== custom.hostname) throw hostnameError(1439);
  const sent = body["ssl"];
  const isWildcard = custom.hostname.startsWith("*.") || custom.ssl?.wildcard === true;
  const rules = {
    core: call.core,
    zone,
    hostname: custom.hostname,
    isNew: custom.ssl === null,
    brandingAtTop: false,
    isWildcard,
  };
  const ssl = sent === undefined || sent === null ? undefined : readSsl(sent, rules);
  checkBranding(call, custom, body, ssl);
  const origins = readOrigins(zone, custom, body);
  const sentMetadata = body["custom_metadata"];
  const metadata =
    sentMetadata === undefined ? custom.customMetadata : readMetadata(sentMetadata, zone, call.core.behaviour);
  Object.assign(custom, origins, { customMetadata: metadata });
  if (ssl !== undefined) applySsl(call, zone, custom, ssl);
}

/** As described, branding is set at creation only. Publicly a change of it orders a new certificate (docs/service.md#common-name). */
function checkBranding(call: Call, custom: CustomHostname, body: JsonObject, ssl: SslInput | undefined): void {
  const wanted = body["cloudflare_branding"] ?? ssl?.branding;
  const isChange = custom.ssl !== null && wanted !== undefined && wanted !== custom.ssl.branding;
  if (isChange && call.core.behaviour.brandingAtTopLevel) throw hostnameError(1439);
}

function readOrigins(
  zone: Zone,
  custom: CustomHostname,
  body: JsonObject,
): Pick<CustomHostname, "customOriginServer" | "customOriginSni"> {
  const server = body["custom_origin_server"];
  const customOriginServer = server === undefined ? custom.customOriginServer : readOrigin(server, zone);
  const sni = body["custom_origin_sni"];
  const kept = customOriginServer === null ? null : custom.customOriginSni;
  return { customOriginServer, customOriginSni: sni === undefined ? kept : readSni(sni, customOriginServer) };
}

function applySsl(call: Call, zone: Zone, custom: CustomHostname, input: SslInput): void {
  const { core, now } = call;
  restartHostname(call, zone, custom);
  const certificate = custom.ssl;
  if (certificate === null) {
    orderCertificate({ core, zone, custom }, input, now);
    return;
  }
  const isReissue = applyOrder(call, custom, certificate, input);
  const isRedeploy = applySettings(certificate, input);
  if (input.upload !== undefined) return install({ core, zone, custom }, certificate, input.upload, now);
  if (isReissue || certificate.status !== "active") return reissue(call, zone, custom, certificate, isReissue);
  if (isRedeploy) redeploy(call, zone, custom);
}

/** Stores the changes that need a new certificate, and returns whether there were any (docs/service.md#editing-a-custom-hostname). */
function applyOrder(call: Call, custom: CustomHostname, certificate: Certificate, input: SslInput): boolean {
  const before = [certificate.method, certificate.wildcard, certificate.branding, certificate.uploaded];
  certificate.method = input.method;
  certificate.chosenAuthority = input.chosenAuthority ?? certificate.chosenAuthority;
  certificate.wildcard = input.wildcard ?? certificate.wildcard;
  certificate.branding = input.branding ?? certificate.branding;
  const after = [certificate.method, certificate.wildcard, certificate.branding, false];
  if (canonical(before) !== canonical(after)) return true;
  return input.chosenAuthority !== undefined && isOtherAuthority(call, custom, certificate);
}

/** Choosing a CA orders a new certificate, unless the CA that would issue it also issued the present one. */
function isOtherAuthority(call: Call, custom: CustomHostname, certificate: Certificate): boolean {
  const decision = issuingAuthority(call.core.world, custom.hostname, certificate, call.now);
  const wanted = "authority" in decision ? decision.authority : certificate.chosenAuthority;
  return certificate.issued !== null && certificate.issued.authority !== wanted;
}

/** Stores the changes that need no new certificate but a new deployment, and returns whether there were any. Replaces settings as a whole. */
function applySettings(certificate: Certificate, input: SslInput): boolean {
  const before = canonical([certificate.settings, certificate.bundleMethod]);
  certificate.settings = input.settings ?? certificate.settings;
  certificate.bundleMethod = input.bundleMethod ?? certificate.bundleMethod;
  return canonical([certificate.settings, certificate.bundleMethod]) !== before;
}

function reissue(call: Call, zone: Zone, custom: CustomHostname, certificate: Certificate, isNewOrder: boolean): void {
  if (isNewOrder) renamePack(call, certificate);
  certificate.uploaded = false;
  certificate.csrId = null;
  restartCertificate({ core: call.core, zone, custom }, certificate, call.now);
}

/** The old pack keeps its id until the new one is live (docs/service.md#editing-a-custom-hostname). */
function renamePack(call: Call, certificate: Certificate): void {
  if (certificate.issued !== null) certificate.replacedId ??= certificate.id;
  certificate.id = call.core.ids.uuid();
}

function redeploy(call: Call, zone: Zone, custom: CustomHostname): void {
  if (custom.status !== "active") return;
  custom.status = "active_redeploying";
  wakeHostname(call.core, zone, custom, call.now + STEP_MILLISECONDS.deployment);
}

/** Restarts a hostname that is not active. A moved one whose DNS is right may be active at once (docs/service-coverage.md#choices, row 3). */
function restartHostname(call: Call, zone: Zone, custom: CustomHostname): void {
  const { core, now } = call;
  if (custom.status === "active" || custom.status === "active_redeploying") return;
  const wasMoved = custom.status === "moved";
  custom.status = "pending";
  custom.tries = 0;
  wakeHostname(core, zone, custom, now + RESTART_MILLISECONDS);
  if (!wasMoved || !core.behaviour.movedRestartsActive) return;
  const isReady = !isUnderHold(core.store, core.world, zone, custom.hostname);
  if (isReady && ownershipErrors(core.world, zone, custom).length === 0) activate(core, zone, custom);
}

/**
 * Replaces one certificate of an uploaded bundle: RSA only by RSA, ECDSA only by ECDSA (docs/service.md#custom-hostname-calls). Throws
 * 1436 for a pack or certificate that does not exist, 1439 for another key type, and the codes of uploads.
 */
export function replaceInBundle(call: Call, zone: Zone, at: BundlePlace, body: JsonObject): void {
  const { custom, certificate, old } = foundInBundle(at);
  const rules = {
    core: call.core,
    zone,
    hostname: custom.hostname,
    isNew: false,
    brandingAtTop: false,
    isWildcard: certificate.wildcard,
  };
  const fresh = readPair(body, rules);
  if (fresh.keyType !== old.keyType) throw hostnameError(1439, `Only ${old.keyType} may replace ${old.keyType}`);
  const first = certificate.issued === old ? fresh : (certificate.issued ?? fresh);
  const second = certificate.second === old ? fresh : certificate.second;
  install({ core: call.core, zone, custom }, certificate, { first, second, csrId: certificate.csrId }, call.now);
}

/** Removes one certificate from an uploaded bundle. Throws 1439 for the last one. */
export function removeFromBundle(call: Call, zone: Zone, at: BundlePlace): void {
  const { custom, certificate, old } = foundInBundle(at);
  const { issued, second, csrId } = certificate;
  if (issued === null || second === null) throw hostnameError(1439, "The last certificate of a pack cannot be deleted");
  install(
    { core: call.core, zone, custom },
    certificate,
    { first: issued === old ? second : issued, second: null, csrId },
    call.now,
  );
}

/** Where a certificate of a bundle is. */
export interface BundlePlace {
  readonly custom: CustomHostname;
  readonly packId: string;
  readonly certificateId: string;
}

function foundInBundle({ custom, packId, certificateId }: BundlePlace): {
  readonly custom: CustomHostname;
  readonly certificate: Certificate;
  readonly old: IssuedCertificate;
} {
  const certificate = custom.ssl;
  if (certificate === null || certificate.id !== packId)
    throw hostnameError(1436, "The certificate pack was not found");
  if (!certificate.uploaded) throw hostnameError(1439, "Only uploaded certificates can be replaced one by one");
  const old = [certificate.issued, certificate.second].find((one) => one?.id === certificateId);
  if (old === undefined || old === null) throw hostnameError(1436, "The certificate was not found");
  return { custom, certificate, old };
}
