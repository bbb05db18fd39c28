import { defined, equal, formatPath, type Json, type JsonObject, leaves, type Path, valueAt } from "./json.ts";
import type { Origin } from "./diagnostic.ts";

/**
 * Who caused the difference: the user changed the YAML (`config`), live was changed outside Zoneform (`drift`), both
 * happened (`both`), or the service changed it by itself (`service`): docs/semantics.md#causes.
 */
export const CAUSES = ["config", "drift", "both", "service"] as const;

/** One of `CAUSES`. */
export type Cause = (typeof CAUSES)[number];

/** One managed field that has to change. */
export interface LeafChange {
  readonly path: Path;
  /** The live value; absent if live has none. */
  readonly before?: Json;
  /** The declared value; absent if the whole object of the field is deleted. */
  readonly after?: Json;
  /** The value that was last applied; absent if the field was never managed. */
  readonly prior?: Json;
  readonly cause: Cause;
  /** The values are fingerprints or references of secrets, and are never printed. */
  readonly sensitive?: true;
  /** The place of the YAML or of a source that decides the declared value. No digest covers positions. */
  readonly origin?: Origin;
}

/** Whether a foreign edit made the difference, alone or together with the YAML. */
export function isDrift({ cause }: Pick<LeafChange, "cause">): boolean {
  return cause === "drift" || cause === "both";
}

/** The result of a three-way comparison. */
export interface Difference {
  readonly leaves: readonly LeafChange[];
  /** Fields that were managed and are no longer declared: they stay as they are, and are no longer compared. */
  readonly letGo: readonly Path[];
}

/** How a kind's fields differ from plain values. */
export interface FieldRules {
  /** Fields that cannot be changed on an existing object: a difference means a replacement. */
  readonly fixed: readonly string[];
  /**
   * Fields that the service never shows: unless something else reveals them, they are compared with what was last sent
   * (as fingerprints if they are secret).
   */
  readonly writeOnly: readonly string[];
  /** Lists without an order. */
  readonly unordered: readonly string[];
}

/**
 * Whether live satisfies the declared field of that name, if equality is not enough; undefined means: compare for
 * equality.
 */
export type Satisfied = (
  name: string,
  desired: Json,
  prior: Json | undefined,
  live: Json | undefined,
) => boolean | undefined;

/**
 * Compares desired, prior and live over the declared fields. It ignores a field that is neither declared now nor was
 * last time (docs/semantics.md#ownership). `isLeaf` keeps values such as secret references whole.
 */
export function diff(
  desired: JsonObject,
  prior: JsonObject | undefined,
  live: JsonObject,
  rules: FieldRules,
  satisfied: Satisfied = () => undefined,
): Difference {
  const isLeaf = (path: Path): boolean => rules.writeOnly.includes(formatPath(path));
  const declared = leaves(desired, isLeaf);
  const changes: LeafChange[] = [];
  for (const { path, value } of declared) {
    const change = compareLeaf(path, value, prior, live, rules, satisfied);
    if (change) changes.push(change);
  }
  return {
    leaves: changes,
    letGo: prior === undefined || prior === desired ? [] : notIn(declared, leaves(prior, isLeaf)),
  };
}

function notIn(declared: readonly { path: Path }[], last: readonly { path: Path }[]): readonly Path[] {
  const owned = new Set(declared.map(({ path }) => formatPath(path)));
  return last.map(({ path }) => path).filter((path) => !owned.has(formatPath(path)));
}

function compareLeaf(
  path: Path,
  after: Json,
  prior: JsonObject | undefined,
  live: JsonObject,
  rules: FieldRules,
  satisfied: Satisfied,
): LeafChange | undefined {
  const name = formatPath(path);
  const last = valueAt(prior, path);
  const isWriteOnly = rules.writeOnly.includes(name);
  const before = valueAt(live, path) ?? (isWriteOnly ? last : undefined);
  const same = rules.unordered.includes(name) ? sameSet : equal;
  if (satisfied(name, after, last, before) ?? same(after, before)) return undefined;
  const isAsApplied = last !== undefined && (satisfied(name, last, last, before) ?? same(last, before));
  return {
    path,
    ...defined({ before }),
    after,
    ...defined({ prior: last }),
    cause: causeOf(same(after, last), isAsApplied, last !== undefined),
    ...(isWriteOnly && typeof after !== "boolean" ? { sensitive: true as const } : {}),
  };
}

/** Decides who caused a difference: whether the declaration and live are still as last applied. */
export function causeOf(desiredIsPrior: boolean, liveIsPrior: boolean, wasOwned: boolean): Cause {
  if (!wasOwned || liveIsPrior) return "config";
  return desiredIsPrior ? "drift" : "both";
}

function sameSet(left: Json | undefined, right: Json | undefined): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return equal(left, right);
  const text = (list: readonly Json[]): Json => list.map((item) => JSON.stringify(item)).sort();
  return equal(text(left), text(right));
}
