import type { LeafChange } from "../../core/diff.ts";
import { isList, isObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Live, Options } from "../live.ts";
import type { ComparisonInput, RuleChange } from "./compared.ts";
import { optionalText } from "../../core/decode.ts";

/**
 * What was done to one rule outside Zoneform since the last apply. `from` and `to` count from 1; for a move, among our
 * rules only.
 */
export interface RuleEvent extends Omit<RuleChange, "action" | "foreign"> {
  /** `ahead`, `behind`: a foreign rule stands where `place` puts ours. */
  readonly what: "added" | "removed" | "moved" | "edited" | "enabled" | "disabled" | "ahead" | "behind";
  /** Its applied position; absent for an added rule. */
  readonly from?: number;
  /** Its live position; absent for a removed rule. */
  readonly to?: number;
  /** The action of an edited rule, unless that was edited. */
  readonly ruleAction?: string;
  /** `prior` was applied, `before` is live, `after` is declared. */
  readonly leaves: readonly LeafChange[];
}

/** What happened to the rules of an object since the last apply. */
export interface RuleEvents {
  readonly drifted: readonly RuleEvent[];
  /** Refs of rules, and `order`, that are not as applied, but as declared. */
  readonly adopted: readonly string[];
}

/** The parameters for judging foreign rules. */
export interface WatchInput extends Omit<ComparisonInput, "desired"> {
  readonly key: string;
  /** The declared values; absent if the YAML does not declare the object. */
  readonly desired: JsonObject | undefined;
  /** The kinds and keys of everything that the YAML declares in the zone: rules may skip these. */
  readonly ours: ReadonlySet<string>;
  /** RFC 3339, by the service's clock. */
  readonly now: string;
}

/** A foreign rule. */
export interface OtherRule {
  readonly ref: string;
  /** Its position, from 1. */
  readonly at: number;
  /** `skips every request past all remaining rules: "quick fix", expression true`. */
  readonly does: string;
  /** It lets traffic past ours: as at the last review, or newly. */
  readonly danger?: "known" | "new";
  /** What happened to it since the last review, if it is no danger. */
  readonly change?: "added" | "changed" | "removed";
}

/** The foreign rules around ours. */
export interface Watched {
  readonly rules: readonly OtherRule[];
  /** What the reader sees, as `Reviewed` keeps it, in the order that an apply leaves. */
  readonly shown: readonly JsonObject[];
}

/** Extra functions for an object made of rules, some of which may be foreign. Pure. */
export interface Shared {
  /** What was done to the rules outside Zoneform. */
  ruleEvents(input: ComparisonInput): RuleEvents;
  /** The live values after an update. */
  valuesAfter(input: ComparisonInput): JsonObject;
  /** What stays live when our part of it is deleted. */
  valuesLeft(live: Live, prior: JsonObject | undefined): JsonObject;
  /** Whether a foreign rule can skip an object of ours. */
  isSkippable(object: { readonly kind: string; readonly key: string }): boolean;
  /** Judges the foreign rules (docs/semantics.md#foreign-rules). */
  watch(input: WatchInput): Watched;
  /** The shown rules (`Watched.shown`) that are unchanged, and ours. */
  unchanged(shown: readonly JsonObject[], input: Pick<WatchInput, "key" | "prior" | "live">): readonly JsonObject[];
  /**
   * The rules at the last review in the order that an unreviewed run left, `shown`; in their old order if a dangerous
   * foreign rule would stand ahead of more of ours.
   */
  narrowed(reviewed: readonly JsonObject[], shown: readonly JsonObject[]): readonly JsonObject[];
  /** The live version of the values that were applied, with what was added to them outside Zoneform. */
  valuesSince(applied: JsonObject, live: Live, options: Options): JsonObject;
}

/**
 * A list of rules as a map by ref, for readers: refs identify rules, positions do not. Other values are returned
 * unchanged.
 */
export function keyedByRef(value: Json | undefined): Json | undefined {
  if (!isList(value)) return value;
  const rules = value.filter(isObject).flatMap((rule) => {
    const ref = optionalText(rule, "ref");
    return ref === undefined ? [] : [[ref, rule] as const];
  });
  return rules.length === value.length ? Object.fromEntries(rules) : value;
}

/** The values with a list of rules as a map by ref, so that each field of a rule stands by itself. */
export function withKeyedRules(values: JsonObject): JsonObject {
  const rules = keyedByRef(values["rules"]);
  return rules === undefined ? values : { ...values, rules };
}
