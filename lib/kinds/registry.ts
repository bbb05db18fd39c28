import * as registered from "./registered.ts";
import type { Kind, KindName } from "./kind.ts";
import { defined } from "../core/json.ts";
import { type AddressParts, formatAddress, parseAddress } from "../core/address.ts";

/** Every kind of resource, in the order in which apply works. */
export const KINDS: readonly Kind[] = Object.values<Kind>(registered).toSorted(
  // Compares names by their characters: a collator takes Node longer to load than all the kinds.
  (a, b) => a.stage - b.stage || (a.name < b.name ? -1 : 1),
);

const byName = new Map<string, Kind>(KINDS.map((kind) => [kind.name, kind]));

/** The kind of that name. Throws if there is none: callers pass checked names. */
export function kindNamed(name: KindName): Kind {
  const kind = byName.get(name);
  if (!kind) throw new Error(`there is no kind of resource named ${name}`);
  return kind;
}

/** The kind for a typed name; undefined if there is none. */
export function kindIfNamed(name: string): Kind | undefined {
  return byName.get(name);
}

/** The kind that a bare hostname stands for and that policies match. A zone file declares it in several ways. */
export const HOSTNAMES: typeof registered.customHostname = registered.customHostname;

/** The kind whose objects hold rules of several owners. A review of foreign rules names them by their keys alone. */
export const ENTRY_POINTS: typeof registered.ruleset = registered.ruleset;

/** Whether objects of the kind are hostnames. */
export function isHostname(kind: string): boolean {
  return kind === HOSTNAMES.name;
}

/** A hostname, perhaps with its zone in front: `shop.acorn-co.com`, `acorn.dev/*.acorn-co.com`. */
const HOSTNAME = /^(?:([^/[\]\s"']+)\/)?((?:\*\.)?[^/[\]\s"'*]+\.[^/[\]\s"'*.]+\.?)$/;

/**
 * Parses a typed address. A bare hostname stands for its custom hostname, with or without the zone in front. Undefined
 * if it is neither.
 */
export function parseTypedAddress(text: string): AddressParts | undefined {
  const parts = parseAddress(text);
  if (parts) return parts;
  const [, zone, written] = HOSTNAME.exec(text.trim()) ?? [];
  if (written === undefined) return undefined;
  return { kind: HOSTNAMES.name, key: written.toLowerCase().replace(/\.$/, ""), ...defined({ zone }) };
}

/** Converts a bare hostname to `custom_hostname["…"]`; other texts are returned unchanged. */
export function typedAddress(text: string): string {
  const parts = parseAddress(text) ? undefined : parseTypedAddress(text);
  return parts ? formatAddress(parts) : text;
}
