import { createECDH, createHash } from "node:crypto";
import { der, pemOf } from "../../lib/emulator/certificates/csrs.ts";

/** The hostname with the owner's own certificate. */
export const OWN_NAME = "own.customer.net";

/** A certificate with its key, always the same for the same number. The key is a canary. */
interface OwnCertificate {
  readonly certificate: string;
  readonly key: string;
}

const EC_KEY = "1.2.840.10045.2.1";
const P256 = "1.2.840.10045.3.1.7";
const ECDSA_SHA256 = "1.2.840.10045.4.3.2";
const known = new Map<number, OwnCertificate>();

/** The hostname's certificate with this number. Nobody checks its signature, so it need not be a real one. */
export function ownCertificate(number: number): OwnCertificate {
  const made = known.get(number) ?? make(number);
  known.set(number, made);
  return made;
}

function make(number: number): OwnCertificate {
  const scalar = createHash("sha256").update(`the key of certificate ${number}`).digest();
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(scalar);
  const curve = der.sequence(der.oid(EC_KEY), der.oid(P256));
  const publicKey = der.bits(pair.getPublicKey());
  const algorithm = der.sequence(der.oid(ECDSA_SHA256));
  const name = der.sequence(der.set(der.sequence(der.oid("2.5.4.3"), der.text(OWN_NAME))));
  const alternative = der.octets(der.sequence(der.value(0x82, Buffer.from(OWN_NAME))));
  const body = der.sequence(
    der.value(0xa0, der.integer(2)),
    der.integer(7 + number),
    algorithm,
    name,
    der.sequence(der.value(0x17, Buffer.from("200101000000Z")), der.value(0x17, Buffer.from("440101000000Z"))),
    name,
    der.sequence(curve, publicKey),
    der.value(0xa3, der.sequence(der.sequence(der.oid("2.5.29.17"), alternative))),
  );
  const signature = der.bits(der.sequence(der.integer(1), der.integer(1)));
  const secret = der.sequence(der.integer(1), der.octets(scalar), der.value(0xa1, publicKey));
  return {
    certificate: pemOf("CERTIFICATE", der.sequence(body, algorithm, signature)),
    key: pemOf("PRIVATE KEY", der.sequence(der.integer(0), curve, der.octets(secret))),
  };
}

/** The environment with the certificate of this number. */
export function secretsOf(number: number): Readonly<Record<string, string>> {
  const { certificate, key } = ownCertificate(number);
  return { OWN_CERTIFICATE: certificate, OWN_KEY: key };
}

/** A shorter line may occur by chance. */
const LEAST_LENGTH = 16;

/** Texts that may occur only in requests: every line of each key, and of each certificate that is declared as a secret. */
export const CANARIES: readonly string[] = [0, 1].flatMap((number) => {
  const { certificate, key } = ownCertificate(number);
  const lines = `${certificate}\n${key}`.split("\n");
  return lines.filter((line) => line.length >= LEAST_LENGTH && !line.startsWith("-----"));
});
