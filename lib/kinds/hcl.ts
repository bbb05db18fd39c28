import type { Json, JsonObject, Path } from "../core/json.ts";

/** Names and values of an HCL block's body, in their order. */
export type Attributes = readonly (readonly [name: string, value: Json])[];

/** An object as a provider's resource is made of it. */
export interface Exported {
  readonly zone: { readonly id: string; readonly name: string };
  readonly key: string;
  readonly id: string;
  readonly values: JsonObject;
  readonly writeOnly: readonly string[];
  /** Whether the service shows the leaf. */
  readonly isShown: (path: Path) => boolean;
}

/** A resource of the Cloudflare provider 5, which owns objects whole: it deletes what is left out, or plans the same change forever. */
export interface HclResource {
  readonly type: string;
  readonly importId: (object: Exported) => string;
  readonly attributes: (object: Exported) => Attributes;
  /** Attributes that the service does not show, or not as they are sent: Terraform would find them changed for ever. */
  readonly ignored?: (object: Exported) => readonly string[];
  /** Whether the resource stands for the object as it is. Absent: it always does. */
  readonly isThere?: (object: Exported) => boolean;
  /** Every change replaces it, and the new one has to be there first. */
  readonly createsBeforeDestroy?: true;
}

/** The resource of a setting of which a zone has one: its values as they are. */
export function settingResource(type: string): HclResource {
  return {
    type,
    importId: ({ zone }) => zone.id,
    attributes: ({ zone, values }) => [["zone_id", zone.id], ...Object.entries(values)],
  };
}
