import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { der, pemOf } from "../../lib/emulator/certificates/csrs.ts";

/** A certificate and its key, as PEM. */
export interface Pem {
  readonly certificate: string;
  readonly key: string;
}

/** The content of a certificate. */
interface Content {
  readonly subject: string;
  /** `O/CN` of the issuer. */
  readonly issuer: readonly [organization: string, name: string];
  readonly sans?: readonly string[];
  readonly isAuthority?: boolean;
  readonly keyType?: "rsa" | "ecdsa";
  readonly hash?: "sha256" | "sha1";
  readonly notAfter?: string;
  /** The public key of a certificate request; that of a new pair when absent. */
  readonly publicKey?: KeyObject;
}

const KEYS = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ecdsa: generateKeyPairSync("ec", { namedCurve: "prime256v1" }),
};

const ALGORITHMS = {
  rsa: { sha256: "1.2.840.113549.1.1.11", sha1: "1.2.840.113549.1.1.5" },
  ecdsa: { sha256: "1.2.840.10045.4.3.2", sha1: "1.2.840.10045.4.1" },
};

/** The issuer of Let's Encrypt's leaf certificates. */
export const R3 = ["Let's Encrypt", "R3"] as const;

/** A certificate with the given content. It is signed by its own key, because the emulator does not check signatures. */
export function certificate(content: Content): Pem {
  const { keyType = "ecdsa", hash = "sha256", notAfter = "2034-01-01T00:00:00Z" } = content;
  const pair = KEYS[keyType];
  const algorithm = der.sequence(der.oid(ALGORITHMS[keyType][hash]));
  const body = der.sequence(
    der.value(0xa0, der.integer(2)),
    der.integer(7),
    algorithm,
    nameOf([content.issuer[0], content.issuer[1]]),
    der.sequence(timeOf("2020-01-01T00:00:00Z"), timeOf(notAfter)),
    nameOf([undefined, content.subject]),
    (content.publicKey ?? pair.publicKey).export({ type: "spki", format: "der" }),
    der.value(0xa3, der.sequence(...extensionsOf(content))),
  );
  const whole = der.sequence(body, algorithm, der.bits(sign(hash, body, pair.privateKey)));
  const key = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { certificate: pemOf("CERTIFICATE", whole), key };
}

/** A leaf certificate of Let's Encrypt, with the cross-signed chain, the one that ends in its own root, or none. */
export function letsEncrypt(
  host: string,
  chain: "cross-signed" | "self-signed" | "none",
  keyType: "rsa" | "ecdsa" = "ecdsa",
): Pem {
  const leaf = certificate({ subject: host, issuer: R3, sans: [host], keyType });
  if (chain === "none") return leaf;
  const intermediate = certificate({
    subject: "R3",
    issuer: ["Internet Security Research Group", "ISRG Root X1"],
    isAuthority: true,
  });
  const root = certificate({
    subject: "ISRG Root X1",
    issuer: ["Digital Signature Trust Co.", "DST Root CA X3"],
    isAuthority: true,
  });
  const above = chain === "cross-signed" ? [intermediate, root] : [intermediate];
  return { certificate: [leaf, ...above].map((one) => one.certificate).join(""), key: leaf.key };
}

function nameOf([organization, common]: readonly [string | undefined, string]): Buffer {
  const part = (oid: string, text: string): Buffer => der.set(der.sequence(der.oid(oid), der.text(text)));
  const issued = organization ?? (common === "R3" ? R3[0] : undefined);
  return der.sequence(...(issued === undefined ? [] : [part("2.5.4.10", issued)]), part("2.5.4.3", common));
}

function timeOf(text: string): Buffer {
  return der.value(0x17, Buffer.from(`${text.slice(2).replaceAll(/[-:T]/g, "").replace("Z", "")}Z`, "ascii"));
}

function extensionsOf({ sans, isAuthority }: Content): Buffer[] {
  const names = (sans ?? []).map((name) => der.value(0x82, Buffer.from(name, "ascii")));
  const constraints = der.octets(der.sequence(der.value(0x01, Buffer.from([0xff]))));
  return [
    ...(names.length === 0 ? [] : [der.sequence(der.oid("2.5.29.17"), der.octets(der.sequence(...names)))]),
    ...(isAuthority === true ? [der.sequence(der.oid("2.5.29.19"), constraints)] : []),
  ];
}

/** The parts of a certificate request (PEM): the signed content, the signature, and the public key. */
export function readRequest(pem: string): {
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly publicKey: KeyObject;
} {
  const whole = Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ""), "base64");
  const [signed = whole, , signature = whole] = membersOf(whole);
  const [, , key = whole] = membersOf(signed);
  return {
    signed,
    // The first byte of a bit string says how many bits are unused.
    signature: contentOf(signature).subarray(1),
    publicKey: createPublicKey({ key, format: "der", type: "spki" }),
  };
}

/** The members of a DER sequence, each with its tag and length. */
function membersOf(sequence: Buffer): Buffer[] {
  const members: Buffer[] = [];
  for (let rest = contentOf(sequence); rest.length > 0;) {
    const length = rest.length - restAfter(rest).length;
    members.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return members;
}

function contentOf(value: Buffer): Buffer {
  const { header, length } = sizeOf(value);
  return value.subarray(header, header + length);
}

function restAfter(value: Buffer): Buffer {
  const { header, length } = sizeOf(value);
  return value.subarray(header + length);
}

function sizeOf(value: Buffer): { readonly header: number; readonly length: number } {
  const first = value.readUInt8(1);
  if (first < 0x80) return { header: 2, length: first };
  return { header: 2 + (first & 0x7f), length: value.readUIntBE(2, first & 0x7f) };
}
