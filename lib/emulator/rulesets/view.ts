import { timestamp } from "../clock.ts";
import { copy, type JsonObject } from "../json.ts";
import { currentVersion, type Ruleset, type RulesetVersion } from "./record.ts";

/** A ruleset with its rules (docs/service.md#rulesets), in its present version or another. */
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
