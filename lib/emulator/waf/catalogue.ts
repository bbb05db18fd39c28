import { derive } from "../ids.ts";

/** A rule of the previous managed rules. */
export interface OldRule {
  readonly id: string;
  readonly description: string;
  readonly priority: string;
  /** The default mode. */
  readonly usualMode: string;
  /** What `default` means, in a traditional package. */
  readonly defaultMode?: string;
}

/** A group of previous managed rules. */
export interface OldGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly rules: readonly OldRule[];
}

/** A package of groups. `traditional` rules act one by one; `anomaly` rules add up to a score. */
export interface OldPackage {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly detectionMode: "traditional" | "anomaly";
  readonly groups: readonly OldGroup[];
}

/** Modes of groups in both packages (docs/service.md#previous-waf). */
export const GROUP_MODES = ["on", "off"] as const;

/** Modes of rules (docs/service.md#previous-waf). */
export const RULE_MODES = {
  traditional: ["default", "disable", "simulate", "block", "challenge"],
  anomaly: ["on", "off"],
} as const;

/** The package of Cloudflare's own rules (id: docs/service.md#previous-waf). */
const SERVICE_PACKAGE: OldPackage = {
  id: "1e334934fd7ae32ad705667f8c1057aa",
  name: "CloudFlare",
  description: "Rules written and kept by the service",
  detectionMode: "traditional",
  groups: [
    group("Cloudflare Specials", undefined, [
      acting("100000", "Empty User-Agent", "challenge"),
      acting("100001", "Anomaly:Header:User-Agent - Missing", "challenge"),
      acting("100015", "Anomaly:Port - Non Standard Port", "disable"),
      acting("100048", "Anomaly:Body - Large", "disable"),
    ]),
    group("Cloudflare Miscellaneous", undefined, [
      acting("100046", "Apache Struts - Open Redirect - CVE:CVE-2013-2248", "disable"),
      acting("100030", "Anomaly:Method - Unknown HTTP Method", "block"),
    ]),
    group("Cloudflare WordPress", "de677e5818985db1285d0e80225f06e5", [
      acting("WP0001", "WordPress - Dangerous File Upload", "block"),
      acting("WP0025B", "WordPress - DoS - CVE:CVE-2018-6389", "block"),
    ]),
    group("Cloudflare Php", undefined, [acting("PHP0001", "PHP - Code Injection", "block")]),
  ],
};

/** The package of OWASP rules, from version 2.x of the core rule set (docs/service.md#managed-rulesets; ids: docs/service.md#previous-waf). */
const OWASP_PACKAGE: OldPackage = {
  id: "c504870194831cd12c3fc0284f294abb",
  name: "OWASP ModSecurity Core Rule Set",
  description: "OWASP core rule set 2.x: rules that add to a score",
  detectionMode: "anomaly",
  groups: [
    group("OWASP Bad Robots", "07d700cf30fda7548be94ff01087d0c4", [
      scoring("990002", "Request Indicates a Security Scanner Scanned the Site"),
      scoring("990012", "Rogue web site crawler"),
    ]),
    group("OWASP Generic Attacks", "3d8fb0c18b5a6ba7682c80e94c7937b2", [
      scoring("950907", "System Command Injection"),
      scoring("960024", "SQL Character Anomaly Detection Alert - Repetitive Non-Word Characters"),
    ]),
    group("OWASP SQL Injection Attacks", undefined, [
      scoring("950901", "SQL Injection Attack: SQL Tautology Detected"),
      scoring("981257", "Detects MySQL comment-/space-obfuscated injections and backtick termination"),
    ]),
    group("OWASP XSS Attacks", undefined, [scoring("958051", "Cross-site Scripting (XSS) Attack")]),
    // This rule decides by the score (docs/service.md#previous-waf).
    group("OWASP Common Exceptions", undefined, [scoring("981176", "Inbound Anomaly Score Exceeded")]),
  ],
};

/** The packages of the previous managed rules. Every zone that has any has these. */
export const PACKAGES: readonly OldPackage[] = [SERVICE_PACKAGE, OWASP_PACKAGE];

/** Finds a group in any package by its id or name. */
export function groupNamed(idOrName: string): OldGroup | undefined {
  return PACKAGES.flatMap((pack) => pack.groups).find((found) => found.id === idOrName || found.name === idOrName);
}

/** Finds a rule by its id, with its package. */
export function ruleNamed(id: string): { readonly pack: OldPackage; readonly rule: OldRule } | undefined {
  for (const pack of PACKAGES)
    for (const { rules } of pack.groups) for (const rule of rules) if (rule.id === id) return { pack, rule };
  return undefined;
}

function group(name: string, id: string | undefined, rules: readonly OldRule[]): OldGroup {
  return { id: id ?? derive(`old group ${name}`).slice(0, 32), name, description: name, rules };
}

function acting(id: string, description: string, defaultMode: string): OldRule {
  return { id, description, priority: "1", usualMode: "default", defaultMode };
}

function scoring(id: string, description: string): OldRule {
  return { id, description, priority: "5", usualMode: "on" };
}
