import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { hostnameError } from "../custom-hostnames/errors.ts";
import { asText, type Json } from "../json.ts";
import { authorityOfIssuer } from "./authority.ts";
import type { ChainName, IssuedCertificate } from "./certificate.ts";

/** An upload as sent: the leaf and perhaps its chain, and the private key, both as PEM. */
interface Upload {
  readonly certificate: Json | undefined;
  readonly key: Json | undefined;
  /** The private key of the CSR, as PEM. It is used if no key is sent. */
  readonly csrKey: string | undefined;
}

/** Signature algorithms by the bytes of their identifiers. */
const SIGNATURES: readonly (readonly [hex: string, name: string])[] = [
  ["06092a864886f70d010104", "MD5WithRSA"],
  ["06092a864886f70d010105", "SHA1WithRSA"],
  ["06072a8648ce3d0401", "ECDSAWithSHA1"],
  ["06092a864886f70d01010b", "SHA256WithRSA"],
  ["06082a8648ce3d040302", "ECDSAWithSHA256"],
];

/** All but the three that the documentation of 1447 lists. */
const WEAK = new Set(["MD5WithRSA", "ECDSAWithSHA1"]);

/**
 * Reads a certificate that is uploaded at a time (ms since the epoch), and gives it the id. Throws 1426 to 1429, 1444 for several
 * leaves, 1445 for none, 1447 for a weak signature, and 1441 for the chain of another certificate (docs/service.md#custom-hostname-error-codes).
 */
export function readUpload(upload: Upload, id: string, at: number): IssuedCertificate {
  if (asText(upload.certificate).trim() === "") throw hostnameError(1427);
  const all = certificatesIn(asText(upload.certificate));
  const leafs = all.filter((certificate) => !certificate.ca);
  const [leaf] = leafs;
  if (leaf === undefined) throw hostnameError(1445);
  if (leafs.length > 1) throw hostnameError(1444);
  if (!leaf.checkPrivateKey(keyOf(upload))) throw hostnameError(1429);
  const signature = signatureOf(leaf);
  if (WEAK.has(signature)) throw hostnameError(1447);
  const chain = all.filter((certificate) => certificate.ca);
  if (chain.length > 0 && !chain.some((above) => above.subject === leaf.issuer)) throw hostnameError(1441);
  return {
    id,
    authority: authorityOfIssuer(leaf.issuer),
    issuer: issuerName(leaf),
    serialNumber: leaf.serialNumber.toLowerCase(),
    signature,
    fingerprint: leaf.fingerprint256.replaceAll(":", "").toLowerCase(),
    commonName: /^CN=(.*)$/m.exec(leaf.subject)?.[1] ?? "",
    hosts: namesOf(leaf),
    keyType: leaf.publicKey.asymmetricKeyType === "rsa" ? "rsa" : "ecdsa",
    uploadedChain: chain.length === 0 ? null : chainOf(chain),
    issuedAt: at,
    expiresAt: Date.parse(leaf.validTo),
  };
}

/** What a certificate says of itself, without a key. Throws 1426 and 1427. */
export function describeCertificate(value: Json | undefined): {
  readonly hosts: string[];
  readonly issuer: string;
  readonly signature: string;
  readonly expiresAt: number;
  readonly isAuthority: boolean;
} {
  if (asText(value).trim() === "") throw hostnameError(1427);
  const all = certificatesIn(asText(value));
  const first = all.find((certificate) => !certificate.ca) ?? all[0];
  if (first === undefined) throw hostnameError(1426);
  return {
    hosts: namesOf(first),
    issuer: issuerName(first),
    signature: signatureOf(first),
    expiresAt: Date.parse(first.validTo),
    isAuthority: first.ca,
  };
}

/** Whether one of the names is the host, or a wildcard that covers it. */
export function covers(names: readonly string[], host: string): boolean {
  const [, parent = ""] = /^[^.]+\.(.*)$/.exec(host) ?? [];
  return names.includes(host) || names.includes(`*.${parent}`);
}

function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw hostnameError(1426);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw hostnameError(1426);
  }
}

function keyOf(upload: Upload): KeyObject {
  const text = asText(upload.key).trim() === "" ? (upload.csrKey ?? "") : asText(upload.key);
  try {
    return createPrivateKey(text);
  } catch {
    throw hostnameError(1428);
  }
}

function issuerName({ issuer }: X509Certificate): string {
  return /^O=(.*)$/m.exec(issuer)?.[1] ?? issuer;
}

function signatureOf(leaf: X509Certificate): string {
  const hex = leaf.raw.toString("hex");
  return SIGNATURES.find(([bytes]) => hex.includes(bytes))?.[1] ?? "SHA256WithRSA";
}

function namesOf(leaf: X509Certificate): string[] {
  const listed = [...(leaf.subjectAltName ?? "").matchAll(/DNS:([^,\s"]+)/g)].map(
    ([, name]) => name?.toLowerCase() ?? "",
  );
  return listed.length > 0 ? listed : [(/^CN=(.*)$/m.exec(leaf.subject)?.[1] ?? "").toLowerCase()];
}

/** Recognises the cross-signed chain by the root that signed its top certificate (docs/service.md#ca-chain-change). */
function chainOf(chain: readonly X509Certificate[]): ChainName {
  if (chain.some((above) => above.issuer.includes("DST Root CA X3"))) return "cross-signed";
  return chain.some((above) => above.issuer.includes("ISRG Root X1")) ? "self-signed" : "own";
}
