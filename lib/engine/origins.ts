import type { LoadedProject } from "../config/desired.ts";
import { defined } from "../core/defined.ts";
import type { LeafChange } from "../core/diff.ts";
import type { Origin } from "../core/diagnostic.ts";
import type { Path } from "../core/json.ts";
import type { KindName } from "../kinds/kind.ts";
import type { Live } from "../kinds/live.ts";
import type { RuleChange } from "../kinds/traits/compared.ts";
import type { Change } from "../plan/change.ts";
import type { PlanInput } from "../plan/inputs.ts";
import { factsOf } from "../plan/targets.ts";

/** The changes of a zone, each with the places in the YAML and in sources that decide its values and rules. */
export function withOrigins(
  project: LoadedProject,
  { desired, live }: Pick<PlanInput, "desired" | "live">,
  changes: readonly Change[],
): readonly Change[] {
  return changes.map((change) => {
    const originOf = originsOf(project, desired.name, change, live.objects.get(change.kind)?.get(change.key));
    const decided = (leaf: LeafChange): LeafChange => ({ ...leaf, ...defined({ origin: originOf(leaf.path) }) });
    const placed = (rule: RuleChange): RuleChange => ({ ...rule, ...defined({ at: originOf(placeOf(rule))?.at }) });
    const rules = change.rules.map(placed);
    // A new object is found by where it is declared.
    if (change.action === "create") return { ...change, rules };
    const found = { leaves: change.leaves.map(decided), rules };
    if (change.held === undefined) return { ...change, ...found };
    return { ...change, ...found, held: { ...change.held, leaves: change.held.leaves.map(decided) } };
  });
}

/** Finds the place that decides a field of an object. Policies alone decide those of a hostname that no entry declares. */
export function originsOf(
  project: LoadedProject,
  zone: string,
  { kind, key }: { readonly kind: KindName; readonly key: string },
  live: Live | undefined,
): (path: Path) => Origin | undefined {
  const facts = kind === "custom_hostname" && live ? factsOf(live) : undefined;
  return (path) => project.originOf(zone, { kind, key, ...defined({ facts }) }, path);
}

/** An edit of one field is found at that field, everything else at the rule. */
function placeOf({ ref, leaves }: RuleChange): Path {
  const [only, ...others] = leaves;
  return ["rules", ref, ...(only === undefined || others.length > 0 ? ["ref"] : only.path)];
}
