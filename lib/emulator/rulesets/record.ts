import type { JsonObject } from "../json.ts";

/** A rule as the API shows it: the caller's members plus id, version, ref and last_updated. */
export type Rule = JsonObject;

/** One saved version of a ruleset; saved versions never change. */
export interface RulesetVersion {
  /** Counts from 1, +1 per modification (docs/service.md#rulesets). */
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
  readonly kind: "zone" | "custom" | "managed";
  readonly phase: string;
  versions: RulesetVersion[];
}

/** The version in force. Throws when the ruleset has none, which the store never allows. */
export function currentVersion(ruleset: Ruleset): RulesetVersion {
  const last = ruleset.versions.at(-1);
  if (last === undefined) throw new Error(`ruleset ${ruleset.id} has no version`);
  return last;
}
