import type { DiagnosticCode } from "./diagnostic-code.ts";
import type { JsonObject } from "./json.ts";

declare const brand: unique symbol;

/** A string that only one function can make, so that an address cannot be passed as an id. */
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** The 32 hex digits of a zone (docs/service.md#ids-and-times). */
export type ZoneId = Brand<"ZoneId">;

/** The name of an object for people and plans: `custom_hostname["app.customer-one.net"]`. */
export type Address = Brand<"Address">;

/** `sha256:` and 64 hex digits; for a whole plan `zf1:`, the version of the digests, and 64 hex digits. */
export type Digest = Brand<"Digest">;

/** Brands a text that was checked to be a zone id. */
export function zoneId(text: string): ZoneId {
  return text as ZoneId;
}

/** Whether a text has the form of a zone, ruleset or rule id. */
export function isHexId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Brands a text that `core/address.ts` formatted. */
export function brandAddress(text: string): Address {
  return text as Address;
}

/** Brands a text that `core/digest.ts` computed. */
export function brandDigest(text: string): Digest {
  return text as Digest;
}

/** Types JSON that was validated against its schema (`config/document-types.ts`). */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows which schema it checked
export function validated<T>(document: JsonObject): T {
  return document as T;
}

/** Brands the code of a finding in a plan file, which another version with other codes may have written. */
export function diagnosticCode(text: string): DiagnosticCode {
  return text as DiagnosticCode;
}

/** Makes an object from pairs; the caller ensures that each key is present. */
export function fromPairs<Key extends string, Value>(pairs: readonly (readonly [Key, Value])[]): Record<Key, Value> {
  return Object.fromEntries(pairs) as Record<Key, Value>;
}

/** Types an object whose fields all come from the description of a struct (`core/codec.ts`). */
export function wholeOf<Whole extends object>(fields: Whole | Readonly<Record<string, unknown>>): Whole {
  return fields as Whole;
}
