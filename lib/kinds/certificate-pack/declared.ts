import { problem as coreProblem, wordingFrom } from "../../core/diagnostic.ts";
import { optionalText, texts } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ValueProblem } from "../traits/declared.ts";

/** Codes that only certificate packs raise. */
export const CODES = {
  "host-invalid": {
    cause: "a host of a certificate pack is not a hostname",
    message: "{host} is not a hostname",
    remedy: "use letters, digits and hyphens with dots between; write letters outside ASCII in punycode: xn--…",
  },
  "pack-needs-branding": {
    cause: "every host is longer than the 64 characters that a certificate's common name holds",
    message: "every host has more than {most} characters, but a certificate's common name holds {most}",
    remedy: "set cloudflare_branding: true; without it Cloudflare answers 1469",
  },
  "validity-not-issued": {
    cause: "the certificate authority issues no certificates for that many days",
    message: "{authority} issues no certificates for {days} days",
    remedy: "set validity_days: {allowed}",
  },
} as const;

const problem = wordingFrom(CODES);

/** The longest name that fits a certificate's common name (docs/service.md#common-name). */
const COMMON_NAME_LIMIT = 64;

/** How many days each CA issues for (docs/service.md#certificate-authorities). */
const VALIDITIES: Readonly<Record<string, readonly number[]>> = {
  google: [14, 30, 90],
  lets_encrypt: [90],
  ssl_com: [14, 30, 90, 365],
};

/** Hosts in lower case, each once, sorted: their order means nothing to the service. */
export function normalise(desired: JsonObject): JsonObject {
  return desired["hosts"] === undefined ? desired : { ...desired, hosts: [...hostsOf(desired)] };
}

/** The natural key: packs have no name, so their hosts identify them. */
export function keyOf(desired: JsonObject): string {
  return hostsOf(desired).join(",");
}

/** A typed key, with its hosts normalised and sorted; undefined if one is not a hostname. */
export function parseKey(text: string): string | undefined {
  const hosts = hostsOf({ hosts: text.split(",") });
  return hosts.every(isHost) ? hosts.join(",") : undefined;
}

/** The hosts of a declared or of a live pack, normalised. */
export function hostsOf(from: JsonObject): readonly string[] {
  const names = texts(from, "hosts").map((host) => host.trim().toLowerCase().replace(/\.$/, ""));
  return [...new Set(names)].sort();
}

/** Problems that the service would refuse in an order, found before anything is sent. */
export function problems(_key: string, desired: JsonObject): readonly ValueProblem[] {
  const hosts = hostsOf(desired);
  return [
    ...hostProblems(hosts),
    ...methodProblems(hosts, desired),
    ...nameProblems(hosts, desired),
    ...dayProblems(desired),
  ];
}

function hostProblems(hosts: readonly string[]): ValueProblem[] {
  const wrong = hosts.filter((host) => !isHost(host));
  return wrong.map((host) => ({ path: ["hosts"], ...problem("host-invalid", { host: JSON.stringify(host) }) }));
}

function isHost(host: string): boolean {
  return /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]+$/.test(host);
}

function methodProblems(hosts: readonly string[], desired: JsonObject): ValueProblem[] {
  const wildcard = hosts.find((host) => host.startsWith("*."));
  if (wildcard === undefined || desired["validation_method"] !== "http") return [];
  const hostname = JSON.stringify(wildcard);
  const found = coreProblem("wildcard-needs-txt", { hostname }, { remedy: "set validation_method: txt" });
  return [{ path: ["validation_method"], ...found }];
}

function nameProblems(hosts: readonly string[], desired: JsonObject): ValueProblem[] {
  const isFitting = hosts.length === 0 || hosts.some((host) => host.length <= COMMON_NAME_LIMIT);
  if (isFitting || desired["cloudflare_branding"] === true) return [];
  return [{ path: ["hosts"], ...problem("pack-needs-branding", { most: COMMON_NAME_LIMIT }) }];
}

function dayProblems(desired: JsonObject): ValueProblem[] {
  const authority = optionalText(desired, "certificate_authority") ?? "";
  const days = desired["validity_days"];
  const known = VALIDITIES[authority];
  if (!known || typeof days !== "number" || known.includes(days)) return [];
  const found = problem("validity-not-issued", { authority, days, allowed: known.join(" or ") });
  return [{ path: ["validity_days"], ...found }];
}
