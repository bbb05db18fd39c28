import { defined } from "./json.ts";
import { type Address, brandAddress } from "./brand.ts";

/** An address in its parts. `zone` is the zone's name, present in a project with several zones. */
export interface AddressParts {
  readonly zone?: string;
  readonly kind: string;
  /** The natural key; absent for kinds that a zone has only one of. */
  readonly key?: string;
}

/** Formats an address: `saas.dev/custom_hostname["app.customer-one.net"]`, or `fallback_origin` for a single object. */
export function formatAddress(parts: AddressParts): Address {
  const zone = parts.zone === undefined ? "" : `${parts.zone}/`;
  const key = parts.key === undefined ? "" : `[${JSON.stringify(parts.key)}]`;
  return brandAddress(`${zone}${parts.kind}${key}`);
}

/** An address without its zone's name: the same whether or not the project has other zones. */
export function withoutZone(address: Address): Address {
  return brandAddress(address.replace(/^[^/[]*\//, ""));
}

/**
 * Parses an address as a person types it; quotes around the key may be single, double or missing. Returns undefined for
 * a text that does not look like an address.
 */
export function parseAddress(text: string): AddressParts | undefined {
  const match = /^(?:([^/[\]]+)\/)?([a-z][a-z_]*)(?:\[(.+)\])?$/.exec(text.trim());
  if (!match?.[2]) return undefined;
  const [, zone, kind, quoted] = match;
  const key = quoted?.replace(/^(["'])(.*)\1$/, "$2");
  return { kind, ...defined({ zone, key }) };
}
