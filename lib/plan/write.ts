import type { Action, Change } from "./change.ts";
import type { LeafChange } from "../core/diff.ts";
import type { Held } from "../kinds/traits/compared.ts";
import type { Path } from "../core/json.ts";

/**
 * What a change writes live: an adoption writes only if something differs; every other action does what its name says.
 */
export function writeOf({
  action,
  leaves,
  rules,
}: Pick<Change, "action" | "leaves" | "rules">): "create" | "update" | "replace" | "delete" | undefined {
  switch (action) {
    case "create":
    case "update":
    case "replace":
    case "delete":
      return action;
    case "adopt":
      return leaves.length + rules.length === 0 ? undefined : "update";
    case "forget":
    case "held":
    case "no-op":
      return undefined;
    default:
      return action satisfies never;
  }
}

/** Whether adopting a live object also changes its values, so that something is sent. */
export function adoptsAndUpdates(change: Parameters<typeof writeOf>[0]): boolean {
  return change.action === "adopt" && writeOf(change) !== undefined;
}

/** Whether a held change becomes an ordinary update once it is lifted (docs/semantics.md#held-changes). */
export function waitsForUpdate(held: Held | undefined): held is Held {
  return held?.becomes === "update";
}

/** All fields of a change, held or not: one approval covers them all. */
export function allLeaves({
  leaves,
  held,
}: {
  readonly leaves: readonly LeafChange[];
  readonly held?: Held;
}): readonly LeafChange[] {
  return waitsForUpdate(held) ? [...leaves, ...held.leaves] : leaves;
}

/**
 * Whether a change only releases fields, or the protection, of an object that stays managed. Its action is `forget`,
 * like that of an object that leaves the state, but the object stays tracked.
 */
export function onlyLetsGo({ action, letGo }: { readonly action: Action; readonly letGo?: readonly Path[] }): boolean {
  return action === "forget" && letGo !== undefined && letGo.length > 0;
}
