import { problem } from "./codes.ts";
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { objects } from "../../core/decode.ts";
import { isList, isObject, type Json, type JsonObject, type Path } from "../../core/json.ts";
import { isSecretReference, type Secret, type SecretReference } from "../../core/secret.ts";
import type { SpecProblem } from "../traits/declared.ts";

/** Returns a secret if it is available, or undefined. */
export type SecretAtHand = (reference: SecretReference) => Secret | undefined;

/** A remark about a certificate that is valid YAML and that the service accepts, but visitors may not. */
export type UploadRemark = Omit<SpecProblem, "onlyNew">;

/** How many names a message lists. */
const NAMED = 5;

/**
 * What the service would refuse about an uploaded certificate, found before anything is sent: its names, key and chain.
 * Secrets that are not available are skipped. No message contains any part of a secret.
 */
export function uploadProblems(hostname: string, spec: JsonObject, secretOf: SecretAtHand): readonly SpecProblem[] {
  return uploadsIn(spec, secretOf).flatMap((upload) => problemsOf(hostname, upload));
}

/**
 * What is unusual about an uploaded certificate at a given time: its dates, and a chain that visitors may not trust.
 */
export function uploadRemarks(spec: JsonObject, secretOf: SecretAtHand, now: number): readonly UploadRemark[] {
  return uploadsIn(spec, secretOf).flatMap((upload) => remarksOn(upload, now));
}

/**
 * The SHA-256 fingerprints of the certificates that a hostname uploads, in lower case without colons; undefined if it
 * uploads none, or if one of them is unknown.
 */
export function uploadedFingerprints(
  spec: JsonObject,
  fingerprintOf: (reference: SecretReference) => string | undefined,
): readonly string[] | undefined {
  const { ssl } = spec;
  if (!isObject(ssl)) return undefined;
  const pairs = isList(ssl["custom_cert_bundle"]) ? objects(ssl, "custom_cert_bundle") : [];
  const certificates = [ssl, ...pairs].flatMap(({ custom_certificate: one }) => (one === undefined ? [] : [one]));
  const found = certificates.flatMap((one) => (isSecretReference(one) ? (fingerprintOf(one) ?? []) : []));
  return certificates.length > 0 && found.length === certificates.length ? found : undefined;
}

/** The SHA-256 fingerprint of the leaf certificate in a secret; undefined if there is none. */
export function certificateFingerprint(secret: Secret): string | undefined {
  const leaf = certificatesOf(secret).find((one) => !one.ca);
  return leaf?.fingerprint256.replaceAll(":", "").toLowerCase();
}

/** One uploaded certificate with its key. */
interface Upload {
  /** Where its certificate and key are declared; those of a bundle are in one list. */
  readonly certificateAt: Path;
  readonly keyAt: Path;
  readonly certificate: Secret | undefined;
  readonly key: Secret | undefined;
  readonly isForced: boolean;
}

function uploadsIn({ ssl }: JsonObject, secretOf: SecretAtHand): readonly Upload[] {
  if (!isObject(ssl)) return [];
  const isForced = ssl["bundle_method"] === "force";
  const at = (value: Json | undefined): Secret | undefined => (isSecretReference(value) ? secretOf(value) : undefined);
  const upload = (pair: JsonObject, certificateAt: Path, keyAt: Path): Upload => {
    const [certificate, key] = [at(pair["custom_certificate"]), at(pair["custom_key"])];
    return { certificateAt, keyAt, certificate, key, isForced };
  };
  const bundle = ["ssl", "custom_cert_bundle"];
  const pairs = isList(ssl["custom_cert_bundle"]) ? objects(ssl, "custom_cert_bundle") : [];
  return [
    ...(ssl["custom_certificate"] === undefined
      ? []
      : [upload(ssl, ["ssl", "custom_certificate"], ["ssl", "custom_key"])]),
    ...pairs.map((pair) => upload(pair, bundle, bundle)),
  ];
}

function problemsOf(hostname: string, { certificateAt, keyAt, certificate, key, isForced }: Upload): SpecProblem[] {
  const read = certificate && certificatesOf(certificate);
  const privateKey = key && keyOf(key);
  const ofCertificate = (found: Omit<SpecProblem, "path">): SpecProblem => ({ path: certificateAt, ...found });
  const ofKey = (found: Omit<SpecProblem, "path">): SpecProblem => ({ path: keyAt, ...found });
  const leaf = read && leafOf(read);
  return [
    ...(privateKey === "unreadable" ? [ofKey(problem("key-unreadable", {}))] : []),
    ...(leaf && "code" in leaf ? [ofCertificate(leaf)] : []),
    ...(read && leaf && !("code" in leaf)
      ? [
          ...namesProblem(leaf, hostname).map(ofCertificate),
          ...(isObjectKey(privateKey) && !leaf.checkPrivateKey(privateKey)
            ? [ofKey(problem("certificate-other-key", {}))]
            : []),
          ...chainProblems(leaf, read, isForced).map(ofCertificate),
        ]
      : []),
  ];
}

function isObjectKey(key: KeyObject | "unreadable" | undefined): key is KeyObject {
  return key !== undefined && key !== "unreadable";
}

/** Finds the leaf certificate, or says what is wrong. */
function leafOf(read: readonly X509Certificate[]): X509Certificate | Omit<SpecProblem, "path"> {
  if (read.length === 0) return problem("certificate-unreadable", {});
  const [leaf, ...others] = read.filter((one) => !one.ca);
  if (!leaf) return problem("certificate-of-authority", {});
  return others.length === 0 ? leaf : problem("certificates-several", { count: others.length + 1 });
}

function namesProblem(leaf: X509Certificate, hostname: string): Omit<SpecProblem, "path">[] {
  const names = namesOf(leaf);
  if (covers(names, hostname)) return [];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const named = `${names.slice(0, NAMED).join(", ") || "no hostname"}${more}`;
  return [problem("certificate-other-hostname", { names: named, hostname })];
}

/** The names that it covers; the subject's only if it has no others. */
function namesOf(leaf: X509Certificate): readonly string[] {
  const listed = [...(leaf.subjectAltName ?? "").matchAll(/DNS:([^,\s"]+)/g)].flatMap(([, name]) => name ?? []);
  const common = /^CN=(.*)$/m.exec(leaf.subject)?.[1];
  const names = listed.length > 0 || common === undefined ? listed : [common];
  return names.map((name) => name.toLowerCase());
}

/** A wildcard covers one label, and only a wildcard covers a wildcard. */
function covers(names: readonly string[], hostname: string): boolean {
  const parent = hostname.slice(hostname.indexOf(".") + 1);
  return names.includes(hostname) || names.includes(`*.${parent}`);
}

/** The service completes and sorts the chain, unless `force` makes it serve the uploaded one. */
function chainProblems(
  leaf: X509Certificate,
  read: readonly X509Certificate[],
  isForced: boolean,
): Omit<SpecProblem, "path">[] {
  const chain = read.filter((one) => one.ca);
  if (chain.length > 0 && !chain.some((above) => leaf.checkIssued(above))) {
    return [problem("certificate-other-chain", {})];
  }
  const unsorted = read.findIndex((one, index) => {
    const above = read[index + 1];
    return above !== undefined && !one.checkIssued(above);
  });
  if (!isForced || unsorted < 0) return [];
  return [problem("certificate-chain-unsorted", { above: unsorted + 2, below: unsorted + 1 })];
}

function remarksOn({ certificateAt: at, certificate, isForced }: Upload, now: number): UploadRemark[] {
  const read = certificate && certificatesOf(certificate);
  const leaf = read?.find((one) => !one.ca);
  if (!read || !leaf) return [];
  const [from, to] = [leaf.validFrom, leaf.validTo].map((text) => new Date(text));
  const isIncomplete = isForced && read.length === 1 && leaf.subject !== leaf.issuer;
  const remarks = [
    ...(to && to.getTime() <= now ? [problem("certificate-expired", { day: dayOf(to) })] : []),
    ...(from && from.getTime() > now ? [problem("certificate-not-yet-valid", { day: dayOf(from) })] : []),
    ...(isIncomplete ? [problem("certificate-chain-incomplete", {})] : []),
  ];
  return remarks.map((remark) => ({ path: at, ...remark }));
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** A secret is one object wherever it is used, so a thousand hostnames parse their certificate once. */
const certificates = new WeakMap<Secret, readonly X509Certificate[]>();
const keys = new WeakMap<Secret, KeyObject | "unreadable">();

/** The certificates in a text; empty if one of them cannot be parsed. */
function certificatesOf(secret: Secret): readonly X509Certificate[] {
  const known = certificates.get(secret) ?? readCertificates(secret);
  certificates.set(secret, known);
  return known;
}

function readCertificates(secret: Secret): readonly X509Certificate[] {
  const blocks = secret.reveal().match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

function keyOf(secret: Secret): KeyObject | "unreadable" {
  const known = keys.get(secret) ?? readKey(secret);
  keys.set(secret, known);
  return known;
}

function readKey(secret: Secret): KeyObject | "unreadable" {
  try {
    return createPrivateKey(secret.reveal());
  } catch {
    return "unreadable";
  }
}
