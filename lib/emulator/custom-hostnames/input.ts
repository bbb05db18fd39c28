import { isIP } from "node:net";
import type { Behaviour } from "../behaviour.ts";
import { copy, isObject, type Json, type JsonObject } from "../json.ts";
import { serves, type Zone } from "../store.ts";
import { type HostnameCode, hostnameError } from "./errors.ts";

/** The codes with which one kind of name is refused. */
interface NameCodes {
  readonly invalid: HostnameCode;
  readonly nonAscii: HostnameCode;
  readonly reserved: HostnameCode;
  readonly unparsable: HostnameCode;
  readonly example: HostnameCode;
}

const HOSTNAME_CODES: NameCodes = { invalid: 1407, nonAscii: 1408, reserved: 1409, unparsable: 1410, example: 1411 };
const ORIGIN_CODES: NameCodes = { invalid: 1415, nonAscii: 1416, reserved: 1417, unparsable: 1418, example: 1419 };

const RESERVED = new Set(["test", "example", "invalid", "localhost"]);

/** The longest name: fewer than 256 characters (docs/service.md#names). */
const LONGEST_NAME = 255;

/** The custom hostname in lower case. Throws 1407 to 1411, in the order of their numbers (docs/service.md#names). */
export function checkedHostname(value: unknown): string {
  return checkedName(value, HOSTNAME_CODES);
}

/** The custom origin server in lower case. Throws 1415 to 1420. */
export function checkedOrigin(value: unknown): string {
  if (typeof value === "string" && value.startsWith("*")) throw hostnameError(1420);
  return checkedName(value, ORIGIN_CODES);
}

function checkedName(value: unknown, codes: NameCodes): string {
  if (typeof value !== "string" || value === "" || value.length > LONGEST_NAME || isIP(value) !== 0)
    throw hostnameError(codes.invalid);
  // Non-ASCII names have a code of their own, although they fail the syntax as bad names do.
  // oxlint-disable-next-line no-control-regex
  if (/[^\x00-\x7f]/.test(value)) throw hostnameError(codes.nonAscii);
  const name = value.toLowerCase();
  const labels = name.replace(/^\*\./, "").split(".");
  if (!labels.every(isLabel)) throw hostnameError(codes.invalid);
  if (RESERVED.has(labels.at(-1) ?? "")) throw hostnameError(codes.reserved);
  if (labels.length < 2) throw hostnameError(codes.unparsable);
  if (/(^|\.)example\.(com|net|org)$/.test(name)) throw hostnameError(codes.example);
  return name;
}

/** Underscores occur in real hostnames, if not in the standard. */
function isLabel(label: string): boolean {
  return /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
}

/** The largest custom metadata: 4 KB (docs/service.md#custom-hostname-record). */
const METADATA_BYTES = 4096;

/** Reads `custom_origin_server`; null or "" unsets it. Throws 1414 to 1421. */
export function readOrigin(value: Json, zone: Zone): string | null {
  if (value === null || value === "") return null;
  if (!zone.grants.customOrigin) throw hostnameError(1414);
  const origin = checkedOrigin(value);
  for (const record of zone.records.values()) if (serves(record, origin)) return origin;
  throw hostnameError(1421);
}

/** Reads `custom_origin_sni`; null or "" unsets it. It goes only with a custom origin server (docs/service.md#custom-hostname-record). */
export function readSni(value: Json, origin: string | null): string | null {
  if (value === null || value === "") return null;
  if (origin === null) throw hostnameError(1439, "A custom origin SNI needs a custom origin server");
  return value === ":request_host_header:" ? value : checkedOrigin(value);
}

/** Reads `custom_metadata`; null or {} unsets it. Throws 1412 on a wildcard, 1413 without a grant, 1401 past 4 KB. */
export function readMetadata(value: Json, zone: Zone, behaviour: Behaviour, isWildcard: boolean): JsonObject | null {
  if (value === null) return null;
  if (!isObject(value)) throw hostnameError(1401);
  if (Object.keys(value).length === 0) return null;
  if (isWildcard) throw hostnameError(1412);
  const needsPlan = behaviour.enterpriseFeatures && zone.plan !== "enterprise";
  if (!zone.grants.customMetadata || needsPlan) throw hostnameError(1413);
  if (Buffer.byteLength(JSON.stringify(value)) > METADATA_BYTES) throw hostnameError(1401);
  return copy(value);
}
