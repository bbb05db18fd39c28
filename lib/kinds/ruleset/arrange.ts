import { objects, optionalText, texts } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Options } from "../live.ts";

/** The rules of an entry point as they should be, and the steps to get there. */
export interface Arrangement {
  /** The refs in the desired order, including foreign rules. */
  readonly order: readonly string[];
  readonly inserted: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
  readonly moved: ReadonlySet<string>;
  /**
   * Foreign rules that all of ours move past, with a `place`, if naming them is shorter than naming the moves of ours.
   */
  readonly displaced: ReadonlySet<string>;
}

/** The side of the foreign rules on which all of ours stand; absent: our rules stay where they are. */
export type Place = "first" | "last" | undefined;

/** The declared place. */
export function placeOf({ place }: Options): Place {
  return place === "first" || place === "last" ? place : undefined;
}

/** The ref of a rule. Every live rule has one; it defaults to the rule's id (docs/service.md#rules). */
export function refOf(rule: JsonObject): string {
  return optionalText(rule, "ref") ?? optionalText(rule, "id") ?? "";
}

/**
 * Whether an undeclared live rule is ours to remove: it was ours at the last apply, its ref has one of our prefixes, or
 * no prefixes are set and all rules are ours (docs/semantics.md#shared-entry-points).
 */
export function isOurs(ref: string, priorRefs: ReadonlySet<string>, options: Options): boolean {
  if (priorRefs.has(ref)) return true;
  const own = options["own"];
  return own === undefined || own === null || texts(options, "own").some((prefix) => ref.startsWith(prefix));
}

/**
 * Merges the desired rules into the live ones with as few moves as possible. Foreign rules never change their order. A
 * rule that keeps its order among ours stays where it is. A moved or new rule goes right after the desired rule before
 * it, else right before the one after it, else to the end. With a `place`, all of ours go to that side of the foreign
 * ones. Applied to its own result, it changes nothing.
 */
export function arrange(
  liveRefs: readonly string[],
  desiredRefs: readonly string[],
  isRemovable: (ref: string) => boolean,
  place: Place,
): Arrangement {
  const desired = new Set(desiredRefs);
  const removed = new Set(liveRefs.filter((ref) => !desired.has(ref) && isRemovable(ref)));
  const live = new Set(liveRefs);
  const kept = liveRefs.filter((ref) => !removed.has(ref));
  const foreign = kept.filter((ref) => !desired.has(ref));
  const staying = stayingAt(place, kept, desiredRefs, foreign);
  return {
    order: place === undefined ? merged(liveRefs, desiredRefs, removed, staying) : atPlace(place, desiredRefs, foreign),
    displaced: new Set(place === undefined ? [] : foreign.filter((ref) => !staying.has(ref))),
    removed,
    inserted: new Set(desiredRefs.filter((ref) => !live.has(ref))),
    moved: new Set(desiredRefs.filter((ref) => live.has(ref) && !staying.has(ref))),
  };
}

/**
 * The rules that need not move. If two sets of moves are equally short, this takes the one that moves our rules and no
 * foreign ones.
 */
function stayingAt(
  place: Place,
  kept: readonly string[],
  ours: readonly string[],
  foreign: readonly string[],
): Set<string> {
  const others = new Set(foreign);
  if (place === undefined)
    return longestInOrder(
      kept.filter((ref) => !others.has(ref)),
      ours,
    );
  // Among equally long runs, the search finds the one that ends earliest, so foreign rules have to come first.
  const order = atPlace(place, ours, foreign);
  return place === "last" ? longestInOrder(kept, order) : longestInOrder(kept.toReversed(), order.toReversed());
}

function atPlace(place: "first" | "last", ours: readonly string[], foreign: readonly string[]): readonly string[] {
  return place === "first" ? [...ours, ...foreign] : [...foreign, ...ours];
}

/** Whether a foreign rule is on the wrong side of one of ours. */
export function isMisplaced(
  ref: string,
  refs: readonly string[],
  ours: { has(ref: string): boolean },
  place: "first" | "last",
): boolean {
  const index = refs.indexOf(ref);
  if (index < 0) return false;
  return (place === "first" ? refs.slice(index + 1) : refs.slice(0, index)).some((other) => ours.has(other));
}

function merged(
  liveRefs: readonly string[],
  desiredRefs: readonly string[],
  removed: ReadonlySet<string>,
  staying: ReadonlySet<string>,
): readonly string[] {
  const desired = new Set(desiredRefs);
  const order = liveRefs.filter((ref) => !removed.has(ref) && (!desired.has(ref) || staying.has(ref)));
  desiredRefs.forEach((ref, index) => {
    if (!staying.has(ref)) order.splice(slotFor(order, desiredRefs, index, staying), 0, ref);
  });
  return order;
}

function slotFor(
  order: readonly string[],
  desiredRefs: readonly string[],
  index: number,
  staying: ReadonlySet<string>,
): number {
  const before = desiredRefs[index - 1];
  if (before !== undefined) return order.indexOf(before) + 1;
  const behind = desiredRefs.slice(index + 1).find((ref) => staying.has(ref));
  return behind === undefined ? order.length : order.indexOf(behind);
}

/** The largest set of refs that have the same order on both sides and need not move. */
function longestInOrder(liveRefs: readonly string[], desiredRefs: readonly string[]): Set<string> {
  const rank = new Map(desiredRefs.map((ref, index) => [ref, index]));
  // Patience sorting: `tails[n]` is the index of the smallest rank that ends a run of n + 1.
  const ranks = liveRefs.map((ref) => rank.get(ref) ?? -1);
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  ranks.forEach((value, place) => {
    const length = lowerBound(tails, (tail) => (ranks[tail] ?? -1) < value);
    previous[place] = tails[length - 1];
    tails[length] = place;
  });
  const found = new Set<string>();
  for (let place = tails.at(-1); place !== undefined; place = previous[place]) {
    const ref = liveRefs[place];
    if (ref !== undefined) found.add(ref);
  }
  return found;
}

function lowerBound(items: readonly number[], isBefore: (item: number) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rules of desired or live values by ref, in order. */
export function rulesByRef(values: JsonObject | undefined): Map<string, JsonObject> {
  return new Map(objects(values ?? {}, "rules").map((rule) => [refOf(rule), rule]));
}
