import { ServiceError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { Zone } from "../store.ts";
import { isUnder } from "../world.ts";
import { PACK_AUTHORITIES } from "./authority.ts";
import { COMMON_NAME_LENGTH, type ValidationMethod } from "./order.ts";

/** What an order of an advanced pack asks for. */
export interface PackInput {
  readonly hosts: readonly string[];
  readonly method: ValidationMethod;
  readonly validityDays: number;
  readonly authority: string;
  readonly branding: boolean;
}

const METHODS = ["txt", "http", "email"] as const;

/** The most hosts in one pack (docs/service.md#certificate-packs). */
const MOST_HOSTS = 50;

/** How many days each CA issues for (docs/service.md#certificate-authorities). */
const VALIDITIES: ReadonlyMap<string, readonly number[]> = new Map([
  ["google", [14, 30, 90]],
  ["lets_encrypt", [90]],
  ["ssl_com", [14, 30, 90, 365]],
]);

/** Reads and checks an order (docs/service.md#certificate-packs). Throws a 400 for what is wrong, 1469 for names that are all too long. */
export function readPack(zone: Zone, body: JsonObject): PackInput {
  if (body["type"] !== "advanced") throw packError(1400, "type must be advanced");
  const hosts = readHosts(zone, body["hosts"]);
  const method = METHODS.find((known) => known === body["validation_method"]);
  if (method === undefined) throw packError(1432, "The validation method must be http, email or txt");
  if (method === "http" && hosts.some((host) => host.startsWith("*.")))
    throw packError(1432, "Wildcards cannot be validated by http");
  const authority = PACK_AUTHORITIES.find((known) => known === body["certificate_authority"]);
  if (authority === undefined) throw packError(1434, "The certificate authority is not known");
  const validityDays = body["validity_days"];
  if (typeof validityDays !== "number" || VALIDITIES.get(authority)?.includes(validityDays) !== true)
    throw packError(1434, "validity_days is none that the certificate authority issues for");
  const branding = body["cloudflare_branding"] === true;
  if (!branding && hosts.every((host) => host.length > COMMON_NAME_LENGTH))
    throw packError(1469, "Since no host has 64 characters or fewer, cloudflare_branding is required");
  return { hosts, method, validityDays, authority, branding };
}

/** A refusal of an order. The codes are those of custom hostnames: those of packs are not published (inferred). */
export function packError(code: number, message: string, status = 400): ServiceError {
  return new ServiceError(status, { code, message });
}

function readHosts(zone: Zone, value: Json | undefined): string[] {
  if (!Array.isArray(value) || !value.every((host) => typeof host === "string"))
    throw packError(1400, "hosts must be a list of names");
  const hosts = [...new Set(value.map((host) => host.toLowerCase()))];
  if (!hosts.includes(zone.name)) throw packError(1400, `hosts must contain the zone's own name, ${zone.name}`);
  if (hosts.length > MOST_HOSTS) throw packError(1400, `a certificate pack has ${MOST_HOSTS} hosts at most`);
  const stranger = hosts.find((host) => !isUnder(host.replace(/^\*\./, ""), zone.name));
  if (stranger !== undefined) throw packError(1407, `${stranger} is not in the zone`);
  return hosts;
}

/** Whether the body of a PATCH asks for branding. Throws for a body that says something else. */
export function asksForBranding(body: Json): boolean {
  const wanted = isObject(body) ? body["cloudflare_branding"] : undefined;
  if (wanted !== undefined && typeof wanted !== "boolean")
    throw packError(1434, "cloudflare_branding must be a boolean");
  return wanted === true;
}
