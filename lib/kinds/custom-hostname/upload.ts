import { listed } from "../../core/words.ts";
import { problem } from "./codes.ts";
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { objects, optionalText, texts } from "../../core/decode.ts";
import {
  formatPath,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Path,
  valueAt,
  withValueAt,
} from "../../core/json.ts";
import { isSecretReference, type Secret, type SecretReference } from "../../core/secret.ts";
import type { ValueProblem } from "../traits/declared.ts";
import type { Live } from "../live.ts";
import type { Uploading } from "../traits/compared.ts";
import { CERTIFICATE_STANDINGS } from "./states.ts";

/** Returns a secret if it is available, or undefined. */
export type SecretAtHand = (reference: SecretReference) => Secret | undefined;

/** A remark about a certificate that the service accepts, but browsers do not. */
type UploadRemark = Omit<ValueProblem, "onlyNew">;

/** How many names of a certificate to name before counting the rest. */
const NAMED = 5;

/**
 * What is wrong with an uploaded certificate and would otherwise show only after many others are uploaded: its key
 * belongs to another certificate, or it is for other names. Secrets that are not available are skipped. No message
 * contains any part of a secret. The service's response explains everything else that it refuses about a certificate
 * (`lib/service/explanations`).
 */
export function uploadProblems(hostname: string, desired: JsonObject, secretOf: SecretAtHand): readonly ValueProblem[] {
  return uploadsIn(desired, secretOf).flatMap((upload) => problemsOf(hostname, upload));
}

/** Whether visitors' browsers reject an uploaded certificate at a given time because of its dates. */
export function uploadRemarks(desired: JsonObject, secretOf: SecretAtHand, now: number): readonly UploadRemark[] {
  return uploadsIn(desired, secretOf).flatMap((upload) => remarksOn(upload, now));
}

/**
 * The SHA-256 fingerprints of the certificates that a hostname uploads, in lower case without colons; undefined if it
 * uploads none, or if one of them is unknown.
 */
function uploadedFingerprints(
  desired: JsonObject,
  fingerprintOf: (reference: SecretReference) => string | undefined,
): readonly string[] | undefined {
  const { ssl } = desired;
  if (!isObject(ssl)) return undefined;
  const pairs = isList(ssl["custom_cert_bundle"]) ? objects(ssl, "custom_cert_bundle") : [];
  const certificates = [ssl, ...pairs].flatMap(({ custom_certificate: one }) => (one === undefined ? [] : [one]));
  const found = certificates.flatMap((one) => (isSecretReference(one) ? (fingerprintOf(one) ?? []) : []));
  return certificates.length > 0 && found.length === certificates.length ? found : undefined;
}

/** The fingerprints of the certificates to upload, from their secrets (`Uploads.fingerprints`). */
export function fingerprints(
  desired: JsonObject,
  reveal: (reference: SecretReference) => Secret,
): readonly string[] | undefined {
  return uploadedFingerprints(desired, (reference) => certificateFingerprint(reveal(reference)));
}

/** The SHA-256 fingerprint of the leaf certificate in a secret; undefined if there is none. */
export function certificateFingerprint(secret: Secret): string | undefined {
  return leafOf(certificatesOf(secret))?.fingerprint256.replaceAll(":", "").toLowerCase();
}

/** One uploaded certificate with its key. */
interface Upload {
  /** Where its certificate and key are declared; a bundle declares several in one list. */
  readonly certificateAt: Path;
  readonly keyAt: Path;
  readonly certificate: Secret | undefined;
  readonly key: Secret | undefined;
}

function uploadsIn({ ssl }: JsonObject, secretOf: SecretAtHand): readonly Upload[] {
  if (!isObject(ssl)) return [];
  const at = (value: Json | undefined): Secret | undefined => (isSecretReference(value) ? secretOf(value) : undefined);
  const upload = (pair: JsonObject, certificateAt: Path, keyAt: Path): Upload => {
    const [certificate, key] = [at(pair["custom_certificate"]), at(pair["custom_key"])];
    return { certificateAt, keyAt, certificate, key };
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

function problemsOf(hostname: string, { certificateAt, keyAt, certificate, key }: Upload): ValueProblem[] {
  const read = certificate && certificatesOf(certificate);
  const privateKey = key && keyOf(key);
  const leaf = read && leafOf(read);
  const isOther = leaf !== undefined && isObjectKey(privateKey) && !leaf.checkPrivateKey(privateKey);
  return [
    ...(privateKey === "unreadable" ? [{ path: keyAt, ...problem("key-unreadable", {}) }] : []),
    ...(read?.length === 0 ? [{ path: certificateAt, ...problem("certificate-unreadable", {}) }] : []),
    ...(leaf ? namesProblem(leaf, hostname).map((found) => ({ path: certificateAt, ...found })) : []),
    ...(isOther ? [{ path: keyAt, ...problem("certificate-other-key", {}) }] : []),
  ];
}

/** The hostname's own certificate among those of its chain. */
function leafOf(read: readonly X509Certificate[]): X509Certificate | undefined {
  return read.find((one) => !one.ca);
}

function isObjectKey(key: KeyObject | "unreadable" | undefined): key is KeyObject {
  return key !== undefined && key !== "unreadable";
}

function namesProblem(leaf: X509Certificate, hostname: string): Omit<ValueProblem, "path">[] {
  const names = namesOf(leaf);
  if (covers(names, hostname)) return [];
  return [problem("certificate-other-hostname", { names: listed(names, NAMED) || "no hostname", hostname })];
}

/** The names that the certificate covers; the subject's name only if there are no others. */
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

function remarksOn({ certificateAt: at, certificate }: Upload, now: number): UploadRemark[] {
  const leaf = certificate && leafOf(certificatesOf(certificate));
  if (!leaf) return [];
  const [from, to] = [leaf.validFrom, leaf.validTo].map((text) => new Date(text));
  const remarks = [
    ...(to && to.getTime() <= now ? [problem("certificate-expired", { day: dayOf(to) })] : []),
    ...(from && from.getTime() > now ? [problem("certificate-not-yet-valid", { day: dayOf(from) })] : []),
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

const CERTIFICATES: readonly Path[] = [
  ["ssl", "custom_certificate"],
  ["ssl", "custom_cert_bundle"],
];

const UPLOADS: readonly Path[] = [...CERTIFICATES, ["ssl", "custom_key"]];

/** Whether a field is part of an upload. */
export function isUpload(path: Path): boolean {
  return UPLOADS.some((upload) => formatPath(upload) === formatPath(path));
}

/**
 * The live values, with values for an upload where the fingerprints of the served certificates tell what happened to
 * it, because the service never shows uploads. `comparable` and the applied values have fingerprints in place of secret
 * references.
 */
export function asServed(uploading: Uploading, comparable: JsonObject): Live {
  const { live } = uploading;
  const served = servedBy(uploading, comparable);
  switch (served) {
    case "none":
    case "as-applied":
    case "unknown":
      return live;
    case "as-desired":
      return withLeaves(live, UPLOADS, (path) => valueAt(comparable, path));
    case "another":
      return withLeaves(live, CERTIFICATES, (path) =>
        valueAt(comparable, path) === undefined ? undefined : `sha256:${shown(live).join("+")}`,
      );
    default:
      return served satisfies never;
  }
}

/** Whether we cannot tell if an uploaded certificate is the one that is served. */
export function isUnknownUpload(uploading: Uploading, comparable: JsonObject): boolean {
  return servedBy(uploading, comparable) === "unknown";
}

type Served = "none" | "as-applied" | "as-desired" | "another" | "unknown";

function servedBy({ desired, prior, live, certificateOf }: Uploading, comparable: JsonObject): Served {
  const declared = CERTIFICATES.filter((path) => valueAt(desired, path) !== undefined);
  if (declared.length === 0) return "none";
  const served = new Set(shown(live));
  const isServed = (some: readonly string[]): boolean => some.every((one) => served.has(one));
  const uploads = certificateOf && uploadedFingerprints(desired, certificateOf);
  const isUnchanged = declared.every((path) => formatLeaf(comparable, path) === formatLeaf(prior?.applied ?? {}, path));
  const applied = prior?.uploaded ?? (isUnchanged ? uploads : undefined);
  if (served.size === 0 || isRollingOut(live) || !(uploads ?? applied)) return "unknown";
  if (applied && isServed(applied)) return "as-applied";
  return uploads && isServed(uploads) ? "as-desired" : "another";
}

function formatLeaf(values: JsonObject, path: Path): string {
  return JSON.stringify(valueAt(values, path) ?? null);
}

function shown({ status }: Live): readonly string[] {
  return texts(status, "certificate_fingerprints");
}

/** The previous certificate is served until the new one is rolled out. */
function isRollingOut({ status }: Live): boolean {
  const state = optionalText(status, "ssl_status") ?? "active";
  return CERTIFICATE_STANDINGS[state]?.phase === "under way";
}

function withLeaves(live: Live, paths: readonly Path[], leafAt: (path: Path) => JsonObject[string] | undefined): Live {
  const values = paths.reduce((known, path) => {
    const leaf = leafAt(path);
    return leaf === undefined ? known : withValueAt(known, path, leaf);
  }, live.values);
  return { ...live, values };
}
