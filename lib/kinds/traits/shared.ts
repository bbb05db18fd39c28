import type { LeafChange } from "../../core/diff.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Live, Options } from "../live.ts";
import type { ComparisonInput, RuleChange } from "./compared.ts";

/** What somebody did to one rule since the last apply. `from` and `to` count from 1: a move's among the rules that are ours. */
export interface RuleEvent extends Omit<RuleChange, "action" | "foreign"> {
  readonly what: "added" | "removed" | "moved" | "edited" | "enabled" | "disabled";
  /** Where it was applied; absent for a rule that was added. */
  readonly from?: number;
  /** Where it is now; absent for a rule that was removed. */
  readonly to?: number;
  /** `prior` is what was applied, `before` what live has, `after` what the YAML wants. */
  readonly leaves: readonly LeafChange[];
}

/** What happened to the rules of an object since the last apply. */
export interface RuleEvents {
  readonly drifted: readonly RuleEvent[];
  /** Refs of rules, and `order`, that are not as applied, but as the YAML wants them. */
  readonly adopted: readonly string[];
}

/** What is worked out of an object that consists of rules, some of which may be somebody else's. Pure. */
export interface Shared {
  /** What somebody did to the parts that `compare` tells as rules. */
  ruleEvents(input: ComparisonInput): RuleEvents;
  /** The values that an update will leave live. */
  valuesAfter(input: ComparisonInput): JsonObject;
  /** What stays live when what is ours of it is deleted. */
  valuesLeft(live: Live, prior: JsonObject | undefined): JsonObject;
  /** What has become of the values that were applied, with what somebody added to them. */
  valuesSince(applied: JsonObject, live: Live, options: Options): JsonObject;
}
