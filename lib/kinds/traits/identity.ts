import type { ZoneId } from "../../core/brand.ts";
import type { Codes } from "../../service/explanations/entry.ts";
import type { Meant } from "../../service/explanations/statuses.ts";
import type { HclResource } from "../hcl.ts";

/** What a kind is called, here and in other tools, and when it has its turn. */
export interface Identity<Name extends string, Own extends string> {
  readonly name: Name;
  /** Whether a zone has exactly one, so that it has no key in its address. */
  readonly isSingle: boolean;
  /** Kinds are carried out in this order, deletes in reverse. */
  readonly stage: number;
  /** What an export as HCL makes of it; `none` where the provider has no resource for it. */
  readonly hcl: HclResource | "none";
  /** The key exists only in the YAML; the service does not know it. Absent: the key is what the object is called live. */
  readonly hasFreeKey?: true;
  /** How its import ids are made, for people: `<zone_id>/<setting>`. */
  readonly importForms: readonly string[];
  /** The canonical import id (docs/semantics.md#import-ids). */
  importId(zone: ZoneId, live: { id: string }): string;
  /** The key that an import id `<zone_id>/<text>` means; undefined where the text is none of this kind. Absent: no such id is. */
  importedKey?(text: string): string | undefined;
  /** What error codes of its calls mean, where the service's own families do not say (`lib/service/explanations`). */
  readonly codes?: Codes;
  /** What the codes of its own problems and objections mean, by code. A code that no table explains does not compile. */
  readonly ownCodes: Readonly<Record<Own, Meant>>;
}
