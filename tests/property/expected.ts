import { isObject, type JsonObject } from "../../lib/core/json.ts";
import type { Configuration, Rule } from "./configurations.ts";

/** What policies may match of one hostname. */
export interface Facts {
  readonly hostname: string;
  readonly isWildcard: boolean;
  readonly origin: string;
  readonly tier: string;
  readonly region: string;
}

/** What a configuration wants of a hostname: a second, simple implementation of the rules. Null means unmanaged. */
export function expectedOf(configuration: Configuration, facts: Facts, own: JsonObject): JsonObject {
  const below = configuration.policies.filter((rule) => holds(rule, facts)).map((rule) => rule.set);
  const above = configuration.exceptions.filter((rule) => holds(rule, facts)).map((rule) => rule.set);
  return [...below, own, ...above].reduce(overlaid, {});
}

/** Every hostname that a configuration declares, with its wanted values. */
export function declaredOf(configuration: Configuration): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const { hostname, labels, ...own } of configuration.entries) {
    const name = hostname.toLowerCase();
    const region = isObject(labels) ? textOf(labels["region"]) : "";
    found.set(name, expectedOf(configuration, { ...factsOf(name, own), region }, own));
  }
  for (const { domain, pool, tier, region } of configuration.rows) {
    const own = {
      ...(pool === "" ? {} : { custom_origin_server: pool }),
      ...(tier === "" ? {} : { custom_metadata: { tier } }),
    };
    found.set(domain, expectedOf(configuration, { ...factsOf(domain, own), region }, own));
  }
  return found;
}

/** The facts of a hostname with these values. */
export function factsOf(
  hostname: string,
  { ssl, custom_metadata, custom_origin_server }: JsonObject,
): Omit<Facts, "region"> {
  return {
    hostname,
    isWildcard: hostname.startsWith("*.") || (isObject(ssl) && ssl["wildcard"] === true),
    origin: textOf(custom_origin_server).toLowerCase(),
    tier: isObject(custom_metadata) ? textOf(custom_metadata["tier"]) : "",
  };
}

function textOf(value: JsonObject[string] | undefined): string {
  return typeof value === "string" ? value : "";
}

function holds({ match }: Rule, facts: Facts): boolean {
  if (!isObject(match)) return true;
  const anyOf = (key: string): readonly string[] => [match[key] ?? []].flat().map(String);
  const isAnyOf = (key: string, value: string): boolean => match[key] === undefined || anyOf(key).includes(value);
  const isNamed = (pattern: string): boolean =>
    new RegExp(
      `^${pattern
        .split("*")
        .map((part) => part.replaceAll(".", "[.]"))
        .join(".*")}$`,
    ).test(facts.hostname);
  return (
    (match["hostname"] === undefined || anyOf("hostname").some(isNamed)) &&
    (match["wildcard"] === undefined || match["wildcard"] === facts.isWildcard) &&
    isAnyOf("metadata.tier", facts.tier) &&
    isAnyOf("label.region", facts.region) &&
    isAnyOf("custom_origin_server", facts.origin)
  );
}

function overlaid(below: JsonObject, above: JsonObject): JsonObject {
  const members = Object.entries(above).flatMap(([key, value]) => {
    const under = below[key];
    if (value === null) return [];
    const isWhole = key === "custom_certificate" || key === "custom_key";
    return [[key, isObject(value) && isObject(under) && !isWhole ? overlaid(under, value) : value] as const];
  });
  return { ...below, ...Object.fromEntries(members) };
}
