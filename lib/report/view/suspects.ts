import { objects } from "../../core/decode.ts";
import type { LeafChange } from "../../core/diff.ts";
import { formatPath, type JsonObject, withOptionalValueAt, withValueAt } from "../../core/json.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import { weakens } from "../../kinds/registry.ts";
import type { Change } from "../../plan/change.ts";

/** The fields of a change that weaken protection; all of its fields if none is proven to do so alone. */
export function weakerLeaves({ kind, key, leaves, held }: Change): readonly LeafChange[] {
  const all = [...leaves, ...(held?.leaves ?? [])];
  const withLeaf = (path: LeafChange["path"], value: LeafChange["after"]): JsonObject =>
    value === undefined ? {} : withValueAt({}, path, value);
  const weaker = all.filter(({ path, before, after }) =>
    weakens(kind, withLeaf(path, before), withLeaf(path, after), key),
  );
  return weaker.length === 0 ? all : weaker;
}

/** The rules of a change that weaken protection; all of its rules if none does alone. */
export function weakerRules(change: Change): readonly RuleChange[] {
  const declared = declaredRules(change);
  const suspects = change.rules.filter((rule) => isSuspect(rule, declared.get(rule.ref), change));
  return suspects.length === 0 ? change.rules : suspects;
}

/** The declared rules of a change, by ref. */
export function declaredRules({ desired = {} }: Change): ReadonlyMap<unknown, JsonObject> {
  return new Map(objects(desired, "rules").map((rule) => [rule["ref"], rule]));
}

/** `declared` is the declared rule, if it stays. */
function isSuspect(rule: RuleChange, declared: JsonObject | undefined, { kind, key }: Change): boolean {
  switch (rule.action) {
    case "remove":
    case "disable":
      return true;
    case "edit":
      return (
        declared === undefined ||
        weakens(kind, { rules: [asBefore(declared, rule.leaves)] }, { rules: [declared] }, key)
      );
    case "insert":
      return rule.leaves.some(({ path, after }) => formatPath(path) === "action" && SOFT.has(after));
    case "move":
    case "enable":
      return false;
    default:
      return rule.action satisfies never;
  }
}

function asBefore(rule: JsonObject, leaves: readonly LeafChange[]): JsonObject {
  return leaves.reduce((was, { path, before }) => withOptionalValueAt(was, path, before), rule);
}

/** Actions of a new rule that let requests past, or only log them. */
const SOFT: ReadonlySet<unknown> = new Set(["skip", "log", "set_config", "rewrite", "route"]);
