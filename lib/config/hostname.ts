import { domainToASCII } from "node:url";

/**
 * A hostname in its one spelling: lower case, punycode, no dot at the end. Names that cannot be put into punycode
 * stay as they are, for the kind to refuse.
 */
export function normaliseHostname(written: string): string {
  const name = written.trim().toLowerCase().replace(/\.$/, "");
  // eslint-disable-next-line no-control-regex -- the whole ASCII range is meant
  if (/^[\x00-\x7f]*$/.test(name)) return name;
  const isWildcard = name.startsWith("*.");
  const ascii = domainToASCII(isWildcard ? name.slice(2) : name);
  if (ascii === "") return name;
  return isWildcard ? `*.${ascii}` : ascii;
}
