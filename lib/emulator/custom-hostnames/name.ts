import { isIP } from "node:net";
import { hostnameError, type HostnameCode } from "./errors.ts";

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
