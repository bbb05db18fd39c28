import { isIP } from "node:net";
import { ServiceError } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import type { CustomCsr } from "./csr.ts";
import { COMMON_NAME_LENGTH } from "./order.ts";
import { requestCertificate } from "./request.ts";

/** HTTP status and text of the codes of custom CSRs, which mean other things elsewhere (docs/service.md#custom-csrs). */
const CODES: Readonly<Record<CsrCode, readonly [status: number, message: string]>> = {
  1405: [400, "The country is required"],
  1406: [400, "The state is required"],
  1407: [400, "The locality is required"],
  1408: [400, "The organization is required"],
  1409: [400, "The common name is required"],
  1410: [400, `The common name is too long: ${COMMON_NAME_LENGTH} characters are allowed`],
  1411: [400, "At least one subject alternative name (SAN) is required"],
  1412: [400, "A subject alternative name is invalid"],
  1413: [400, "Subject alternative names may only contain ASCII characters"],
  1414: [400, "Subject alternative names may not end with a reserved TLD (test, example, invalid, localhost)"],
  1415: [400, "A subject alternative name could not be parsed: it has no registrable domain"],
  1416: [400, "Subject alternative names may not end with example.com, example.net or example.org"],
  1417: [400, "The key type must be rsa2048 or p256v1"],
  1418: [400, "The custom CSR id is invalid"],
  1419: [404, "The custom CSR was not found"],
  1420: [409, "The custom CSR is associated with an active certificate pack"],
};

const LONGEST_NAME = 255;

/** A code of custom CSRs. */
export type CsrCode =
  | 1405
  | 1406
  | 1407
  | 1408
  | 1409
  | 1410
  | 1411
  | 1412
  | 1413
  | 1414
  | 1415
  | 1416
  | 1417
  | 1418
  | 1419
  | 1420;

/** The error of that code. */
export function csrError(code: CsrCode): ServiceError {
  const [status, message] = CODES[code];
  return new ServiceError(status, { code, message });
}

/** Reads and checks a CSR's body, and makes its key. Throws 1405 to 1417. */
export function readCsr(body: JsonObject): Omit<CustomCsr, "id" | "owner" | "createdAt"> {
  const subject = readSubject(body);
  const sans = readSans(body["sans"]);
  const keyType = (["rsa2048", "p256v1"] as const).find((known) => known === (body["key_type"] ?? "rsa2048"));
  if (keyType === undefined) throw csrError(1417);
  const parts = [
    ["C", subject.country],
    ["ST", subject.state],
    ["L", subject.locality],
    ["O", subject.organization],
    ["CN", subject.commonName],
  ] as const;
  const notes = { name: optional(body, "name"), description: optional(body, "description") };
  const organizationalUnit = optional(body, "organizational_unit");
  return { ...subject, organizationalUnit, ...notes, sans, keyType, ...requestCertificate(keyType, { parts, sans }) };
}

function readSubject(
  body: JsonObject,
): Pick<CustomCsr, "country" | "state" | "locality" | "organization" | "commonName"> {
  const required = (name: string, code: CsrCode): string => {
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
  return value.map(readSan);
}

function readSan(value: Json): string {
  if (typeof value !== "string" || value === "" || value.length > LONGEST_NAME || isIP(value) !== 0)
    throw csrError(1412);
  // oxlint-disable-next-line no-control-regex
  if (/[^\x00-\x7f]/.test(value)) throw csrError(1413);
  const name = value.toLowerCase();
  const labels = name.replace(/^\*\./, "").split(".");
  if (!labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) throw csrError(1412);
  if (["test", "example", "invalid", "localhost"].includes(labels.at(-1) ?? "")) throw csrError(1414);
  if (labels.length < 2) throw csrError(1415);
  if (/(^|\.)example\.(com|net|org)$/.test(name)) throw csrError(1416);
  return name;
}

function optional(body: JsonObject, name: string): string | null {
  const value = body[name];
  return typeof value === "string" && value !== "" ? value : null;
}
