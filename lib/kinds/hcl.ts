import type { Json, JsonObject, Path } from "../core/json.ts";

/** Names and values in the body of an HCL block, in order. */
export type Attributes = readonly (readonly [name: string, value: Json])[];

/** An object to export as a provider's resource. */
export interface Exported {
  readonly zone: { readonly id: string; readonly name: string };
  readonly key: string;
  readonly id: string;
  readonly values: JsonObject;
  readonly writeOnly: readonly string[];
  /** Whether the service shows the field. */
  readonly isShown: (path: Path) => boolean;
}

/**
 * A resource of the Cloudflare provider 5, which owns whole objects: it deletes what is left out, or plans the same
 * change again and again.
 */
export interface HclResource {
  readonly type: string;
  readonly importId: (object: Exported) => string;
  readonly attributes: (object: Exported) => Attributes;
  /** Attributes that the service does not show, or not as sent, so that Terraform would always find them changed. */
  readonly ignored?: (object: Exported) => readonly string[];
  /** Whether the resource can represent the object as it is. Absent: always. */
  readonly isThere?: (object: Exported) => boolean;
  /** What a reader of the file has to know about the resource. */
  readonly note?: string;
  /** Every change replaces it, and the new one must exist first. */
  readonly createsBeforeDestroy?: true;
}

/** The resource of a setting that a zone has once: its values unchanged. */
export function settingResource(type: string): HclResource {
  return {
    type,
    importId: ({ zone }) => zone.id,
    attributes: ({ zone, values }) => [["zone_id", zone.id], ...Object.entries(values)],
  };
}
