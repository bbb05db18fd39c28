import { timestamp } from "../clock.ts";
import type { Ids } from "../ids.ts";
import { canonical, copy, isObject, type Json, type JsonObject } from "../json.ts";

/** A rule as the API shows it: what the caller sent, with id, version, ref and last_updated. */
export type Rule = JsonObject;

/** One saved version of a ruleset; saved versions never change. */
export interface RulesetVersion {
  /** 1 at first. Each change adds 1 (docs/service.md#rulesets). */
  readonly version: number;
  readonly description: string;
  readonly rules: readonly Rule[];
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** A ruleset with its history, oldest version first. */
export interface Ruleset {
  readonly id: string;
  readonly name: string;
  readonly kind: "zone" | "root" | "custom" | "managed";
  readonly phase: string;
  versions: RulesetVersion[];
}

/** The latest version. Every ruleset in the store has one. */
export function currentVersion(ruleset: Ruleset): RulesetVersion {
  const last = ruleset.versions.at(-1);
  if (last === undefined) throw new Error(`ruleset ${ruleset.id} has no version`);
  return last;
}

/** A version of the ruleset with its rules, as the API shows it (docs/service.md#rulesets); the latest when absent. */
export function rulesetView(ruleset: Ruleset, version: RulesetVersion = currentVersion(ruleset)): JsonObject {
  return { ...rulesetSummary(ruleset, version), rules: copy([...version.rules]) };
}

/** A ruleset as lists show it: without its rules. */
export function rulesetSummary(ruleset: Ruleset, version: RulesetVersion = currentVersion(ruleset)): JsonObject {
  return {
    id: ruleset.id,
    name: ruleset.name,
    description: version.description,
    ...(ruleset.kind === "managed" ? { source: "firewall_managed" } : {}),
    kind: ruleset.kind,
    version: String(version.version),
    last_updated: timestamp(version.updatedAt),
    phase: ruleset.phase,
  };
}

/** What saving rules needs: new ids, and the time. */
interface Saving {
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The members of a rule that the service sets. The caller sets the others. */
const SERVER_MEMBERS = new Set(["id", "version", "last_updated"]);

/**
 * The rules as the service saves them. A rule that was sent replaces the present rule with its id, or else with its ref. Without id
 * and ref it is a new rule, so a PUT without them creates every rule again (docs/service.md#rules). A rule with the same content
 * keeps its version, at any position.
 */
export function settleRules(present: readonly Rule[], sent: readonly JsonObject[], saving: Saving): Rule[] {
  const free = new Set(present);
  const matches = sent.map((rule) => {
    const match = [...free].find((old) => isSame(old, rule));
    if (match !== undefined) free.delete(match);
    return match;
  });
  return sent.map((rule, index) => settleRule(matches[index], rule, saving));
}

/** The rule as the service saves it. `old` is the rule that it replaces, if any. */
export function settleRule(old: Rule | undefined, sent: JsonObject, saving: Saving): Rule {
  const id = old?.["id"] ?? saving.ids.hex(32);
  const settled: Rule = withDefaults({ ...sent, id, ref: sent["ref"] ?? old?.["ref"] ?? id });
  if (old !== undefined && contents(old) === contents(settled))
    return { ...settled, version: old["version"] ?? "1", last_updated: old["last_updated"] ?? null };
  const version = Number(old?.["version"] ?? 0) + 1;
  return { ...settled, version: String(version), last_updated: timestamp(saving.now) };
}

/** Saves a change as a new version of the ruleset (docs/service.md#rulesets). */
export function saveVersion(
  ruleset: Ruleset,
  change: Partial<Pick<RulesetVersion, "description" | "rules">>,
  now: number,
): void {
  const { version, description, rules } = currentVersion(ruleset);
  ruleset.versions.push({ description, rules, ...change, version: version + 1, updatedAt: now });
}

/**
 * Fills in the service's defaults (docs/service.md#rules). A skip rule logs, an execute rule executes the latest version, and a rate
 * limit counts all requests and has no timeout.
 */
function withDefaults(rule: Rule): Rule {
  const filled: Rule = { description: "", enabled: true, ...rule };
  if (rule["action"] === "skip" && !isObject(rule["logging"])) filled["logging"] = { enabled: true };
  const limit = rule["ratelimit"];
  if (isObject(limit)) {
    const { mitigation_timeout: timeout = 0, requests_to_origin: onlyToOrigin = false } = limit;
    filled["ratelimit"] = { ...limit, mitigation_timeout: timeout, requests_to_origin: onlyToOrigin };
  }
  const parameters = rule["action_parameters"];
  if (rule["action"] === "execute" && isObject(parameters))
    filled["action_parameters"] = { ...parameters, version: nonEmpty(parameters["version"]) ?? "latest" };
  return filled;
}

function nonEmpty(value: Json | undefined): Json | undefined {
  return value === "" || value === null ? undefined : value;
}

function isSame(old: Rule, sent: JsonObject): boolean {
  if (sent["id"] !== undefined) return old["id"] === sent["id"];
  return sent["ref"] !== undefined && old["ref"] === sent["ref"];
}

function contents(rule: Rule): string {
  return canonical(Object.fromEntries(Object.entries(rule).filter(([name]) => !SERVER_MEMBERS.has(name))));
}
