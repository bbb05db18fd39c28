import type { CustomCsr } from "../certificates/csr.ts";
import type { IssuedCertificate } from "../certificates/order.ts";
import { covers, readUpload } from "../certificates/pem.ts";
import { isObject, type JsonObject } from "../json.ts";
import { hostnameError } from "./errors.ts";
import type { SslRules } from "./ssl-rules.ts";

/** What was uploaded: one certificate, or one of each key type. */
export interface UploadInput {
  readonly first: IssuedCertificate;
  readonly second: IssuedCertificate | null;
  readonly csrId: string | null;
}

/**
 * The owner's own certificate in `ssl`; undefined when none was sent. Throws 1426 to 1431, 1441, 1444 to 1447, and 1434
 * where uploading needs the Enterprise plan (docs/service.md#limits-by-plan) or a bundle is not of two key types.
 */
export function checkedUpload(ssl: JsonObject, rules: SslRules): UploadInput | undefined {
  const csr = csrOf(ssl, rules);
  const pairs = uploadedPairs(ssl);
  if (pairs.length === 0) return undefined;
  if (rules.behaviour.enterpriseFeatures && rules.zone.plan !== "enterprise")
    throw hostnameError(1434, "Custom certificates need the Enterprise plan");
  const [first, second = null, third] = pairs.map((pair) => readPair(pair, rules, csr));
  if (first === undefined) return undefined;
  if (third !== undefined || first.keyType === second?.keyType)
    throw hostnameError(1434, "custom_cert_bundle takes one RSA and one ECDSA certificate");
  return { first, second, csrId: csr?.id ?? null };
}

/** One certificate with its key; it has to be for the hostname (1446). */
export function readPair(pair: JsonObject, rules: SslRules, csr?: CustomCsr): IssuedCertificate {
  const { custom_certificate: certificate, custom_key: key } = pair;
  const read = readUpload({ certificate, key, csrKey: csr?.privateKey }, rules.ids.uuid(), rules.now);
  if (!covers(read.hosts, rules.hostname)) throw hostnameError(1446);
  return read;
}

function uploadedPairs(ssl: JsonObject): JsonObject[] {
  const bundle = ssl["custom_cert_bundle"];
  if (Array.isArray(bundle)) return bundle.filter(isObject);
  return ssl["custom_certificate"] === undefined && ssl["custom_key"] === undefined ? [] : [ssl];
}

/** Throws 1430 for an id of another form, 1431 for one that neither the zone nor its account has. */
function csrOf(ssl: JsonObject, rules: SslRules): CustomCsr | undefined {
  const id = ssl["custom_csr_id"];
  if (id === undefined || id === null || id === "") return undefined;
  if (typeof id !== "string" || !/^[0-9a-f-]{32,36}$/.test(id)) throw hostnameError(1430);
  const csr = rules.csrs.get(id);
  if (csr === undefined || (csr.owner !== rules.zone.id && csr.owner !== rules.zone.accountId))
    throw hostnameError(1431);
  return csr;
}
