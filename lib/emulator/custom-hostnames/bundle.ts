import type { Call } from "../call.ts";
import type { IssuedCertificate } from "../certificates/order.ts";
import type { JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { hostnameError } from "./errors.ts";
import { install } from "./order.ts";
import type { Certificate, CustomHostname } from "./record.ts";
import { sslRules } from "./ssl-rules.ts";
import { readPair } from "./upload.ts";

/**
 * Replaces one certificate of an uploaded bundle: RSA only by RSA, ECDSA only by ECDSA (docs/service.md#custom-hostname-calls). Throws
 * 1436 for a hostname, pack or certificate that does not exist, 1439 for another key type, and the codes of uploads.
 */
export function replaceInBundle(call: Call, zone: Zone, at: BundlePlace, body: JsonObject): void {
  const { record, certificate, old } = foundInBundle(at);
  const about = { hostname: record.hostname, isNew: false, brandingAtTop: false, isWildcard: certificate.wildcard };
  const fresh = readPair(body, sslRules(call.core, zone, about));
  if (fresh.keyType !== old.keyType) throw hostnameError(1439, `Only ${old.keyType} may replace ${old.keyType}`);
  const first = certificate.issued === old ? fresh : (certificate.issued ?? fresh);
  const second = certificate.second === old ? fresh : certificate.second;
  install(call.core, zone, record, certificate, call.now, { first, second, csrId: certificate.csrId });
}

/** Removes one certificate from an uploaded bundle; the last one stays (1439). */
export function removeFromBundle(call: Call, zone: Zone, at: BundlePlace): void {
  const { record, certificate, old } = foundInBundle(at);
  const { issued, second, csrId } = certificate;
  if (issued === null || second === null) throw hostnameError(1439, "The last certificate of a pack cannot be deleted");
  install(call.core, zone, record, certificate, call.now, {
    first: issued === old ? second : issued,
    second: null,
    csrId,
  });
}

/** Finds the certificate. */
export interface BundlePlace {
  readonly record: CustomHostname;
  readonly packId: string;
  readonly certificateId: string;
}

function foundInBundle({ record, packId, certificateId }: BundlePlace): {
  readonly record: CustomHostname;
  readonly certificate: Certificate;
  readonly old: IssuedCertificate;
} {
  const certificate = record.ssl;
  if (certificate === null || certificate.id !== packId)
    throw hostnameError(1436, "The certificate pack was not found");
  if (!certificate.uploaded) throw hostnameError(1439, "Only uploaded certificates can be replaced one by one");
  const old = [certificate.issued, certificate.second].find((one) => one?.id === certificateId);
  if (old === undefined || old === null) throw hostnameError(1436, "The certificate was not found");
  return { record, certificate, old };
}
