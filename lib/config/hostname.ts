import { domainToASCII } from "node:url";

/**
 * A hostname that is declared, in its one spelling: lower case, no dot at the end. It is not put into punycode: letters
 * outside ASCII can look like others, or like nothing, so the kind refuses them, and people write what they mean.
 */
export function declaredHostname(written: string): string {
  return written.trim().normalize("NFC").toLowerCase().replace(/\.$/, "");
}

/**
 * A hostname that somebody asks for, in its one spelling: as it is declared, and in punycode. Names that cannot be put
 * into punycode stay as they are: nothing has them.
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
