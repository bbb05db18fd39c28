import { diff, type FieldRules, type Satisfied } from "../../core/diff.ts";
import type { Comparison, ComparisonInput } from "../traits/compared.ts";
import type { Hazard, Judged } from "../traits/judged.ts";

const RULES: FieldRules = { fixed: [], writeOnly: [], unordered: ["hosts"] };

/** Compares a pack; any difference needs a new order (docs/service.md#certificate-packs). */
export function compare({ desired, prior, live }: ComparisonInput): Comparison {
  const { leaves, letGo } = diff(desired, prior, live.values, RULES, isShown);
  const notes = leaves.length === 0 ? [] : ["a new pack is ordered first; this one serves traffic until that one does"];
  return { leaves, letGo, rules: [], replaces: leaves.map(({ path }) => path), notes };
}

/** A value that the service does not show counts as it was sent. */
const isShown: Satisfied = (_name, wanted, prior, live) => (live === undefined ? prior === wanted : undefined);

/** The hazards of a change (docs/semantics.md#hazards). */
export function hazards({
  action,
  desired,
  live,
  isReplaced,
  isFound,
}: Parameters<Judged["hazards"]>[0]): readonly Hazard[] {
  const isServing = live?.status["status"] === "active" || live?.status["status"] === "pending_expiration";
  const isByHand = desired?.["validation_method"] === "txt" || desired?.["validation_method"] === "email";
  switch (action) {
    case "create":
      return isByHand ? ["needs-customer"] : [];
    case "replace":
    case "update":
      // Zoneform orders the new pack first.
      return [
        ...(isFound && isServing ? (["outage"] as const) : []),
        ...(isByHand ? (["needs-customer"] as const) : []),
        "reissue",
      ];
    case "delete":
      return isServing && isReplaced !== true ? ["outage"] : [];
    default:
      return action satisfies never;
  }
}
