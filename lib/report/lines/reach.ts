import type { LeafChange } from "../../core/diff.ts";
import { formatPath } from "../../core/json.ts";
import { compareReach, type Reach } from "../../kinds/ruleset/implies.ts";

/** What an edit does to the requests that a rule matches; undefined for another field than its expression. */
export function reachWords({ path, before, after }: LeafChange): string | undefined {
  if (formatPath(path) !== "expression" || typeof before !== "string" || typeof after !== "string") return undefined;
  return REACH_WORDS[compareReach(before, after)];
}

const REACH_WORDS = {
  every: "matches every request",
  none: "matches no request",
  same: "matches the same requests",
  more: "matches more requests",
  fewer: "matches fewer requests",
  unknown: "may match more or fewer requests (cannot tell which)",
} as const satisfies Record<Reach, string>;
