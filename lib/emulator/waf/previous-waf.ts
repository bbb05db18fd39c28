import type { JsonObject } from "../json.ts";

/** The states of a zone's migration to the new managed rules (docs/service.md#waf-migration). */
export const MIGRATION_STATES = ["default", "start", "validation", "complete"] as const;

/** The state of a zone's migration. A zone in `default` never had the previous managed rules. */
export type MigrationState = (typeof MIGRATION_STATES)[number];

/** The sensitivities of the previous OWASP package (docs/service.md#previous-waf). The store has null if none was ever set. */
export const SENSITIVITIES = ["high", "medium", "low", "off"] as const;

/** A sensitivity of the previous OWASP package. */
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** The actions of the previous OWASP package (docs/service.md#previous-waf). */
export const ACTION_MODES = ["simulate", "block", "challenge"] as const;

/** An action of the previous OWASP package. */
export type ActionMode = (typeof ACTION_MODES)[number];

/** How far a zone's migration has got. Times are milliseconds since the epoch. */
export interface Migration {
  state: MigrationState;
  /** When the zone entered this state. */
  createdAt: number;
  /** When the new managed rules of a migration call come into force; null if they are in force as soon as they are saved. */
  newFrom: number | null;
  /** When the service turns off the previous managed rules; null if nobody asked for it. */
  dueAt: number | null;
  /** Whether somebody selected "Ready to update" in the dashboard. */
  isReady: boolean;
}

/** A URI-based override of the previous managed rules (docs/service.md#previous-waf). */
export interface UriOverride {
  readonly id: string;
  urls: string[];
  paused: boolean;
  priority: number | null;
  description: string | null;
  /** Modes by group. */
  groups: JsonObject;
  /** Modes by rule. */
  rules: JsonObject;
  rewriteAction: JsonObject;
}

/** A firewall rule, the predecessor of a custom rule. Times are milliseconds since the epoch. */
export interface FirewallRule {
  readonly id: string;
  readonly filterId: string;
  expression: string;
  action: string;
  /** What a `bypass` rule bypasses; `waf` is the managed rules. */
  products: string[];
  paused: boolean;
  priority: number | null;
  description: string;
  ref: string | null;
  readonly createdAt: number;
  modifiedAt: number;
}

/** A page rule. Times are milliseconds since the epoch. */
export interface PageRule {
  readonly id: string;
  /** With `*` for any text. */
  url: string;
  actions: JsonObject[];
  /** Of the rules that match a request, only the one with the highest priority applies. */
  priority: number;
  status: "active" | "disabled";
  readonly createdAt: number;
  modifiedAt: number;
}

/** Everything about a zone's managed rules that is not a ruleset. */
export interface Waf {
  /** The zone setting `waf`, which turns all previous managed rules on or off. */
  isOn: boolean;
  sensitivity: Sensitivity | null;
  actionMode: ActionMode;
  /** The modes of groups that differ from the default, by id. */
  groupModes: Record<string, string>;
  /** The modes of rules that differ from the default, by id. */
  ruleModes: Record<string, string>;
  overrides: UriOverride[];
  firewallRules: FirewallRule[];
  pageRules: PageRule[];
  readonly migration: Migration;
}

/** The previous managed rules as a zone starts with them: on, with nothing changed. */
export function usualWaf(state: MigrationState, createdAt: number): Waf {
  return {
    isOn: true,
    sensitivity: null,
    actionMode: "challenge",
    groupModes: {},
    ruleModes: {},
    overrides: [],
    firewallRules: [],
    pageRules: [],
    migration: { state, createdAt, newFrom: null, dueAt: null, isReady: false },
  };
}

/** Whether the zone still has the previous managed rules, so that their calls work (docs/service.md#waf-migration). */
export function hasPrevious(waf: Waf): boolean {
  return waf.migration.state === "start" || waf.migration.state === "validation";
}
