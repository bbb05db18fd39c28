/** Managed rulesets by their names in the YAML (docs/service.md#managed-rulesets). */
export const MANAGED_RULESETS: Readonly<Record<string, string>> = {
  cloudflare_managed: "efb7b8c949ac4650a09736fc376e9aee",
  cloudflare_owasp_core: "4814384a9e5d4991b9815dcfc25d2f1f",
  cloudflare_exposed_credentials_check: "c2e184081120413c86c3ab7e14069605",
  cloudflare_free_managed: "77454fe2d30c4220b5701f6fdfb893ba",
  http_ddos: "4d21379b4f9f4bb088e0729962c8b3cf",
};

/** The id of a named managed ruleset; ids and unknown names are returned unchanged. */
export function managedRulesetId(nameOrId: string): string {
  return Object.hasOwn(MANAGED_RULESETS, nameOrId) ? (MANAGED_RULESETS[nameOrId] ?? nameOrId) : nameOrId;
}

/** The name of a managed ruleset, for people. */
export function managedRulesetName(id: string): string {
  return Object.entries(MANAGED_RULESETS).find(([, known]) => known === id)?.[0] ?? id;
}
