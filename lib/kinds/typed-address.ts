import { type AddressParts, formatAddress, parseAddress } from "../core/address.ts";
import { defined } from "../core/defined.ts";

/** The kind that a bare hostname stands for. */
const NAMED_BY_HOSTNAME = "custom_hostname";

/** A hostname, perhaps with its zone in front: `shop.acorn-co.com`, `acorn.dev/*.acorn-co.com`. */
const HOSTNAME = /^(?:([^/[\]\s"']+)\/)?((?:\*\.)?[^/[\]\s"'*]+\.[^/[\]\s"'*.]+\.?)$/;

/**
 * Parses an address as somebody types it. A bare hostname stands for its custom hostname, with or without the zone in
 * front. Undefined if it is neither.
 */
export function parseTypedAddress(text: string): AddressParts | undefined {
  const parts = parseAddress(text);
  if (parts) return parts;
  const [, zone, written] = HOSTNAME.exec(text.trim()) ?? [];
  if (written === undefined) return undefined;
  return { kind: NAMED_BY_HOSTNAME, key: written.toLowerCase().replace(/\.$/, ""), ...defined({ zone }) };
}

/** Converts a bare hostname to `custom_hostname["…"]`; other texts are returned unchanged. */
export function typedAddress(text: string): string {
  const parts = parseAddress(text) ? undefined : parseTypedAddress(text);
  return parts ? formatAddress(parts) : text;
}
