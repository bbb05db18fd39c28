import { counted, thousands } from "../../core/words.ts";
import { isHostname } from "../../kinds/registry.ts";
import { parseAddress } from "../../core/address.ts";
import type { Origin } from "../../core/diagnostic.ts";

/** How many foreign rules let traffic past: `2 foreign rules let traffic past yours`. */
export function foreignWords(count: number): string {
  return `${counted(count, "foreign rule")} ${count === 1 ? "lets" : "let"} traffic past yours`;
}

/** The noun of a kind in a sentence: `custom_hostname` is `custom hostname`. */
export function kindNoun(kind: string): string {
  return kind.replaceAll("_", " ");
}

/** A time in whole seconds, in everyday words: `1 min 20 s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "min"],
    [whole % 60, "s"],
  ];
  const said = parts.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`);
  return said.join(" ") || "0 s";
}

/** A time that counts down or up: `0:41`, `12:05`, `1:00:00`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(rest).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** A rounded time, in one unit if that is precise enough: `about 40 seconds`, `about 2 minutes`, `about 8 h 19 min`. */
export function aboutDuration(seconds: number): string {
  if (seconds < MINUTE_SECONDS) return `about ${counted(Math.ceil(seconds), "second")}`;
  const minutes = Math.round(seconds / MINUTE_SECONDS);
  return `about ${minutes < LONG_MINUTES ? counted(minutes, "minute") : duration(minutes * MINUTE_SECONDS)}`;
}

const MINUTE_SECONDS = 60;

/** From how many minutes on to give a time in hours and minutes. */
const LONG_MINUTES = 90;

/** How many addresses to name of a group that is too long to name whole. */
const NAMED = 3;

/** Names the first addresses and counts the rest. */
export function firstNamed(addresses: readonly string[], most: number): string {
  const others = addresses.length - most;
  return others <= 0 ? addresses.join(", ") : `${addresses.slice(0, most).join(", ")} and ${thousands(others)} more`;
}

/** Names all of a few addresses; of more than `most`, the first three with the count of the rest. */
export function named(addresses: readonly string[], most: number = NAMED): string {
  if (addresses.length <= most) return addresses.join(", ");
  return `${addresses.slice(0, NAMED).join(", ")} and ${thousands(addresses.length - NAMED)} more`;
}

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

/** One object by its name, several by their number; those of several zones with their zones. */
export function whichObjects(kind: string, addresses: readonly string[]): string {
  const [first] = addresses;
  if (addresses.length === 1 && first !== undefined) return objectName(first);
  const zones = zonesOf(addresses);
  if (zones.length < 2) return countedObjects(addresses.length, kind);
  const [name, ...others] = new Set(addresses.map(objectName));
  const which = name !== undefined && others.length === 0 ? name : countedObjects(addresses.length, kind);
  return `${which} in ${zones.length > MOST_NAMED ? counted(zones.length, "zone") : joinedByAnd(zones)}`;
}

/** The names of objects below a heading that says which they are; none if the heading names each of them. */
export function namesBelowHeading(addresses: readonly string[]): readonly string[] {
  if (addresses.length === 1) return [];
  const zones = zonesOf(addresses);
  if (zones.length < 2) return addresses.map(fullName);
  const isEachNamed = zones.length <= MOST_NAMED && new Set(addresses.map(objectName)).size === 1;
  return isEachNamed ? [] : addresses.map(nameInZone);
}

/** The name of an object among those of other zones: `saas.dev/shop.example`. */
function nameInZone(address: string): string {
  const { zone } = parseAddress(address) ?? {};
  const name = fullName(address);
  return zone === undefined || name === address ? name : `${zone}/${name}`;
}

/** The zones that addresses name, each once. */
export function zonesOf(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses.flatMap((address) => /^([^/[\]]+)\//.exec(address)?.[1] ?? []))];
}

function joinedByAnd(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

/** The first names of some objects, with the count of the rest. */
export function firstNames(addresses: readonly string[], most: number): string {
  return firstNamed(addresses.map(objectName), most);
}

/** The first part of a run's id, enough to identify it in a text: `7afb14ca`. */
export function runName(run: string): string {
  return /^[0-9a-f]{8}(?=-)/.exec(run)?.[0] ?? run;
}

/** The policy, exception or source behind a value, without the layer that its place already names. */
export function throughOf({ at, through }: Origin): string | undefined {
  return through?.replace(` of the layer ${at.file}`, "");
}

/** The policy or the exception that decides a value, with its last day: `  exception "EDGE-500", until 2027-01-31`. */
export function originNote(origin: Origin | undefined): string {
  if (origin?.isShared === undefined) return "";
  return `  ${throughOf(origin)}${origin.until === undefined ? "" : `, until ${origin.until}`}`;
}
