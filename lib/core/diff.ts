import { defined } from "./defined.ts";
import { equal, formatPath, type Json, type JsonObject, leaves, type Path, valueAt } from "./json.ts";

/**
 * Who made the difference: you changed the YAML (`config`), somebody changed live (`drift`), each did (`both`),
 * or the service did so by itself (`service`): docs/semantics.md#causes.
 */
export const CAUSES = ["config", "drift", "both", "service"] as const;

/** One of `CAUSES`. */
export type Cause = (typeof CAUSES)[number];

/** One owned leaf that is not as it should be. */
export interface LeafChange {
  readonly path: Path;
  /** What live has; absent where live has nothing there. */
  readonly before?: Json;
  /** What is wanted; absent where the leaf's whole owner goes. */
  readonly after?: Json;
  /** What was applied last; absent where it was never owned. */
  readonly prior?: Json;
  readonly cause: Cause;
  /** The values are fingerprints or references of secrets and are never printed. */
  readonly sensitive?: true;
}

/** What a three-way comparison finds. */
export interface Difference {
  readonly leaves: readonly LeafChange[];
  /** Leaves that were owned and are declared no more: they stay as they are, and nobody looks at them again. */
  readonly letGo: readonly Path[];
}

/** How a kind's leaves behave where they differ from plain values. */
export interface FieldRules {
  /** Leaves that cannot be changed on a living object: a difference means replacing it. */
  readonly fixed: readonly string[];
  /** Leaves that the service never shows: where nothing else tells of them, compared with what was last sent (as fingerprints where they are secret). */
  readonly writeOnly: readonly string[];
  /** Lists whose order means nothing. */
  readonly unordered: readonly string[];
}

/** Whether the wanted leaf of that name is satisfied, where equality is not the whole truth; undefined leaves it to equality. */
export type Satisfied = (
  name: string,
  wanted: Json,
  prior: Json | undefined,
  live: Json | undefined,
) => boolean | undefined;

/**
 * Compares desired, prior and live over the declared leaves. What is not declared, now or last time, is not looked at
 * (docs/semantics.md#ownership). `isLeaf` keeps values such as secret references whole.
 */
export function diff(
  desired: JsonObject,
  prior: JsonObject | undefined,
  live: JsonObject,
  rules: FieldRules,
  satisfied: Satisfied = () => undefined,
): Difference {
  const isLeaf = (path: Path): boolean => rules.writeOnly.includes(formatPath(path));
  const wanted = leaves(desired, isLeaf);
  const changes: LeafChange[] = [];
  for (const { path, value } of wanted) {
    const change = compareLeaf(path, value, prior, live, rules, satisfied);
    if (change) changes.push(change);
  }
  return {
    leaves: changes,
    letGo: prior === undefined || prior === desired ? [] : notIn(wanted, leaves(prior, isLeaf)),
  };
}

function notIn(wanted: readonly { path: Path }[], last: readonly { path: Path }[]): readonly Path[] {
  const owned = new Set(wanted.map(({ path }) => formatPath(path)));
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

/** Says who made a difference, from whether the wish and whether live are as last applied. */
export function causeOf(wishIsOld: boolean, liveIsOld: boolean, wasOwned: boolean): Cause {
  if (!wasOwned || liveIsOld) return "config";
  return wishIsOld ? "drift" : "both";
}

function sameSet(left: Json | undefined, right: Json | undefined): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return equal(left, right);
  const text = (list: readonly Json[]): Json => list.map((item) => JSON.stringify(item)).sort();
  return equal(text(left), text(right));
}
