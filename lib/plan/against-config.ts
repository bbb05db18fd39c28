import {
  defined,
  formatPath,
  isList,
  isObject,
  type Json,
  type JsonObject,
  leaves,
  type Path,
  withValueAt,
} from "../core/json.ts";
import type { Address } from "../core/brand.ts";
import type { Position } from "../core/diagnostic.ts";
import type { LeafChange } from "../core/diff.ts";
import type { Comparison, RuleChange } from "../kinds/traits/compared.ts";
import type { Kind, KindName } from "../kinds/kind.ts";
import type { Live, Options } from "../kinds/live.ts";
import type { ForeignDanger } from "./change.ts";
import { type Danger, dangerFound } from "./hazards.ts";
import type { PlanInput } from "./inputs.ts";
import { subjectsOf } from "./plan.ts";
import { withFingerprints } from "./secrets.ts";
import { planAddress, targetsOf } from "./targets.ts";
import { watchZone } from "./watch.ts";

/**
 * A declared object whose live values differ from the YAML. Without a state, the cause of the difference is unknown.
 */
export interface Unlike extends Danger {
  readonly address: Address;
  readonly kind: KindName;
  readonly key: string;
  /** The live object; absent if it is not live: deleted, or never created. */
  readonly id?: string;
  /** Where it is declared. */
  readonly at: Position;
  /** `before` is the live value, `after` the declared one. */
  readonly leaves: readonly LeafChange[];
  /** The changes that would make the rules as declared. */
  readonly rules: readonly RuleChange[];
}

/** How live compares with the YAML alone, and how much of the YAML could be compared. */
export interface ConfigJudgement {
  readonly unlike: readonly Unlike[];
  /** None of the declared objects that can be absent is live: perhaps the YAML was never applied. */
  readonly isBare: boolean;
  /** How many objects the YAML declares. */
  readonly objects: number;
  /** Foreign rules that let traffic past ours. Without a state, we cannot tell whether they are new. */
  readonly foreign: readonly ForeignDanger[];
  /** Entry points that the token may not read, so that foreign rules there could not be judged. */
  readonly unread: readonly string[];
  /** How many fields the YAML sets, over all objects. */
  readonly leaves: number;
  /** How many of them were compared. */
  readonly judged: number;
  /**
   * How many fields cannot be judged without the last apply, by path: the service's choice of a CA, and write-only
   * values.
   */
  readonly unknown: ReadonlyMap<string, number>;
}

/**
 * Compares live with the YAML, without a state. If the application owns the hostnames, only live ones are compared. A
 * field can be judged if the result does not depend on what was applied last.
 */
export function judgeAgainstConfig(input: PlanInput): ConfigJudgement {
  const unlike: Unlike[] = [];
  const unknown = new Map<string, number>();
  let [objects, all, judged, standing] = [0, 0, 0, 0];
  const stateless: PlanInput = { ...input, state: undefined };
  for (const { kind, target, live } of subjectsOf(stateless, targetsOf(stateless))) {
    if (!target) continue;
    const desired = withFingerprints(target.values, kind.writeOnly, input.fingerprintOf);
    const owned = ownedLeaves(kind, desired);
    const address = planAddress(input, target.kind, target.key);
    all += owned.length;
    objects += 1;
    const {
      leaves: changed,
      rules,
      ...compared
    } = live ? compareStateless(kind, desired, target.options, live) : { leaves: [], rules: [], unknown: [] };
    judged += live ? owned.length - compared.unknown.length : 0;
    for (const path of compared.unknown) unknown.set(formatPath(path), (unknown.get(formatPath(path)) ?? 0) + 1);
    if (live && kind.lifetime !== "permanent") standing += 1;
    if (live && changed.length + rules.length === 0) continue;
    const was = { key: target.key, values: desired, status: { status: "active" } };
    unlike.push({
      address,
      kind: kind.name,
      key: target.key,
      ...defined({ id: live?.id }),
      at: target.at,
      leaves: changed,
      rules,
      ...dangerFound(stateless, kind, { was, live, options: target.options, leaves: changed, rules }),
    });
  }
  const isBare = standing === 0 && unlike.some(({ id }) => id === undefined);
  const { watch, unread } = watchZone(stateless);
  return { unlike, foreign: watch?.dangers ?? [], unread, isBare, objects, leaves: all, judged, unknown };
}

/** The fields of an object; each rule counts as one. */
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
  /** Fields whose result depends on what was applied last. */
  readonly unknown: readonly Path[];
}

/** A value that no YAML contains. */
const NEVER = "never applied";

/**
 * Compares twice: as if the last apply had set every field as declared, and as if it had set something else. If both
 * agree, that is the result.
 */
function compareStateless(kind: Kind, desired: JsonObject, options: Options, live: Live): Found {
  const asDeclared = unlikeIn(kind.compare({ desired, prior: withoutRules(desired), live, options }));
  const other = leaves(withoutRules(desired), (path) => kind.writeOnly.includes(formatPath(path)));
  const otherwise = other.reduce((prior: JsonObject, { path }) => withValueAt(prior, path, NEVER), {});
  const elsewise = unlikeIn(kind.compare({ desired, prior: otherwise, live, options }));
  const both = new Set(asDeclared.leaves.map(({ path }) => formatPath(path)));
  const either = new Map([...asDeclared.leaves, ...elsewise.leaves].map((leaf) => [formatPath(leaf.path), leaf]));
  const certain = new Set(elsewise.leaves.map(({ path }) => formatPath(path)).filter((name) => both.has(name)));
  return {
    leaves: asDeclared.leaves.filter(({ path }) => certain.has(formatPath(path))),
    rules: asDeclared.rules,
    unknown: [...either].flatMap(([name, { path }]) => (certain.has(name) ? [] : [path])),
  };
}

function unlikeIn({ leaves: unheld, held, rules }: Comparison): Pick<Comparison, "leaves" | "rules"> {
  return { leaves: [...unheld, ...(held?.leaves ?? [])], rules };
}

/** Rules are compared with live by ref, so what was applied last does not matter for declared ones. */
function withoutRules({ rules: _rules, ...rest }: JsonObject): JsonObject {
  return rest;
}
