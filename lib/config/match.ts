import { domainToASCII } from "node:url";
import { defined } from "../core/json.ts";
import type { HostnameFacts, Match } from "./desired.ts";
import type { MatchSection, Texts } from "./document-types.ts";

/** Decodes a match of the YAML. Hostnames are normalised. */
export function decodeMatch(section: MatchSection = {}): Match {
  const { hostname, wildcard, custom_origin_server: origin, ...values } = section;
  return {
    ...(hostname === undefined ? {} : { hostname: listOfTexts(hostname).map(normaliseHostname) }),
    ...defined({ wildcard }),
    ...(origin === undefined ? {} : { customOriginServer: listOfTexts(origin).map((name) => name.toLowerCase()) }),
    metadata: prefixed(values, "metadata."),
    label: prefixed(values, "label."),
  };
}

function prefixed(
  values: Readonly<Record<string, Texts>>,
  prefix: string,
): Readonly<Record<string, readonly string[]>> {
  const found = Object.entries(values).filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(found.map(([key, value]) => [key.slice(prefix.length), listOfTexts(value)]));
}

/** A single text or a list, as a list. */
export function listOfTexts(texts: Texts): readonly string[] {
  return typeof texts === "string" ? [texts] : texts;
}

/** Whether all facts of a match hold for one hostname. */
export type Matcher = (facts: HostnameFacts) => boolean;

/** Prepares a match for a hundred thousand hostnames. */
export function matcherOf(match: Match): Matcher {
  const tests: Matcher[] = [];
  if (match.hostname) tests.push(hostnameMatcher(match.hostname));
  if (match.wildcard !== undefined) tests.push((facts) => isWildcard(facts) === match.wildcard);
  if (match.customOriginServer) {
    const origins = new Set(match.customOriginServer);
    tests.push(
      ({ customOriginServer }) => customOriginServer !== undefined && origins.has(customOriginServer.toLowerCase()),
    );
  }
  tests.push(...valueMatchers(match.metadata, (facts) => facts.metadata));
  tests.push(...valueMatchers(match.label, (facts) => facts.labels));
  return (facts) => tests.every((test) => test(facts));
}

function isWildcard({ hostname, wildcard }: HostnameFacts): boolean {
  return wildcard === true || hostname.startsWith("*.");
}

function hostnameMatcher(written: readonly string[]): Matcher {
  const names = new Set(written);
  const patterns = written.filter(isHostnamePattern).map(patternMatcher);
  return ({ hostname }) => names.has(hostname) || patterns.some((matches) => matches(hostname));
}

/** Whether a name in a match is a pattern. */
export function isHostnamePattern(name: string): boolean {
  return name.includes("*");
}

/** `*` stands for any characters. Finds the parts from left to right, in linear time for every pattern. */
function patternMatcher(pattern: string): (name: string) => boolean {
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  const middle = parts.slice(1, -1);
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
    let from = first.length;
    const end = name.length - last.length;
    for (const part of middle) {
      const found = name.indexOf(part, from);
      if (found < 0 || found + part.length > end) return false;
      from = found + part.length;
    }
    return true;
  };
}

function valueMatchers(
  wanted: Readonly<Record<string, readonly string[]>>,
  valuesOf: (facts: HostnameFacts) => Readonly<Record<string, string>>,
): readonly Matcher[] {
  return Object.entries(wanted).map(([name, any]) => {
    const values = new Set(any);
    return (facts) => {
      const own = valuesOf(facts);
      const value = Object.hasOwn(own, name) ? own[name] : undefined;
      return value !== undefined && values.has(value);
    };
  });
}

/**
 * A declared hostname, normalised: lower case, no dot at the end. It is not converted to punycode: letters outside
 * ASCII can look like others or be invisible, so the kind refuses them, and the author writes punycode.
 */
export function declaredHostname(written: string): string {
  return written.trim().normalize("NFC").toLowerCase().replace(/\.$/, "");
}

/**
 * A requested hostname, normalised like a declared one and converted to punycode. A name that cannot be converted stays
 * as it is, and matches nothing.
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
