import { defined, type JsonObject } from "../../core/json.ts";
import type { ZoneId } from "../../core/brand.ts";
import { objects, optionalObject, optionalText, texts } from "../../core/decode.ts";
import type { Client } from "../../service/client.ts";
import type { Live } from "../live.ts";
import { pathOf, PAGE_SIZES } from "./remote.ts";
import { decode, expiryOf } from "./wire.ts";

/** Something for the customer to set: a DNS record, a file behind a URL (name and body), or a mail to answer. */
export interface RecordToSet {
  readonly type: "CNAME" | "TXT" | "CAA" | "HTTP" | "EMAIL";
  readonly name: string;
  readonly value: string;
}

/**
 * A hostname with everything that the service says about its certificate and about what it waits for. Refresh does not
 * need it.
 */
export interface HostnameDetails {
  readonly live: Live;
  /** The names in the certificate; the hostname itself if the service does not say. */
  readonly hosts: readonly string[];
  /** In the service's spelling: `LetsEncrypt`. */
  readonly issuer?: string;
  /**
   * The CA that the service shows, whether a user or the service chose it (docs/service.md#certificate-authorities).
   */
  readonly authority?: string;
  /** The certificate was uploaded, not issued by the service. */
  readonly isUploaded: boolean;
  readonly issuedOn?: string;
  readonly expiresOn?: string;
  /** Proofs of ownership; one is enough. They disappear once the hostname is verified. */
  readonly ownership: readonly RecordToSet[];
  /** Records that the CA checks. */
  readonly validation: readonly RecordToSet[];
  /** Records that let the service validate by itself from then on. */
  readonly delegation: readonly RecordToSet[];
}

/** The hostnames that match a filter of the service, by list. */
export async function* listDetails(
  client: Client,
  zone: ZoneId,
  query: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): AsyncIterable<HostnameDetails> {
  const request = {
    path: pathOf(zone),
    query,
    family: "custom_hostnames",
    pageSizes: PAGE_SIZES,
    style: "page",
  } as const;
  for await (const item of client.pages(request, signal)) yield decodeDetails(item);
}

/** Decodes what the service says of a hostname (docs/service.md#custom-hostname-record). */
export function decodeDetails(from: JsonObject): HostnameDetails {
  const live = decode(from);
  const ssl = optionalObject(from, "ssl") ?? {};
  const authority = optionalText(ssl, "certificate_authority");
  const hosts = texts(ssl, "hosts");
  return {
    live,
    hosts: hosts.length > 0 ? hosts : namesOf(live, ssl["wildcard"] === true),
    ...issuedPart(ssl),
    ...defined({ authority }),
    isUploaded: optionalText(ssl, "custom_certificate") !== undefined || isIssuedWithoutAuthority(ssl, authority),
    ownership: ownershipOf(from),
    // Older responses have the single record in `ssl` itself (docs/service.md#custom-hostname-record).
    validation: [ssl, ...objects(ssl, "validation_records").filter(isPending)].flatMap(recordsIn),
    delegation: objects(ssl, "dcv_delegation_records").flatMap(recordsIn),
  };
}

function namesOf({ key }: Live, isWildcard: boolean): readonly string[] {
  return isWildcard && !key.startsWith("*.") ? [key, `*.${key}`] : [key];
}

function issuedPart(ssl: JsonObject): Pick<HostnameDetails, "issuer" | "issuedOn" | "expiresOn"> {
  const [first] = objects(ssl, "certificates");
  const issuer = optionalText(ssl, "issuer") ?? (first && optionalText(first, "issuer"));
  const issuedOn = optionalText(ssl, "uploaded_on") ?? (first && optionalText(first, "issued_on"));
  const expiresOn = expiryOf(ssl);
  return {
    ...defined({ issuer, issuedOn, expiresOn }),
  };
}

/** The service names a CA for every certificate that it orders. */
function isIssuedWithoutAuthority(ssl: JsonObject, authority: string | undefined): boolean {
  return (authority === undefined || authority === "") && optionalText(ssl, "issuer") !== undefined;
}

function ownershipOf(from: JsonObject): readonly RecordToSet[] {
  const dns = optionalObject(from, "ownership_verification");
  const [name, value] = [dns && optionalText(dns, "name"), dns && optionalText(dns, "value")];
  const http = optionalObject(from, "ownership_verification_http");
  return [
    ...(name === undefined || value === undefined ? [] : [{ type: "TXT", name, value } as const]),
    ...(http ? httpRecord(http) : []),
  ];
}

function isPending(from: JsonObject): boolean {
  return (optionalText(from, "status") ?? "pending") !== "active";
}

function recordsIn(from: JsonObject): readonly RecordToSet[] {
  return [
    ...pair(from, "TXT", "txt_name", "txt_value"),
    ...pair(from, "CNAME", "cname", "cname_target"),
    ...httpRecord(from),
    ...texts(from, "emails").map((name) => ({ type: "EMAIL", name, value: "" }) as const),
  ];
}

function httpRecord(from: JsonObject): readonly RecordToSet[] {
  return pair(from, "HTTP", "http_url", "http_body");
}

function pair(from: JsonObject, type: RecordToSet["type"], first: string, second: string): readonly RecordToSet[] {
  const [name, value] = [optionalText(from, first), optionalText(from, second)];
  return name === undefined || value === undefined ? [] : [{ type, name, value }];
}
