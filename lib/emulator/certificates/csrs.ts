import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { accountRoute, type Call, jsonBody, param, reaches, type Route, zoneRoute } from "../call.ts";
import { timestamp } from "../clock.ts";
import { type Reply, ServiceError, success } from "../messages.ts";
import { compact, type Json, type JsonObject } from "../json.ts";
import { listPage } from "../lists.ts";
import { checkedName } from "../names.ts";
import type { Zone } from "../store.ts";
import { COMMON_NAME_LENGTH, type CustomCsr } from "./certificate.ts";

const BASE = "/custom_csrs";

/** `/custom_csrs` below a zone or an account (docs/service.md#custom-csrs). */
export function customCsrRoutes(): Route[] {
  return [...routesBy((method, path, handler) => zoneRoute(method, path, handler)), ...routesBy(accountRoute)];
}

/** The owner of a CSR: a zone, or an account, whose lists have no history. */
type Owner = Pick<Zone, "id"> & Partial<Pick<Zone, "histories">>;
type MakeRoute = (method: Route["method"], path: string, handler: (call: Call, owner: Owner) => Reply) => Route;

function routesBy(make: MakeRoute): Route[] {
  return [
    make("GET", BASE, list),
    make("POST", BASE, create),
    make("GET", `${BASE}/:id`, (call, owner) => success(view(found(call, owner)))),
    make("DELETE", `${BASE}/:id`, remove),
  ];
}

function list(call: Call, owner: Owner): Reply {
  const items = [...call.core.store.csrs.values()].filter((csr) => csr.owner === owner.id);
  const history = owner.histories?.csrs;
  const listed = { items, idOf: (csr: CustomCsr) => csr.id, view, ...(history === undefined ? {} : { history }) };
  return listPage(call, { least: 5, most: 50, usual: 20 }, listed);
}

/** Answers 201 in the public behaviour, as documented (docs/service.md#custom-csrs), else 200 like every other creation. */
function create(call: Call, owner: Owner): Reply {
  const csr: CustomCsr = {
    id: call.core.ids.uuid(),
    owner: owner.id,
    ...readCsr(jsonBody(call)),
    createdAt: call.now,
  };
  call.core.store.csrs.set(csr.id, csr);
  owner.histories?.csrs.remember(csr.id, undefined);
  return success(view(csr), call.core.behaviour.createStatus);
}

/** A CSR that was used for an uploaded certificate cannot be deleted (1420). */
function remove(call: Call, owner: Owner): Reply {
  const csr = found(call, owner);
  const { store } = call.core;
  for (const zone of store.zones.values()) {
    const isHostnames = zone.hostnames.all().some(({ ssl }) => ssl?.csrId === csr.id);
    const isUploads = [...zone.uploads.values()].some((upload) => upload.csrId === csr.id);
    if (reaches(call.token, zone.id) && (isHostnames || isUploads)) throw csrError(1420);
  }
  store.csrs.delete(csr.id);
  owner.histories?.csrs.remember(csr.id, view(csr));
  return success({ id: csr.id });
}

function found(call: Call, owner: Owner): CustomCsr {
  const id = param(call, "id");
  if (!/^[0-9a-f-]{32,36}$/.test(id)) throw csrError(1418);
  const csr = call.core.store.csrs.get(id);
  if (csr === undefined || csr.owner !== owner.id) throw csrError(1419);
  return csr;
}

function view(csr: CustomCsr): JsonObject {
  return compact({
    id: csr.id,
    name: csr.name ?? undefined,
    description: csr.description ?? undefined,
    common_name: csr.commonName,
    country: csr.country,
    state: csr.state,
    locality: csr.locality,
    organization: csr.organization,
    organizational_unit: csr.organizationalUnit ?? undefined,
    sans: [...csr.sans],
    key_type: csr.keyType,
    csr: csr.request,
    created_at: timestamp(csr.createdAt),
  });
}

/** HTTP status and text of the codes of custom CSRs. Other calls use the same codes for other things (docs/service.md#custom-csrs). */
const CODES = {
  1405: [400, "Country field is required. Check your input and try again."],
  1406: [400, "State field is required. Check your input and try again."],
  1407: [400, "Locality field is required. Check your input and try again."],
  1408: [400, "Organization field is required. Check your input and try again."],
  1409: [400, "Common Name field is required. Check your input and try again."],
  1410: [
    400,
    `The specified Common Name is too long. Maximum allowed length is ${COMMON_NAME_LENGTH} characters. Check your input and try again.`,
  ],
  1411: [400, "At least one subject alternative name (SAN) is required. Check your input and try again."],
  1412: [
    400,
    "Invalid subject alternative name(s) (SAN). SANs have to be smaller than 256 characters in length, cannot be IP addresses, cannot contain any special characters such as ~`!@#$%^&*()=+{}[]",
  ],
  1413: [
    400,
    "Subject Alternative Names (SANs) with non-ASCII characters are not supported. Check your input and try again.",
  ],
  1414: [
    400,
    "Reserved top domain subject alternative names (SAN), such as 'test', 'example', 'invalid' or 'localhost', is not supported. Check your input and try again.",
  ],
  1415: [400, "Unable to parse subject alternative name(s) (SAN) - :reason. Check your input and try again."],
  1416: [
    400,
    "Subject Alternative Names (SANs) ending in example.com, example.net, or example.org are prohibited. Check your input and try again.",
  ],
  1417: [400, "Invalid key type. Only 'rsa2048' or 'p256v1' is accepted. Check your input and try again."],
  1418: [400, "The custom CSR ID is invalid. Check your input and try again."],
  1419: [404, "The custom CSR was not found."],
  1420: [
    409,
    "The custom CSR is associated with an active certificate pack. You will need to delete all associated active certificate packs before you can delete the custom CSR.",
  ],
} as const;

function csrError(code: keyof typeof CODES, reason = ""): ServiceError {
  const [status, text] = CODES[code];
  return new ServiceError(status, { code, message: text.replace(":reason", () => reason) });
}

/** Reads and checks a CSR's body, and makes its key. Throws 1405 to 1417. */
function readCsr(body: JsonObject): Omit<CustomCsr, "id" | "owner" | "createdAt"> {
  const subject = readSubject(body);
  const sans = readSans(body["sans"]);
  const keyType = (["rsa2048", "p256v1"] as const).find((known) => known === (body["key_type"] ?? "rsa2048"));
  if (keyType === undefined) throw csrError(1417);
  const organizationalUnit = optional(body, "organizational_unit");
  const request = requestCertificate(
    keyType,
    [
      ["C", subject.country],
      ["ST", subject.state],
      ["L", subject.locality],
      ["O", subject.organization],
      ...(organizationalUnit === null ? [] : [["OU", organizationalUnit] as const]),
      ["CN", subject.commonName],
    ],
    sans,
  );
  const notes = { name: optional(body, "name"), description: optional(body, "description") };
  return { ...subject, organizationalUnit, ...notes, sans, keyType, ...request };
}

function readSubject(
  body: JsonObject,
): Pick<CustomCsr, "country" | "state" | "locality" | "organization" | "commonName"> {
  const required = (name: string, code: keyof typeof CODES): string => {
    const value = body[name];
    if (typeof value !== "string" || value === "") throw csrError(code);
    return value;
  };
  const subject = {
    country: required("country", 1405),
    state: required("state", 1406),
    locality: required("locality", 1407),
    organization: required("organization", 1408),
    commonName: required("common_name", 1409),
  };
  if (subject.commonName.length > COMMON_NAME_LENGTH) throw csrError(1410);
  return subject;
}

function readSans(value: Json | undefined): string[] {
  if (!Array.isArray(value) || value.length === 0) throw csrError(1411);
  return value.map((san) => checkedName(san, SAN_CODES, csrError));
}

const SAN_CODES = { invalid: 1412, nonAscii: 1413, reserved: 1414, unparsable: 1415, example: 1416 } as const;

function optional(body: JsonObject, name: string): string | null {
  const value = body[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** The parts of a subject by their X.500 names, and their object identifiers. */
const SUBJECT_OIDS = {
  C: "2.5.4.6",
  ST: "2.5.4.8",
  L: "2.5.4.7",
  O: "2.5.4.10",
  OU: "2.5.4.11",
  CN: "2.5.4.3",
} as const;

const ALGORITHMS = { rsa2048: "1.2.840.113549.1.1.11", p256v1: "1.2.840.10045.4.3.2" } as const;

/** Makes a key pair and a request for it (PKCS #10). */
function requestCertificate(
  keyType: CustomCsr["keyType"],
  subject: readonly (readonly [keyof typeof SUBJECT_OIDS, string])[],
  sans: readonly string[],
): Pick<CustomCsr, "request" | "privateKey"> {
  const pair = newPair(keyType);
  const content = der.sequence(
    der.integer(0),
    der.sequence(...subject.map(([name, value]) => namePart(name, value))),
    pair.publicKey.export({ type: "spki", format: "der" }),
    der.value(0xa0, requestedNames(sans)),
  );
  const algorithm = der.sequence(der.oid(ALGORITHMS[keyType]), ...(keyType === "rsa2048" ? [der.value(0x05)] : []));
  const signature = der.bits(sign("sha256", content, pair.privateKey));
  return {
    request: pemOf("CERTIFICATE REQUEST", der.sequence(content, algorithm, signature)),
    privateKey: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function newPair(keyType: CustomCsr["keyType"]): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  if (keyType === "rsa2048") return generateKeyPairSync("rsa", { modulusLength: 2048 });
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function namePart(name: keyof typeof SUBJECT_OIDS, value: string): Buffer {
  return der.set(der.sequence(der.oid(SUBJECT_OIDS[name]), der.text(value)));
}

/** The attribute extensionRequest, with the one extension subjectAltName. */
function requestedNames(sans: readonly string[]): Buffer {
  const names = der.sequence(...sans.map((name) => der.value(0x82, Buffer.from(name, "ascii"))));
  const extension = der.sequence(der.oid("2.5.29.17"), der.octets(names));
  return der.sequence(der.oid("1.2.840.113549.1.9.14"), der.set(der.sequence(extension)));
}

/** Writes the DER values that a certificate request needs (ITU-T X.690). */
export const der = {
  /** Any value with its tag and length. */
  value: (tag: number, ...parts: readonly Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
  },
  sequence: (...parts: readonly Buffer[]): Buffer => der.value(0x30, ...parts),
  set: (...parts: readonly Buffer[]): Buffer => der.value(0x31, ...parts),
  integer: (value: number): Buffer => der.value(0x02, Buffer.from([value])),
  text: (text: string): Buffer => der.value(0x0c, Buffer.from(text, "utf8")),
  octets: (content: Buffer): Buffer => der.value(0x04, content),
  bits: (content: Buffer): Buffer => der.value(0x03, Buffer.from([0]), content),
  /** An object identifier in its dotted form. */
  oid: (dotted: string): Buffer => der.value(0x06, Buffer.from(oidBytes(dotted))),
};

/** DER as PEM. */
export function pemOf(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** The bytes of an object identifier. Its first two parts share a byte, and the others are written in base 128. */
function oidBytes(dotted: string): number[] {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return [first * 40 + second, ...rest.flatMap((part) => base128(part))];
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
