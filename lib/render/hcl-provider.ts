import {
  formatPath,
  isList,
  isObject,
  type Json,
  type JsonObject,
  type Path,
  valueAt,
  withValueAt,
} from "../core/json.ts";
import type { KindName } from "../resources/kind.ts";
import type { Attributes } from "./hcl.ts";

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

/** A resource of the Cloudflare provider 5, which owns objects whole: what is left out, it takes away or has no end of changing. */
export interface Resource {
  readonly type: string;
  readonly importId: (object: Exported) => string;
  readonly attributes: (object: Exported) => Attributes;
  /** Attributes that the service does not show, or not as they are sent: Terraform would find them changed for ever. */
  readonly ignored?: (object: Exported) => readonly string[];
  /** Every change replaces it, and the new one has to be there first. */
  readonly createsBeforeDestroy?: true;
}

/** The resources of the provider; it has none for the WAF migration. */
export const RESOURCES: Readonly<Partial<Record<KindName, Resource>>> = {
  fallback_origin: {
    type: "cloudflare_custom_hostname_fallback_origin",
    importId: ({ zone }) => zone.id,
    attributes: ({ zone, values }) => [["zone_id", zone.id], ...Object.entries(values)],
  },
  custom_hostname: {
    type: "cloudflare_custom_hostname",
    importId: ({ zone, id }) => `${zone.id}/${id}`,
    attributes: ({ zone, key, values }) => [["zone_id", zone.id], ["hostname", key], ...Object.entries(values)],
    ignored: hiddenInHostname,
  },
  certificate_pack: {
    type: "cloudflare_certificate_pack",
    importId: ({ zone, id }) => `${zone.id}/${id}`,
    attributes: ({ zone, values }) => [["zone_id", zone.id], ["type", "advanced"], ...Object.entries(values)],
    // The service adds a name of its own to a branded pack.
    ignored: ({ values }) => (values["cloudflare_branding"] === true ? ["hosts"] : []),
    createsBeforeDestroy: true,
  },
  ruleset: {
    type: "cloudflare_ruleset",
    importId: ({ zone, id }) => `zones/${zone.id}/${id}`,
    attributes: ({ zone, key, values: { name = "default", rules = [], ...others } }) => [
      ["zone_id", zone.id],
      ["name", name],
      ["kind", "zone"],
      ["phase", key],
      ...Object.entries(others),
      ["rules", isList(rules) ? rules.filter(isObject).map(ruleOf) : rules],
    ],
  },
  total_tls: {
    type: "cloudflare_total_tls",
    importId: ({ zone }) => zone.id,
    attributes: ({ zone, values }) => [["zone_id", zone.id], ...Object.entries(values)],
  },
};

/** What was only ever sent; and the bundle method, which the service need not show and the provider has a default for. */
function hiddenInHostname({ values, writeOnly, isShown }: Exported): readonly string[] {
  if (!isObject(values["ssl"])) return [];
  const sent = writeOnly.filter((leaf) => valueAt(values, leaf.split(".")) !== undefined);
  const bundling = ["ssl", "bundle_method"];
  return isShown(bundling) ? sent : [...sent, formatPath(bundling)];
}

/** Every attribute that the provider has for a rule: what a rule is, then how it does it. */
const RULE = [
  "ref",
  "description",
  "action",
  "expression",
  "enabled",
  "action_parameters",
  "ratelimit",
  "exposed_credential_check",
  "logging",
];

function ruleOf(rule: JsonObject): JsonObject {
  const kept = RULE.flatMap((field) => {
    const value = rule[field];
    if (value === undefined || (field === "description" && value === "")) return [];
    return [[field, isObject(value) && field === "action_parameters" ? parametersOf(value) : value] as const];
  });
  return Object.fromEntries(kept);
}

/**
 * The parameters as the provider has them. It knows no version of a managed ruleset, writes `max-age` as `max_age`, and
 * has an object where the API has the list of a query string's names.
 */
function parametersOf({ version: _version, ...parameters }: JsonObject): JsonObject {
  const named = Object.entries(parameters).map(([name, value]) => [name.replaceAll("-", "_"), value] as const);
  return ["include", "exclude"].reduce((shaped: JsonObject, side) => {
    const path = ["cache_key", "custom_key", "query_string", side];
    const names = valueAt(shaped, path);
    return isList(names) ? withValueAt(shaped, path, queryNames(side, names)) : shaped;
  }, Object.fromEntries(named));
}

function queryNames(side: string, names: readonly Json[]): JsonObject {
  return side === "include" && names.length === 1 && names[0] === "*" ? { all: true } : { list: names };
}
