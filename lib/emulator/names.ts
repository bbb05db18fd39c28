import { isIP } from "node:net";
import { getDomain } from "tldts";
import type { ServiceError } from "./messages.ts";

/** The codes that refuse one kind of name. */
interface NameCodes<Code> {
  readonly invalid: Code;
  readonly nonAscii: Code;
  readonly reserved: Code;
  readonly unparsable: Code;
  readonly example: Code;
}

const RESERVED = new Set(["test", "example", "invalid", "localhost"]);

/** The length of the longest name (docs/service.md#names). */
const LONGEST_NAME = 255;

/** The name in lower case. Throws the first of the errors that applies; `unparsable` is a public suffix, such as co.uk or github.io. */
export function checkedName<Code>(
  value: unknown,
  codes: NameCodes<Code>,
  errorOf: (code: Code, detail?: string) => ServiceError,
): string {
  if (typeof value !== "string" || value === "" || value.length > LONGEST_NAME || isIP(value) !== 0)
    throw errorOf(codes.invalid);
  // Checked before the syntax, because non-ASCII names have a code of their own.
  // oxlint-disable-next-line no-control-regex
  if (/[^\x00-\x7f]/.test(value)) throw errorOf(codes.nonAscii);
  const name = value.toLowerCase();
  const labels = name.replace(/^\*\./, "").split(".");
  if (!labels.every(isLabel)) throw errorOf(codes.invalid);
  if (RESERVED.has(labels.at(-1) ?? "")) throw errorOf(codes.reserved);
  const domain = labels.join(".");
  if (getDomain(domain, { allowPrivateDomains: true, validateHostname: false }) === null)
    throw errorOf(codes.unparsable, `publicsuffix: cannot derive eTLD+1 for domain ${JSON.stringify(domain)}`);
  if (/(^|\.)example\.(com|net|org)$/.test(name)) throw errorOf(codes.example);
  return name;
}

/** Whether the label is valid. It may have underscores: the standard has none in hostnames, but real names do. */
function isLabel(label: string): boolean {
  return /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
}
