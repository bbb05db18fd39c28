import { diff, isDrift, type LeafChange } from "../../core/diff.ts";
import { optionalText } from "../../core/decode.ts";
import { defined, equal, leaves, valueAt } from "../../core/json.ts";
import type { ComparisonInput } from "../traits/compared.ts";
import type { Options } from "../live.ts";
import type { RuleEvent, RuleEvents } from "../traits/shared.ts";
import { arrange, isOurs, placeOf, rulesByRef } from "./arrange.ts";
import { ruleWords } from "./words.ts";
import { causeOfAll, misplaced, orders, RULES, type RuleSides, titleOf, withDefaults, withoutRef } from "./diff.ts";

/**
 * What was done to the rules of an entry point outside Zoneform since the last apply: added, removed, moved, edited,
 * enabled or disabled. A live value that matches the YAML by now is adopted and is no event. Empty if nothing was
 * applied.
 */
export function ruleEvents(input: ComparisonInput): RuleEvents {
  const { desired, prior, live, options } = input;
  if (!prior) return { drifted: [], adopted: [] };
  const sides: RuleSides = {
    desired: rulesByRef(desired),
    prior: rulesByRef(prior),
    live: new Map([...rulesByRef(live.values)].map(([ref, rule]) => [ref, withDefaults(rule)])),
  };
  return {
    drifted: [
      ...removed(sides),
      ...added(sides, options),
      ...moved(sides),
      ...inTheWay(input),
      ...[...sides.live.keys()].flatMap((ref, index) => edited(sides, ref, index + 1)),
    ],
    adopted: adopted(sides),
  };
}

/** Rules that are declared and were applied, but are deleted. */
function removed({ desired, prior, live }: RuleSides): RuleEvent[] {
  return [...prior].flatMap(([ref, rule], index) => {
    const declared = desired.get(ref);
    if (!declared || live.has(ref)) return [];
    const cause = equal(rule, declared) ? "drift" : "both";
    return [{ what: "removed", ref, title: titleOf(rule), from: index + 1, leaves: [], cause }];
  });
}

/** Rules that are neither declared nor applied, but are ours to remove. */
function added({ desired, prior, live }: RuleSides, options: Options): RuleEvent[] {
  const refs = new Set(prior.keys());
  return [...live].flatMap(([ref, rule], index) => {
    if (desired.has(ref) || prior.has(ref) || !isOurs(ref, refs, options)) return [];
    const found = leaves(withoutRef(rule)).map(({ path, value }): LeafChange => ({
      path,
      before: value,
      cause: "drift",
    }));
    return [{ what: "added", ref, title: titleOf(rule), to: index + 1, leaves: found, cause: "drift" }];
  });
}

/** The fewest moves from the applied order to the live one. */
function moved(sides: RuleSides): RuleEvent[] {
  const { desiredIsPrior, liveIsPrior, liveIsDesired } = orders(sides);
  if (liveIsPrior || liveIsDesired) return [];
  const { desired, prior, live } = sides;
  const from = [...prior.keys()].filter((ref) => desired.has(ref) && live.has(ref));
  const to = [...live.keys()].filter((ref) => desired.has(ref) && prior.has(ref));
  const moves = arrange(from, to, () => false, undefined).moved;
  return to.flatMap((ref, index) =>
    moves.has(ref)
      ? [
          {
            what: "moved",
            ref,
            title: titleOf(live.get(ref) ?? {}),
            from: from.indexOf(ref) + 1,
            to: index + 1,
            leaves: [],
            cause: desiredIsPrior ? "drift" : "both",
          },
        ]
      : [],
  );
}

/** Foreign rules that were put where `place` puts ours, or that ours were moved past. */
function inTheWay(input: ComparisonInput): RuleEvent[] {
  const places = [...rulesByRef(input.live.values).keys()];
  const what = placeOf(input.options) === "first" ? "ahead" : "behind";
  return misplaced(input)
    .filter(({ cause }) => cause === "drift")
    .map(({ ref, rule, cause }) => {
      return { what, ref, title: ruleWords(rule), to: places.indexOf(ref) + 1, leaves: [], cause };
    });
}

/** A declared and applied rule whose live values differ from both. */
function edited(sides: RuleSides, ref: string, to: number): RuleEvent[] {
  const [desired, prior, live] = [sides.desired.get(ref), sides.prior.get(ref), sides.live.get(ref)];
  if (!desired || !prior || !live) return [];
  const changed = diff(withoutRef(desired), withoutRef(prior), live, RULES).leaves.filter(isDrift);
  const isSwitch = ({ path }: LeafChange): boolean => path.length === 1 && path[0] === "enabled";
  const place = { ref, title: titleOf(live), to };
  const switched = changed.filter(isSwitch).map((leaf): RuleEvent => {
    return { what: leaf.before === true ? "enabled" : "disabled", ...place, leaves: [leaf], cause: leaf.cause };
  });
  const others = changed.filter((leaf) => !isSwitch(leaf));
  if (others.length === 0) return switched;
  const ruleAction = others.some(({ path }) => path[0] === "action") ? undefined : optionalText(live, "action");
  const event = { what: "edited", ...place, leaves: others, cause: causeOfAll(others) } as const;
  return [...switched, { ...event, ...defined({ ruleAction }) }];
}

function adopted(sides: RuleSides): string[] {
  const refs = [...new Set([...sides.desired.keys(), ...sides.prior.keys()])].filter((ref) => isAdopted(sides, ref));
  const { liveIsPrior, liveIsDesired } = orders(sides);
  return liveIsDesired && !liveIsPrior ? [...refs, "order"] : refs;
}

/** Whether a rule, or a field of it, is not as applied, but as declared. */
function isAdopted(sides: RuleSides, ref: string): boolean {
  const [desired, prior, live] = [sides.desired.get(ref), sides.prior.get(ref), sides.live.get(ref)];
  if (!desired || !live) return !desired && !live;
  if (!prior) return diff(withoutRef(desired), undefined, live, RULES).leaves.length === 0;
  return leaves(withoutRef(desired)).some(({ path, value }) => {
    const [before, current] = [valueAt(prior, path), valueAt(live, path)];
    return before !== undefined && !equal(before, current) && equal(value, current);
  });
}
