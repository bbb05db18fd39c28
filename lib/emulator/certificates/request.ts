import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { der, pemOf } from "./der.ts";

/** A part of the subject that a caller may set. */
export type SubjectPart = "CN" | "C" | "L" | "ST" | "O" | "OU";

/** Whose certificate is requested: the parts of the subject by their X.500 names, and the names in it. */
export interface Subject {
  readonly parts: readonly (readonly [SubjectPart, string])[];
  readonly sans: readonly string[];
}

/** A certificate signing request with its key, both as PEM. */
export interface SigningRequest {
  readonly request: string;
  readonly privateKey: string;
}

const SUBJECT_OIDS: Readonly<Record<SubjectPart, string>> = {
  CN: "2.5.4.3",
  C: "2.5.4.6",
  L: "2.5.4.7",
  ST: "2.5.4.8",
  O: "2.5.4.10",
  OU: "2.5.4.11",
};

const ALGORITHMS = { rsa2048: "1.2.840.113549.1.1.11", p256v1: "1.2.840.10045.4.3.2" } as const;

/** Makes a key pair and a request for it (PKCS #10). */
export function requestCertificate(keyType: "rsa2048" | "p256v1", subject: Subject): SigningRequest {
  const pair = newPair(keyType);
  const content = der.sequence(
    der.integer(0),
    der.sequence(...subject.parts.map(([name, value]) => namePart(name, value))),
    pair.publicKey.export({ type: "spki", format: "der" }),
    der.value(0xa0, requestedNames(subject.sans)),
  );
  const algorithm = der.sequence(der.oid(ALGORITHMS[keyType]), ...(keyType === "rsa2048" ? [der.value(0x05)] : []));
  const signature = der.bits(sign("sha256", content, pair.privateKey));
  return {
    request: pemOf("CERTIFICATE REQUEST", der.sequence(content, algorithm, signature)),
    privateKey: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function newPair(keyType: "rsa2048" | "p256v1"): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  if (keyType === "rsa2048") return generateKeyPairSync("rsa", { modulusLength: 2048 });
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function namePart(name: SubjectPart, value: string): Buffer {
  return der.set(der.sequence(der.oid(SUBJECT_OIDS[name]), der.text(value)));
}

/** The attribute extensionRequest, with the one extension subjectAltName. */
function requestedNames(sans: readonly string[]): Buffer {
  const names = der.sequence(...sans.map((name) => der.value(0x82, Buffer.from(name, "ascii"))));
  const extension = der.sequence(der.oid("2.5.29.17"), der.octets(names));
  return der.sequence(der.oid("1.2.840.113549.1.9.14"), der.set(der.sequence(extension)));
}
