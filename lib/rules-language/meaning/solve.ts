import type { Expression } from "../ast.ts";
import { type Fact, type Formula, formulaOf, waysOf } from "./formula.ts";
import { areApart, type Glob, has, isWithin, onlyText } from "./globs.ts";
import { ALL_ADDRESSES, difference, intersection, type Ranges } from "../ranges.ts";

/** How much work a proof may be: with nested alternatives it can double at each level. */
const MOST_STEPS = 50_000;

/** What is left of that work. */
interface Steps {
  left: number;
}

/**
 * What is known about the requests for which formulas hold at once: `none` is proven; `some` was found, too, in that each
 * value can be chosen; `unknown` is neither.
 */
export type Found = "none" | "some" | "unknown";

/** Whether there is a request for which all of these formulas hold. */
export function solve(formulas: readonly Formula[], steps: Steps = { left: MOST_STEPS }): Found {
  return search(formulas, new Map(), steps);
}

/** The facts of a branch, by the key of their subject. */
type Facts = ReadonlyMap<string, readonly Fact[]>;

function search(pending: readonly Formula[], facts: Facts, steps: Steps): Found {
  steps.left -= 1 + pending.length;
  if (steps.left < 0) return "unknown";
  const next = pending.find((formula) => !isFork(formula)) ?? pending[0];
  if (next === undefined) return canBeChosen(facts) ? "some" : "unknown";
  const others = pending.filter((formula) => formula !== next);
  if (next.sort === "xor") return search([...others, waysOf(next)], facts, steps);
  if (next.sort === "and") return search([...others, ...next.parts], facts, steps);
  if (next.sort === "fact") {
    const same = [...(facts.get(next.subject.key) ?? []), next];
    return isImpossible(same, steps) ? "none" : search(others, new Map(facts).set(next.subject.key, same), steps);
  }
  let isOpen = false;
  for (const part of next.parts) {
    const found = search([...others, part], facts, steps);
    if (found === "some") return "some";
    isOpen ||= found === "unknown";
  }
  return isOpen ? "unknown" : "none";
}

/** What a search had better look at last. */
function isFork(formula: Formula): boolean {
  return formula.sort === "xor" || (formula.sort === "or" && formula.parts.length > 1);
}

/** Whether facts about one value exclude each other. `true` is certain. */
function isImpossible(facts: readonly Fact[], steps: Steps): boolean {
  const [first] = facts;
  steps.left -= workOf(facts);
  if (steps.left < 0) return false;
  if (first === undefined || (first.subject.mayLack && facts.every(({ holdsWithout }) => holdsWithout))) return false;
  return (
    contradict(facts, steps) ||
    isEmpty(rangesOf(facts, "numbers")) ||
    isEmpty(rangesOf(facts, "addresses")) ||
    haveNoText(facts)
  );
}

/** How much it is to compare facts: each glob or range with each. */
function workOf(facts: readonly Fact[]): number {
  const parts = facts.reduce(
    (sum, { test }) => sum + ("globs" in test ? test.globs.length : "ranges" in test ? test.ranges.length : 1),
    0,
  );
  return Math.ceil((parts * parts) / 64);
}

function isEmpty(ranges: Ranges | undefined): boolean {
  return ranges?.length === 0;
}

/** Two facts of which one says yes and the other no to the same, or to something wider. */
function contradict(facts: readonly Fact[], steps: Steps): boolean {
  const [yes, no] = [
    facts.filter(({ isComplement }) => !isComplement),
    facts.filter(({ isComplement }) => isComplement),
  ];
  return yes.some(({ test: one }) =>
    no.some(({ test: other }) => {
      if (one.sort === "truth") return other.sort === "truth";
      if (one.sort === "other") return other.sort === "other" && one.key === other.key;
      const isQuantified = one.sort === "any" || one.sort === "all";
      return isQuantified && other.sort === one.sort && follows(one.inner, other.inner, steps);
    }),
  );
}

/** Whether the second condition holds wherever the first one does. `true` is proven. */
export function follows(from: Expression, to: Expression, steps?: Steps): boolean {
  return solve([formulaOf(from), formulaOf(to, true)], steps) === "none";
}

/** The numbers or addresses that facts leave; undefined if none is about such. */
function rangesOf(facts: readonly Fact[], sort: "numbers" | "addresses"): Ranges | undefined {
  let left: Ranges | undefined;
  for (const { test, isComplement } of facts) {
    if (test.sort !== sort) continue;
    left ??= test.sort === "numbers" ? test.domain : ALL_ADDRESSES;
    left = isComplement ? difference(left, test.ranges) : intersection(left, test.ranges);
  }
  return left;
}

/** The globs of facts that a text has to be in, and those that it must not be in. */
function globsOf(facts: readonly Fact[]): {
  readonly within: readonly (readonly Glob[])[];
  readonly without: readonly Glob[];
} {
  const texts = facts.flatMap(({ test, isComplement }) =>
    test.sort === "texts" ? [{ globs: test.globs, isComplement }] : [],
  );
  return {
    within: texts.filter(({ isComplement }) => !isComplement).map(({ globs }) => globs),
    without: texts.filter(({ isComplement }) => isComplement).flatMap(({ globs }) => globs),
  };
}

const EVERY_TEXT: Glob = { pieces: ["", ""], isAnyCase: false };

function haveNoText(facts: readonly Fact[]): boolean {
  const { within, without } = globsOf(facts);
  const isExcluded = (one: Glob): boolean => {
    const text = onlyText(one);
    if (text !== undefined) return !fits(text, within, without);
    return (
      without.some((other) => isWithin(one, other)) ||
      within.some((globs) => globs.every((other) => areApart(one, other)))
    );
  };
  return [...within, ...(without.length > 0 ? [[EVERY_TEXT]] : [])].some((globs) => globs.every(isExcluded));
}

function fits(text: string, within: readonly (readonly Glob[])[], without: readonly Glob[]): boolean {
  return within.every((globs) => globs.some((each) => has(each, text))) && !without.some((each) => has(each, text));
}

/** Whether a value can be chosen for each subject, so that all facts hold. Only for fields that do not depend on each other. */
function canBeChosen(facts: Facts): boolean {
  const families = [...facts.values()].map(([first]) => familyOf(first?.subject.field));
  const areIndependent = new Set(families).size === families.length && !families.includes(undefined);
  const isAlone = families.length === 1 || !families.includes(WHOLE);
  return areIndependent && isAlone && [...facts.values()].every(hasChoice);
}

/** The address of a request says something about its host, its path, and whether it came by TLS. */
const WHOLE = "http.request.full_uri";

/** Fields of one family may depend on each other, as a country does on an address. */
function familyOf(field: string | undefined): string | undefined {
  if (field === undefined || field.endsWith(WHOLE)) return field && WHOLE;
  const [, family] =
    /^(?:raw\.)?(http\.request\.uri|http\.[a-z_]+\.[a-z_]+|http\.host|cf\.[a-z_]+|[a-z]+)/.exec(field) ?? [];
  return family ?? "http";
}

function hasChoice(facts: readonly Fact[]): boolean {
  if (facts.some(({ test }) => ["other", "any", "all"].includes(test.sort))) return false;
  const { within, without } = globsOf(facts);
  if (within.length + without.length === 0) return true;
  const samples = [...within.flat(), EVERY_TEXT].flatMap(({ pieces }) => [pieces.join(""), pieces.join("~")]);
  return samples.some((text) => fits(text, within, without));
}
