import { parseAddress } from "../../core/address.ts";
import { counted, firstNamed, kindNoun } from "./words.ts";

/** What a key may consist of to stand without quotes; anything else is shown as its address, which quotes it. */
const PLAIN_KEY = /^[\w*][\w.*-]*$/;

/** How many objects of a group to name before counting the rest. */
export const MOST_NAMED = 3;

/** The same where somebody has to look at each object: it is dangerous, deleted, blocked, or failed. */
export const MOST_IN_DANGER = 20;

/** An object as people call it: a hostname by its name, another object by its kind and key (`ruleset http_request_sbfm`). */
export function objectName(address: string): string {
  const { kind, key } = parseAddress(address) ?? {};
  if (kind === undefined) return address;
  if (key === undefined) return kind;
  if (!PLAIN_KEY.test(key)) return address;
  return kind === "custom_hostname" ? key : `${kind} ${key}`;
}

/** The same where zones are not told apart by a heading: only hostnames are known by their name alone. */
export function fullName(address: string): string {
  const { zone, kind, key } = parseAddress(address) ?? {};
  const isKnown = kind === "custom_hostname" && key !== undefined && PLAIN_KEY.test(key);
  return isKnown || zone === undefined ? objectName(address) : address;
}

/** What many objects of a kind are called: `40 hostnames`. */
export function countedObjects(count: number, kind: string): string {
  const noun = kind === "custom_hostname" ? "hostname" : kindNoun(kind);
  return counted(count, noun);
}

/** One object by its name, several by their number. */
export function whichObjects(kind: string, addresses: readonly string[]): string {
  const [only] = addresses;
  return addresses.length === 1 && only !== undefined ? objectName(only) : countedObjects(addresses.length, kind);
}

/** The first names of some objects, with the count of the others. */
export function firstNames(addresses: readonly string[], most: number): string {
  return firstNamed(addresses.map(objectName), most);
}

/** The first part of a run's id, which tells it apart in a text: `7afb14ca`. */
export function runName(run: string): string {
  return /^[0-9a-f]{8}(?=-)/.exec(run)?.[0] ?? run;
}
