import { isHostname } from "../../kinds/registry.ts";
import { parseAddress } from "../../core/address.ts";
import { counted, firstNamed, kindNoun } from "./words.ts";

/** Keys that need no quotes; anything else is shown as its address, which quotes it. */
const PLAIN_KEY = /^[\w*][\w.*-]*$/;

/** How many objects of a group to name before counting the rest. */
export const MOST_NAMED = 3;

/** The same for objects that the user has to check one by one: dangerous, deleted, blocked, or failed. */
export const MOST_IN_DANGER = 20;

/**
 * The everyday name of an object: a hostname by its name, another object by its kind and key (`ruleset
 * http_request_sbfm`).
 */
export function objectName(address: string): string {
  const { kind, key } = parseAddress(address) ?? {};
  if (kind === undefined) return address;
  if (key === undefined) return kind;
  if (!PLAIN_KEY.test(key)) return address;
  return isHostname(kind) ? key : `${kind} ${key}`;
}

/** The same if no heading names the zone: only hostnames are identified by their name alone. */
export function fullName(address: string): string {
  const { zone, kind, key } = parseAddress(address) ?? {};
  const isKnown = kind !== undefined && isHostname(kind) && PLAIN_KEY.test(key ?? "");
  return isKnown || zone === undefined ? objectName(address) : address;
}

/** A count of objects with the noun of their kind: `40 hostnames`. */
export function countedObjects(count: number, kind: string): string {
  const noun = isHostname(kind) ? "hostname" : kindNoun(kind);
  return counted(count, noun);
}

/** One object by its name, several by their number. */
export function whichObjects(kind: string, addresses: readonly string[]): string {
  const [only] = addresses;
  return addresses.length === 1 && only !== undefined ? objectName(only) : countedObjects(addresses.length, kind);
}

/** The first names of some objects, with the count of the rest. */
export function firstNames(addresses: readonly string[], most: number): string {
  return firstNamed(addresses.map(objectName), most);
}

/** The first part of a run's id, enough to identify it in a text: `7afb14ca`. */
export function runName(run: string): string {
  return /^[0-9a-f]{8}(?=-)/.exec(run)?.[0] ?? run;
}
