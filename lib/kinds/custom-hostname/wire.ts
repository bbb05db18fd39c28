import {
  defined,
  formatPath,
  isList,
  isObject,
  type Json,
  type JsonObject,
  overlaid,
  valueAt,
  withoutValueAt,
  withValueAt,
} from "../../core/json.ts";
import { id, objects, optionalBoolean, optionalObject, optionalText, text, texts } from "../../core/decode.ts";
import { isSecretReference } from "../../core/secret.ts";
import type { ComparisonInput } from "../traits/compared.ts";
import type { Live } from "../live.ts";
import type { Reveal, UpdateInput } from "../traits/remote.ts";
import { COMMON_NAME_LIMIT, WRITE_ONLY } from "./declared.ts";

/** Fields of `ssl` that a user may write and that the service shows. */
const SSL_FIELDS = ["method", "type", "certificate_authority", "bundle_method", "custom_csr_id", "settings"] as const;
/** Fields that a user may write and that the service shows unchanged. */
const FIELDS = ["custom_origin_server", "custom_origin_sni", "custom_metadata"] as const;

/**
 * Decodes what the service says of a hostname (docs/service.md#custom-hostname-record). Normalises its oddities: absent
 * is false, empty is unset.
 */
export function decode(from: JsonObject): Live {
  const ssl = optionalObject(from, "ssl");
  return {
    id: id(from),
    key: text(from, "hostname").toLowerCase(),
    values: { ...(ssl ? { ssl: decodeSsl(ssl) } : {}), ...present(from, FIELDS) },
    status: decodeStatus(from, ssl),
  };
}

function decodeSsl(ssl: JsonObject): JsonObject {
  return { ...present(ssl, SSL_FIELDS), wildcard: optionalBoolean(ssl, "wildcard") ?? false };
}

function decodeStatus(from: JsonObject, ssl: JsonObject | undefined): JsonObject {
  const errors = texts(from, "verification_errors");
  const validation = ssl ? objects(ssl, "validation_errors").map((entry) => optionalText(entry, "message") ?? "") : [];
  const createdAt = optionalText(from, "created_at");
  const expiresOn = ssl && expiryOf(ssl);
  const fingerprints = ssl ? fingerprintsOf(ssl) : [];
  return {
    status: optionalText(from, "status")?.toLowerCase() ?? "unknown",
    ...(ssl ? { ssl_status: optionalText(ssl, "status")?.toLowerCase() ?? "unknown" } : {}),
    ...defined({ created_at: createdAt, expires_on: expiresOn }),
    ...(fingerprints.length === 0 ? {} : { certificate_fingerprints: fingerprints }),
    ...(errors.length > 0 ? { verification_errors: errors } : {}),
    ...(validation.length > 0 ? { validation_errors: validation } : {}),
  };
}

/** The SHA-256 fingerprints of the served certificates, in lower case without colons. */
function fingerprintsOf(ssl: JsonObject): readonly string[] {
  const each = objects(ssl, "certificates").flatMap((one) => optionalText(one, "fingerprint_sha256") ?? []);
  return each.map((one) => one.replaceAll(":", "").toLowerCase()).filter((one) => /^[0-9a-f]{64}$/.test(one));
}

/** When the certificate expires; with RSA and ECDSA, when the first of them does. */
export function expiryOf(ssl: JsonObject): string | undefined {
  const each = objects(ssl, "certificates").flatMap((certificate) => optionalText(certificate, "expires_on") ?? []);
  return each.sort()[0] ?? optionalText(ssl, "expires_on");
}

function present(from: JsonObject, fields: readonly string[]): JsonObject {
  const found: Record<string, Json> = {};
  for (const field of fields) {
    const value = from[field];
    const isEmptyObject = isObject(value) && Object.keys(value).length === 0;
    if (value !== undefined && value !== null && value !== "" && !isEmptyObject) found[field] = value;
  }
  return found;
}

/** The body of the call that creates a hostname. Without a method an uploaded certificate is sent alone, as documented. */
export function encodeCreate(hostname: string, desired: JsonObject, reveal: Reveal): JsonObject {
  const ssl = desired["ssl"];
  const filled =
    isObject(ssl) && ssl["method"] !== undefined ? withValueAt(desired, ["ssl"], { type: "dv", ...ssl }) : desired;
  return { hostname, ...encode(filled, reveal) };
}

/**
 * The body of the call that edits a hostname: only the top-level fields that change. The service replaces `ssl` as a
 * whole (docs/service.md#editing-a-custom-hostname), so unmanaged values in it are copied from the re-read. The CA and
 * the wildcard are not: they keep their value when left out, and sending them would make a choice that the user did not
 * make.
 */
export function encodeUpdate({ desired, leaves, live }: UpdateInput, reveal: Reveal): JsonObject {
  const body: Record<string, Json> = {};
  for (const { path, after } of leaves) {
    const [field] = path;
    if (field === "ssl" || field === undefined || after === undefined) continue;
    body[field] = field === "custom_metadata" ? mergedMetadata(live, leaves) : after;
  }
  if (leaves.some(({ path }) => path[0] === "ssl")) body["ssl"] = sslUnit(desired, leaves, live);
  return encode(body, reveal);
}

/** The body that restarts a validation: `ssl` as it is live (docs/service.md#editing-a-custom-hostname). */
export function encodeRevalidation(live: Live): JsonObject {
  return { ssl: sslUnit({}, [], live) };
}

/** The service replaces the metadata as a whole, so unchanged values are sent as just read, whether managed or not. */
function mergedMetadata(live: Live, leaves: UpdateInput["leaves"]): JsonObject {
  const before = optionalObject(live.values, "custom_metadata") ?? {};
  const changed = leaves.flatMap(({ path: [field, name], after }): [string, Json][] =>
    field === "custom_metadata" && name !== undefined && after !== undefined ? [[name, after]] : [],
  );
  return { ...before, ...Object.fromEntries(changed) };
}

function sslUnit(desired: JsonObject, leaves: UpdateInput["leaves"], live: Live): JsonObject {
  const before = optionalObject(live.values, "ssl") ?? {};
  const declared = optionalObject(desired, "ssl") ?? {};
  const settings = { ...optionalObject(before, "settings"), ...optionalObject(declared, "settings") };
  const { certificate_authority: _authority, wildcard: _wildcard, ...carried } = before;
  const { certificate_authority, wildcard, cloudflare_branding: _branding, ...owned } = declared;
  const isChanged = (field: string): boolean => leaves.some(({ path }) => path[0] === "ssl" && path[1] === field);
  return {
    type: "dv",
    ...carried,
    ...owned,
    ...(certificate_authority !== undefined && isChanged("certificate_authority") ? { certificate_authority } : {}),
    ...(wildcard !== undefined && isChanged("wildcard") ? { wildcard } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
  };
}

/** Drops `null`, spells the default CA as the API does, and inserts secrets, which only `ssl` has. */
function encode(value: JsonObject, reveal: Reveal): JsonObject {
  const body = withoutNulls(value);
  const ssl = body["ssl"];
  if (!isObject(ssl)) return body;
  const authority = ssl["certificate_authority"] === "default" ? { certificate_authority: "" } : {};
  return { ...body, ssl: { ...revealSecrets(ssl, reveal), ...authority } };
}

function withoutNulls(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(kept.map(([field, child]) => [field, isObject(child) ? withoutNulls(child) : child]));
}

function revealSecrets(value: JsonObject, reveal: Reveal): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([field, child]) => [field, revealedValue(child, reveal)]));
}

function revealedValue(value: Json, reveal: Reveal): Json {
  if (isSecretReference(value)) return reveal(value).reveal();
  if (isList(value)) return value.map((item) => revealedValue(item, reveal));
  return isObject(value) ? revealSecrets(value, reveal) : value;
}

/**
 * What an import writes into the YAML: every live value that a user could have written, including the CA, so that a
 * later change of it shows. We cannot tell whether a user or the service chose that CA.
 */
export function declared(live: Live): JsonObject {
  const ssl = optionalObject(live.values, "ssl");
  // Branding is never shown, but without it the service issues no certificate for such a long name.
  const branding = live.key.length > COMMON_NAME_LIMIT ? { cloudflare_branding: true } : {};
  return { hostname: live.key, ...live.values, ...(ssl ? { ssl: { ...ssl, ...branding } } : {}) };
}

/** What a new hostname takes over from an old one: not the CA, which live shows whether or not a user chose it. */
export function copied(live: Live): JsonObject {
  return withoutValueAt(declared(live), ["ssl", "certificate_authority"]);
}

/** The declared values over the live ones. If the service is to choose the CA, its current choice is left out. */
export function whole({ desired, live }: ComparisonInput): JsonObject {
  const merged = overlaid(live.values, desired, (path) => WRITE_ONLY.includes(formatPath(path)));
  const authority = ["ssl", "certificate_authority"];
  return valueAt(merged, authority) === "default" ? withoutValueAt(merged, authority) : merged;
}
