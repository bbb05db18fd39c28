import type { Address } from "../core/brand.ts";
import type { LeafChange } from "../core/diff.ts";
import {
  formatPath,
  isList,
  isObject,
  type Json,
  type JsonObject,
  leaves,
  type Path,
  withValueAt,
} from "../core/json.ts";
import type { Comparison, RuleChange } from "../kinds/traits/compared.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import type { PlanInput } from "./inputs.ts";
import { subjectsOf } from "./plan.ts";
import { withFingerprints } from "./secrets.ts";
import { planAddress, targetsOf } from "./targets.ts";

/** A live object that is not as the YAML wants it. Who made the difference cannot be told without a state. */
export interface Unlike {
  readonly address: Address;
  readonly kind: KindName;
  readonly id: string;
  /** `before` is what live has, `after` what the YAML wants. */
  readonly leaves: readonly LeafChange[];
  /** What would make the rules as declared; what is not live is not among them. */
  readonly rules: readonly RuleChange[];
}

/** How live compares with the YAML alone, and how much of the YAML could be compared. */
export interface ConfigJudgement {
  readonly unlike: readonly Unlike[];
  /** Leaves that the YAML sets, of all objects that it speaks of. */
  readonly leaves: number;
  /** Leaves that were compared. */
  readonly judged: number;
  /** How many leaves depend on what was applied last, by path: the service's choice of a CA, what is never shown. */
  readonly unknown: ReadonlyMap<string, number>;
  /** Declared and not live: deleted, or never created. */
  readonly missing: readonly Address[];
  /** Declared rules that are not live, of entry points that are: deleted, or never created. */
  readonly missingRules: number;
}

/**
 * Compares live with the YAML, without a state. Where the application owns the hostnames, only live ones are compared.
 * A leaf can be judged where what was applied makes no difference to the answer.
 */
export function judgeAgainstConfig(input: PlanInput): ConfigJudgement {
  const unlike: Unlike[] = [];
  const missing: Address[] = [];
  const unknown = new Map<string, number>();
  let [all, judged, missingRules] = [0, 0, 0];
  const stateless: PlanInput = { ...input, state: undefined };
  for (const { kind, target, live } of subjectsOf(stateless, targetsOf(stateless))) {
    if (!target) continue;
    const desired = withFingerprints(target.spec, kind.writeOnly, input.fingerprintOf);
    const owned = ownedLeaves(kind, desired);
    const address = planAddress(input, target.kind, target.key);
    all += owned.length;
    if (!live) {
      missing.push(address);
      continue;
    }
    const found = compareStateless(kind, desired, target.options, live);
    judged += owned.length - found.unknown.length - found.missing.leaves;
    missingRules += found.missing.rules;
    for (const path of found.unknown) unknown.set(formatPath(path), (unknown.get(formatPath(path)) ?? 0) + 1);
    if (found.leaves.length + found.rules.length > 0)
      unlike.push({ address, kind: kind.name, id: live.id, leaves: found.leaves, rules: found.rules });
  }
  return { unlike, leaves: all, judged, unknown, missing, missingRules };
}

/** The leaves of an object; those of rules count rule by rule. */
function ownedLeaves(kind: Kind, desired: JsonObject): readonly unknown[] {
  const own = leaves(desired, (path) => kind.writeOnly.includes(formatPath(path)));
  return own.flatMap((leaf) => (isRules(leaf) ? rulesIn(leaf.value).flatMap(ruleLeaves) : [leaf]));
}

function isRules({ path, value }: { path: Path; value: Json }): boolean {
  return path.length === 1 && path[0] === "rules" && isList(value);
}

function rulesIn(value: Json): readonly JsonObject[] {
  return isList(value) ? value.filter(isObject) : [];
}

function ruleLeaves({ ref: _ref, ...rule }: JsonObject): readonly { path: Path }[] {
  return leaves(rule);
}

interface Found {
  readonly leaves: readonly LeafChange[];
  readonly rules: readonly RuleChange[];
  /** Leaves of which the answer depends on what was applied. */
  readonly unknown: readonly Path[];
  readonly missing: { readonly rules: number; readonly leaves: number };
}

/** What nobody applies. */
const NEVER = "never applied";

/** Compares as if the last apply had set every leaf as declared, and as if it had set something else: where both agree, that is the answer. */
function compareStateless(kind: Kind, desired: JsonObject, options: Options, live: Live): Found {
  const asDeclared = unlikeIn(kind.compare({ desired, prior: withoutRules(desired), live, options }));
  const other = leaves(withoutRules(desired), (path) => kind.writeOnly.includes(formatPath(path)));
  const otherwise = other.reduce((prior: JsonObject, { path }) => withValueAt(prior, path, NEVER), {});
  const elsewise = unlikeIn(kind.compare({ desired, prior: otherwise, live, options }));
  const both = new Set(asDeclared.leaves.map(({ path }) => formatPath(path)));
  const either = new Map([...asDeclared.leaves, ...elsewise.leaves].map((leaf) => [formatPath(leaf.path), leaf]));
  const certain = new Set(elsewise.leaves.map(({ path }) => formatPath(path)).filter((name) => both.has(name)));
  const missing = asDeclared.rules.filter(({ action }) => action === "insert");
  return {
    leaves: asDeclared.leaves.filter(({ path }) => certain.has(formatPath(path))),
    rules: asDeclared.rules.filter(({ action }) => action !== "insert"),
    unknown: [...either].flatMap(([name, { path }]) => (certain.has(name) ? [] : [path])),
    missing: { rules: missing.length, leaves: missing.reduce((sum, rule) => sum + rule.leaves.length, 0) },
  };
}

function unlikeIn({ leaves: open, held, rules }: Comparison): Pick<Comparison, "leaves" | "rules"> {
  return { leaves: [...open, ...(held?.leaves ?? [])], rules };
}

/** Rules are compared by ref with what is live: what was applied says nothing about those that are declared. */
function withoutRules({ rules: _rules, ...rest }: JsonObject): JsonObject {
  return rest;
}
