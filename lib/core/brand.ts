import type { DiagnosticCode } from "./diagnostic-code.ts";
import type { JsonObject } from "./json.ts";

declare const brand: unique symbol;

/** A string that only its maker may make, so that an address is never passed where an id is meant. */
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** The 32 hex digits of a zone (docs/service.md#ids-and-times). */
export type ZoneId = Brand<"ZoneId">;

/** How people and plans name an object: `custom_hostname["app.customer-one.net"]`. */
export type Address = Brand<"Address">;

/** `sha256:` and 64 hex digits; of a whole plan `zf3:` and 64 hex digits, with the version of the digests in front. */
export type Digest = Brand<"Digest">;

/** Takes a text that was checked to be a zone id. */
export function zoneId(text: string): ZoneId {
  return text as ZoneId;
}

/** Whether a text has the form of a zone, ruleset or rule id. */
export function isHexId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Takes the text that `core/address.ts` formatted. */
export function brandAddress(text: string): Address {
  return text as Address;
}

/** Takes the text that `core/digest.ts` computed. */
export function brandDigest(text: string): Digest {
  return text as Digest;
}

/** Takes JSON that its schema holds for, as the type that says the same (`config/document-types.ts`). */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever calls it knows which schema held
export function validated<T>(document: JsonObject): T {
  return document as T;
}

/** Takes the code of a finding out of a plan file, which a version with other codes may have written. */
export function diagnosticCode(text: string): DiagnosticCode {
  return text as DiagnosticCode;
}

/** Makes a record of pairs; whoever calls it sees to it that each key is there. */
export function recordOf<Key extends string, Value>(pairs: readonly (readonly [Key, Value])[]): Record<Key, Value> {
  return Object.fromEntries(pairs) as Record<Key, Value>;
}

/** Takes an object whose fields were each made by the description of a record (`core/codec.ts`). */
export function wholeOf<Whole extends object>(fields: Whole | Readonly<Record<string, unknown>>): Whole {
  return fields as Whole;
}
