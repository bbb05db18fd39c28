import { formatPath, isObject, valueAt } from "../../core/json.ts";
import type { Exported, HclResource } from "../hcl.ts";

/** The custom hostname as the provider's resource. */
export const HCL: HclResource = {
  type: "cloudflare_custom_hostname",
  importId: ({ zone, id }) => `${zone.id}/${id}`,
  attributes: ({ zone, key, values }) => [["zone_id", zone.id], ["hostname", key], ...Object.entries(values)],
  ignored: hidden,
};

/** Write-only fields, and the bundle method, which the service may hide and for which the provider has a default. */
function hidden({ values, writeOnly, isShown }: Exported): readonly string[] {
  if (!isObject(values["ssl"])) return [];
  const sent = writeOnly.filter((leaf) => valueAt(values, leaf.split(".")) !== undefined);
  const bundling = ["ssl", "bundle_method"];
  return isShown(bundling) ? sent : [...sent, formatPath(bundling)];
}
