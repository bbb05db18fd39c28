import { parseAddress } from "../../core/address.ts";
import { firstNamed, kindNoun, thousands } from "../lines/words.ts";

/** Kinds whose objects are known by their name alone. */
const KNOWN_BY_NAME = "custom_hostname";

/**
 * What people call an object below a heading that names its zone: a hostname by its name, others as `ruleset NAME` or
 * `total_tls`. What is no address stays as it is.
 */
export function objectName(address: string): string {
  const { kind, key } = parseAddress(address) ?? { kind: address };
  if (key === undefined) return kind;
  return kind === KNOWN_BY_NAME ? key : `${kind} ${key}`;
}

/** One object by its name, many by their count and noun: `app.customer-one.net`, `5,000 hostnames`. */
export function objectNames(kind: string, addresses: readonly string[]): string {
  const [only] = addresses;
  if (addresses.length === 1 && only !== undefined) return objectName(only);
  const noun = kind === KNOWN_BY_NAME ? "hostname" : kindNoun(kind);
  return `${thousands(addresses.length)} ${noun}s`;
}

/** The first names of some objects, with the count of the others. */
export function firstNames(addresses: readonly string[], most: number): string {
  return firstNamed(addresses.map(objectName), most);
}
