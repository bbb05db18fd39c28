import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Live, Options } from "../live.ts";
import type { ComparisonInput, RuleChange } from "./compared.ts";

/**
 * What somebody did to one rule since the last apply. `from` and `to` count from 1; for a move, among our rules only.
 */
export interface RuleEvent extends Omit<RuleChange, "action" | "foreign"> {
  /** `ahead`, `behind`: a foreign rule stands where `place` puts ours. */
  readonly what: "added" | "removed" | "moved" | "edited" | "enabled" | "disabled" | "ahead" | "behind";
  /** Its applied position; absent for an added rule. */
  readonly from?: number;
  /** Its live position; absent for a removed rule. */
  readonly to?: number;
  /** `prior` was applied, `before` is live, `after` is declared. */
  readonly leaves: readonly LeafChange[];
}

/** What happened to the rules of an object since the last apply. */
export interface RuleEvents {
  readonly drifted: readonly RuleEvent[];
  /** Refs of rules, and `order`, that are not as applied, but as declared. */
  readonly adopted: readonly string[];
}

/** Extra functions for an object made of rules, some of which may be foreign. Pure. */
export interface Shared {
  /** What somebody did to the rules. */
  ruleEvents(input: ComparisonInput): RuleEvents;
  /** The live values after an update. */
  valuesAfter(input: ComparisonInput): JsonObject;
  /** What stays live when our part of it is deleted. */
  valuesLeft(live: Live, prior: JsonObject | undefined): JsonObject;
  /** The live version of the values that were applied, with what somebody added to them. */
  valuesSince(applied: JsonObject, live: Live, options: Options): JsonObject;
}
