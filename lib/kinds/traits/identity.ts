import type { ZoneId } from "../../core/brand.ts";
import type { Codes } from "../../service/explanations/entry.ts";
import type { Meant } from "../../service/explanations/statuses.ts";
import type { HclResource } from "../hcl.ts";

/** The names of a kind, here and in other tools, and its place in the order. */
export interface Identity<Name extends string, Own extends string> {
  readonly name: Name;
  /** Whether a zone has exactly one, whose address has no key. */
  readonly isSingle: boolean;
  /** The order of kinds in an apply, reversed for deletions. */
  readonly stage: number;
  /** Its resource in an HCL export; `none` if the provider has none. */
  readonly hcl: HclResource | "none";
  /** The key exists only in the YAML, and the service does not know it. Absent: the key is the live name. */
  readonly hasFreeKey?: true;
  /** The forms of its import ids, for people: `<zone_id>/<setting>`. */
  readonly importForms: readonly string[];
  /** The canonical import id (docs/semantics.md#import-ids). */
  importId(zone: ZoneId, live: { id: string }): string;
  /**
   * The key for an import id `<zone_id>/<text>`; undefined if the text is no key of this kind. Absent: there is no such
   * form.
   */
  importedKey?(text: string): string | undefined;
  /** What error codes of its calls mean, beyond those of the service's families (`lib/service/explanations`). */
  readonly codes?: Codes;
  /** What the codes of its own problems and objections mean. A code without an explanation does not compile. */
  readonly ownCodes: Readonly<Record<Own, Meant>>;
}
