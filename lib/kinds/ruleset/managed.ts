import type { Level } from "../traits/judged.ts";

/** A managed ruleset, with the rules and categories that are public (docs/service.md#managed-rulesets). */
export interface ManagedRuleset {
  readonly id: string;
  readonly phase: string;
  /** The cheapest subscription whose zones may execute it. */
  readonly least: Level;
  /** Some of its rules: their names by id, or nothing for a name that is not public. Empty if no rule is public. */
  readonly rules: Readonly<Record<string, string>>;
  readonly categories: readonly string[];
}

/** When the catalogue was compared with the public documentation. */
export const CATALOGUE_DATE = "2026-11-28";

const MANAGED_PHASE = "http_request_firewall_managed";

/** The managed rulesets by their names in the YAML. */
const CATALOGUE: Readonly<Record<string, ManagedRuleset>> = {
  cloudflare_managed: {
    id: "efb7b8c949ac4650a09736fc376e9aee",
    phase: MANAGED_PHASE,
    least: "pro",
    rules: {
      "23ee7cebe6e8443e99ecf932ab579455": "",
      "33aa8a8a948b48b28d40450c5fb92fba": "React - RCE - CVE:CVE-2025-55182",
      "5de7edfa648c4d6891dc3e7f84534ffa": "",
      "75a0060762034a6cb663fd51a02344cb": "",
      "77c13c611d2a4fa3a89c0fafc382fdec": "Palo Alto Networks - Auth Bypass - CVE:CVE-2025-0108",
      "9b5c5e13d2ca4253a89769f2194f7b2d": "WordPress:Plugin:WPBookit - Remote Code Execution - CVE:CVE-2025-6058",
      bba3d37891a440fb8bc95b970cbd9abc: "WordPress - Information Disclosure - CVE:CVE-2023-5561",
      e3a567afc347477d9702d9047e97d760: "",
      f71ce87ea6e54eab999223df579cd3e0: "Grafana - Directory Traversal - CVE:CVE-2025-4123",
    },
    categories: ["drupal", "joomla", "php", "rce", "sqli", "wordpress", "xss"],
  },
  cloudflare_owasp_core: {
    id: "4814384a9e5d4991b9815dcfc25d2f1f",
    phase: MANAGED_PHASE,
    least: "pro",
    rules: {
      "04116d14d7524986ba314d11c8a41e11": "",
      "55b58c71f653446fa0942cf7700f8c8e": "",
      "6179ae15870a4bb7b2d480d4843b323c": "949110: Inbound Anomaly Score Exceeded",
      "7683285d70b14023ac407b67eccbb280": "",
    },
    categories: ["paranoia-level-1", "paranoia-level-2", "paranoia-level-3", "paranoia-level-4"],
  },
  cloudflare_exposed_credentials_check: {
    id: "c2e184081120413c86c3ab7e14069605",
    phase: MANAGED_PHASE,
    least: "pro",
    rules: {},
    categories: [],
  },
  cloudflare_free_managed: {
    id: "77454fe2d30c4220b5701f6fdfb893ba",
    phase: MANAGED_PHASE,
    least: "free",
    rules: {
      "2b5d06e34a814a889bee9a0699702280": "React - RCE - CVE:CVE-2025-55182",
    },
    categories: [],
  },
  cloudflare_sensitive_data_detection: {
    id: "e22d83c647c64a3eae91b71b499d988e",
    phase: "http_response_firewall_managed",
    least: "enterprise",
    rules: {},
    categories: [],
  },
  cloudflare_normalization: {
    id: "70339d97bdb34195bbf054b1ebe81f76",
    phase: "http_request_sanitize",
    least: "free",
    rules: {
      "78723a9e0c7c4c6dbec5684cb766231d": "",
    },
    categories: [],
  },
  http_ddos: {
    id: "4d21379b4f9f4bb088e0729962c8b3cf",
    phase: "ddos_l7",
    least: "free",
    rules: {
      fdfdac75430c4c47a959592f0aa5e68a: "HTTP requests with unusual HTTP headers or URI path (signature #11).",
    },
    categories: ["advanced", "botnets", "generic", "unusual-requests"],
  },
  network_ddos: {
    id: "3b64149bfa6e4220bbbc2bd6db589552",
    phase: "ddos_l4",
    least: "free",
    rules: {
      "599dab0942ff4898ac1b7797e954e98b": "",
    },
    categories: [],
  },
};

/** The ids of the managed rulesets by their names in the YAML. */
export const MANAGED_RULESETS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CATALOGUE).map(([name, { id }]) => [name, id]),
);

/** The managed ruleset with an id. */
export function managedRuleset(id: string): ManagedRuleset | undefined {
  return Object.values(CATALOGUE).find((each) => each.id === id);
}

/** The public name of a rule of a managed ruleset; undefined if it is not public. */
export function managedRuleName(rule: string): string | undefined {
  const [name] = Object.values(CATALOGUE).flatMap(({ rules }) =>
    Object.hasOwn(rules, rule) ? (rules[rule] ?? "") : [],
  );
  return name === "" ? undefined : name;
}

/** The id of the managed ruleset that has a rule. */
export function rulesetWith(rule: string): string | undefined {
  return Object.values(CATALOGUE).find(({ rules }) => Object.hasOwn(rules, rule))?.id;
}

/** The id of a named managed ruleset; ids and unknown names are returned unchanged. */
export function managedRulesetId(nameOrId: string): string {
  return Object.hasOwn(MANAGED_RULESETS, nameOrId) ? (MANAGED_RULESETS[nameOrId] ?? nameOrId) : nameOrId;
}

/** The name of a managed ruleset, for people. */
export function managedRulesetName(id: string): string {
  return Object.entries(MANAGED_RULESETS).find(([, known]) => known === id)?.[0] ?? id;
}
