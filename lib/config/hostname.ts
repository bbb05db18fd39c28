import { domainToASCII } from "node:url";

/**
 * A declared hostname, normalised: lower case, no dot at the end. It is not converted to punycode: letters outside
 * ASCII can look like others, or be invisible, so the kind refuses them and people write what they mean.
 */
export function declaredHostname(written: string): string {
  return written.trim().normalize("NFC").toLowerCase().replace(/\.$/, "");
}

/**
 * A hostname that somebody asks for, normalised as a declared one and converted to punycode. A name that cannot be
 * converted stays as it is, and matches nothing.
 */
export function normaliseHostname(written: string): string {
  const name = declaredHostname(written);
  // eslint-disable-next-line no-control-regex -- the whole ASCII range is meant
  if (/^[\x00-\x7f]*$/.test(name)) return name;
  const isWildcard = name.startsWith("*.");
  const ascii = domainToASCII(isWildcard ? name.slice(2) : name);
  if (ascii === "") return name;
  return isWildcard ? `*.${ascii}` : ascii;
}
