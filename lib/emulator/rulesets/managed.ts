import { derive } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { type Plan, PLANS } from "../store.ts";
import type { Ruleset } from "./ruleset.ts";

/** The phase of the managed rules. Its rules can only execute and skip rulesets (docs/service.md#rules). */
export const MANAGED_PHASE = "http_request_firewall_managed";

/**
 * A rule of a managed ruleset. The ids that are written out are public. A rule without one is made up, in the manner of the
 * public ones, and its id follows from its description.
 */
interface ManagedRule {
  readonly id?: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly action: string;
  /** False for a rule that is off until an override turns it on. */
  readonly enabled?: boolean;
  /** The score from which it acts. An override may set it. */
  readonly score_threshold?: number;
  readonly action_parameters?: JsonObject;
}

interface Managed {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly phase: string;
  /** The cheapest plan that may execute it. */
  readonly from: Plan;
  /** The actions that an override may set. */
  readonly actions: readonly string[];
  readonly rules: readonly ManagedRule[];
}

const WAF_ACTIONS = ["block", "challenge", "js_challenge", "log", "managed_challenge"];
const DDOS_ACTIONS = ["block", "challenge", "ddos_dynamic", "force_connection_close", "log", "managed_challenge"];

/**
 * The managed rulesets (docs/service.md#managed-rulesets). The service has hundreds of rules; here are some whose ids are public, and
 * a few more. Of a rule with an id and a CVE, the description is public too. Names of OWASP rules are those of the core rule set,
 * categories of the DDoS ruleset are from its page, and others from public examples, but which rule has which is made up.
 */
const MANAGED: readonly Managed[] = [
  {
    id: "efb7b8c949ac4650a09736fc376e9aee",
    name: "Cloudflare Managed Ruleset",
    phase: MANAGED_PHASE,
    from: "pro",
    actions: WAF_ACTIONS,
    rules: [
      // Of these four only the ids are public.
      blocks("SQLi - Comment", ["sqli"], "5de7edfa648c4d6891dc3e7f84534ffa"),
      blocks("WordPress - SQLi", ["sqli", "wordpress"], "e3a567afc347477d9702d9047e97d760"),
      blocks("Anomaly:Header:User-Agent - Missing", ["anomaly", "header"], "75a0060762034a6cb663fd51a02344cb"),
      { ...blocks("SQLi - UNION", ["sqli"], "23ee7cebe6e8443e99ecf932ab579455"), enabled: false },
      blocks("React - RCE - CVE:CVE-2025-55182", ["cve-2025-55182", "rce"], "33aa8a8a948b48b28d40450c5fb92fba"),
      blocks(
        "WordPress:Plugin:WPBookit - Remote Code Execution - CVE:CVE-2025-6058",
        ["cve-2025-6058", "rce", "wordpress"],
        "9b5c5e13d2ca4253a89769f2194f7b2d",
      ),
      blocks(
        "WordPress - Information Disclosure - CVE:CVE-2023-5561",
        ["cve-2023-5561", "information-disclosure", "wordpress"],
        "bba3d37891a440fb8bc95b970cbd9abc",
      ),
      blocks(
        "Grafana - Directory Traversal - CVE:CVE-2025-4123",
        ["cve-2025-4123", "directory-traversal"],
        "f71ce87ea6e54eab999223df579cd3e0",
      ),
      blocks(
        "Palo Alto Networks - Auth Bypass - CVE:CVE-2025-0108",
        ["auth-bypass", "cve-2025-0108"],
        "77c13c611d2a4fa3a89c0fafc382fdec",
      ),
      blocks("Joomla - File Upload", ["file-upload", "joomla"]),
      blocks("Drupal - Remote Code Execution", ["drupal", "rce"]),
      blocks("PHP - Code Injection", ["code-injection", "php"]),
      { ...blocks("XSS - HTML Injection", ["xss"]), enabled: false },
    ],
  },
  {
    id: "4814384a9e5d4991b9815dcfc25d2f1f",
    name: "Cloudflare OWASP Core Ruleset",
    description: "OWASP core rule set 3.x",
    phase: MANAGED_PHASE,
    from: "pro",
    actions: WAF_ACTIONS,
    rules: [
      // Of these three only the ids are public.
      scores("911100: Method is not allowed by policy", 1, ["attack-generic"], "04116d14d7524986ba314d11c8a41e11"),
      scores(
        "920170: GET or HEAD Request with Body Content",
        1,
        ["attack-protocol"],
        "55b58c71f653446fa0942cf7700f8c8e",
      ),
      scores("930100: Path Traversal Attack (/../)", 1, ["attack-lfi"], "7683285d70b14023ac407b67eccbb280"),
      scores("932100: Remote Command Execution: Unix Command Injection", 1, ["attack-rce", "language-shell"]),
      scores("933100: PHP Injection Attack: PHP Open Tag Found", 1, ["attack-injection-php", "language-php"]),
      scores("941100: XSS Attack Detected via libinjection", 1, ["attack-xss", "language-multi"]),
      scores("942100: SQL Injection Attack Detected via libinjection", 1, ["attack-sqli", "language-multi"]),
      scores("942200: Detects MySQL comment-/space-obfuscated injections", 2, ["attack-sqli", "language-multi"]),
      scores("920272: Invalid character in request (outside of printable chars)", 3, ["attack-protocol"]),
      scores("920273: Invalid character in request (outside of very strict set)", 4, ["attack-protocol"]),
      {
        id: "6179ae15870a4bb7b2d480d4843b323c",
        description: "949110: Inbound Anomaly Score Exceeded",
        categories: [],
        action: "block",
        score_threshold: 40,
      },
    ],
  },
  {
    id: "c2e184081120413c86c3ab7e14069605",
    name: "Cloudflare Exposed Credentials Check Ruleset",
    phase: MANAGED_PHASE,
    from: "pro",
    actions: [...WAF_ACTIONS, "rewrite"],
    rules: [
      rewrites("WordPress"),
      rewrites("Joomla"),
      rewrites("Drupal"),
      rewrites("Ghost"),
      rewrites("Plone"),
      rewrites("Magento"),
      blocks("Exposed-Credential-Check header of the client", []),
    ],
  },
  {
    id: "77454fe2d30c4220b5701f6fdfb893ba",
    name: "Cloudflare Managed Free Ruleset",
    phase: MANAGED_PHASE,
    from: "free",
    actions: WAF_ACTIONS,
    rules: [
      blocks("React - RCE - CVE:CVE-2025-55182", ["cve-2025-55182", "rce"], "2b5d06e34a814a889bee9a0699702280"),
      blocks("Log4j - Header - CVE:CVE-2021-44228", ["cve-2021-44228", "rce"]),
      blocks("Shellshock - CVE:CVE-2014-6271", ["cve-2014-6271", "rce"]),
    ],
  },
  {
    id: "e22d83c647c64a3eae91b71b499d988e",
    name: "Cloudflare Sensitive Data Detection",
    phase: "http_response_firewall_managed",
    from: "enterprise",
    actions: ["block", "log"],
    rules: [{ ...blocks("Credit card numbers", ["pii"]), action: "log" }],
  },
  {
    id: "70339d97bdb34195bbf054b1ebe81f76",
    name: "Cloudflare Normalization Ruleset",
    phase: "http_request_sanitize",
    from: "free",
    actions: ["rewrite"],
    rules: [
      {
        id: "78723a9e0c7c4c6dbec5684cb766231d",
        description: "Normalization on the URL path",
        categories: [],
        action: "rewrite",
      },
    ],
  },
  {
    id: "3b64149bfa6e4220bbbc2bd6db589552",
    name: "Cloudflare L3/4 DDoS Ruleset",
    phase: "ddos_l4",
    from: "free",
    actions: DDOS_ACTIONS,
    rules: [floods("Generic high-volume UDP traffic flows.", "generic", "599dab0942ff4898ac1b7797e954e98b")],
  },
  {
    id: "4d21379b4f9f4bb088e0729962c8b3cf",
    name: "DDoS L7 ruleset",
    phase: "ddos_l7",
    from: "free",
    actions: DDOS_ACTIONS,
    rules: [
      floods(
        "HTTP requests with unusual HTTP headers or URI path (signature #11).",
        "unusual-requests",
        "fdfdac75430c4c47a959592f0aa5e68a",
      ),
      floods("HTTP requests from known botnets.", "botnets"),
      floods("HTTP requests from uncategorized clients that are far above the usual rate.", "generic"),
      floods("Adaptive DDoS Protection based on User-Agents.", "advanced"),
    ],
  },
];

/** A rule of the Cloudflare Managed Ruleset and others that act alone. */
function blocks(description: string, categories: readonly string[], id?: string): ManagedRule {
  return { ...(id === undefined ? {} : { id }), description, categories, action: "block" };
}

/** A rule of the OWASP ruleset, which adds to the score. */
function scores(description: string, level: number, categories: readonly string[], id?: string): ManagedRule {
  const rule = blocks(description, [...categories, `paranoia-level-${level}`], id);
  return { ...rule, action: "score", action_parameters: { increment: 5 } };
}

/** A rule that marks exposed credentials with a header (the applications are public). */
function rewrites(application: string): ManagedRule {
  return { ...blocks(`Exposed credentials on ${application}`, [application.toLowerCase()]), action: "rewrite" };
}

function floods(description: string, category: string, id?: string): ManagedRule {
  return { ...blocks(description, [category], id), action: "ddos_dynamic" };
}

/** When the managed rulesets were last changed. A fixed day, so that answers stay the same. */
const UPDATED_AT = Date.UTC(2024, 0, 1);

const RULESETS: readonly Ruleset[] = MANAGED.map(({ id, name, description, phase, rules }) => ({
  id,
  name,
  kind: "managed",
  phase,
  versions: [{ version: 1, description: description ?? "", rules: rules.map(ruleView), updatedAt: UPDATED_AT }],
}));

/** The rule as the API shows it: without its expression, which nobody sees. */
function ruleView({ id, categories, enabled, ...rest }: ManagedRule): JsonObject {
  const shownId = id ?? derive(`managed rule ${rest.description}`).slice(0, 32);
  return {
    id: shownId,
    version: "1",
    ...rest,
    ...(categories.length > 0 ? { categories: [...categories] } : {}),
    last_updated: new Date(UPDATED_AT).toISOString(),
    ref: derive(`ref of ${shownId}`).slice(0, 32),
    enabled: enabled ?? true,
  };
}

/** The managed rulesets, which every account has. */
export function managedRulesets(): readonly Ruleset[] {
  return RULESETS;
}

/** Whether a zone with the plan may execute the managed ruleset; undefined if no managed ruleset has the id. */
export function isEntitled(id: string, plan: Plan): boolean | undefined {
  const ruleset = MANAGED.find((managed) => managed.id === id);
  return ruleset === undefined ? undefined : PLANS.indexOf(plan) >= PLANS.indexOf(ruleset.from);
}

/** The actions that an override of a managed ruleset may set; undefined if no managed ruleset has the id. */
export function overrideActions(id: string): readonly string[] | undefined {
  return MANAGED.find((managed) => managed.id === id)?.actions;
}
