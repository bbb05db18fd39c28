import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../lib/core/json.ts";
import { ruleset } from "../../lib/kinds/ruleset/kind.ts";
import type { RuleChange } from "../../lib/kinds/traits/compared.ts";

/** The random scripts that the replay has to reproduce. */
const SCRIPTS = 2000;

/** A rule of these tests. */
interface Rule {
  readonly [field: string]: Json;
  readonly ref: string;
}

/** One step that an editor makes in the list of our rules. The numbers are taken modulo what there is. */
type Step =
  | { readonly do: "insert"; readonly to: number; readonly rule: Omit<Rule, "ref"> }
  | { readonly do: "remove"; readonly at: number }
  | { readonly do: "move"; readonly at: number; readonly to: number }
  | { readonly do: "edit"; readonly at: number; readonly rule: Omit<Rule, "ref"> }
  | { readonly do: "switch"; readonly at: number };

const expression = fc.integer({ min: 0, max: 5 }).map((number) => `http.host eq "${number}.example"`);
const content: fc.Arbitrary<Omit<Rule, "ref">> = fc.oneof(
  fc.record({ action: fc.constantFrom("log", "managed_challenge"), expression }),
  fc.record({ action: fc.constant("block"), expression, status: fc.constantFrom(403, 429) }).map(blocking),
  fc.record({ action: fc.constant("skip"), expression, skipped: skips() }).map(skipping),
);

function blocking({ status, ...rule }: { action: string; expression: string; status: number }): Omit<Rule, "ref"> {
  const response = { status_code: status, content: "no", content_type: "text/plain" };
  return { ...rule, action_parameters: { response } };
}

function skipping({
  skipped,
  ...rule
}: {
  action: string;
  expression: string;
  skipped: JsonObject;
}): Omit<Rule, "ref"> {
  return { ...rule, action_parameters: skipped };
}

/** Parameters of which one excludes the other. */
function skips(): fc.Arbitrary<JsonObject> {
  return fc.constantFrom<JsonObject>({ ruleset: "current" }, { rulesets: ["efb7b8c949ac4650a09736fc376e9aee"] });
}

const number = fc.nat({ max: 1000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("insert" as const), to: number, rule: content }),
  fc.record({ do: fc.constant("remove" as const), at: number }),
  fc.record({ do: fc.constant("move" as const), at: number, to: number }),
  fc.record({ do: fc.constant("edit" as const), at: number, rule: content }),
  fc.record({ do: fc.constant("switch" as const), at: number }),
);

const story = fc.record({
  ours: fc.array(fc.tuple(content, fc.boolean()), { maxLength: 20 }),
  /** Where foreign rules stand among ours, if no `place` says so. */
  theirs: fc.array(fc.tuple(number, content), { maxLength: 6 }),
  place: fc.constantFrom("first", "last", null),
  /** Whether the foreign rules stand where `place` wants them. If not, the plan also moves past them. */
  isInPlace: fc.boolean(),
  wasApplied: fc.boolean(),
  script: fc.array(step, { maxLength: 12 }),
});

/** The list after the steps of an editor. */
function edited(rules: readonly Rule[], script: readonly Step[]): readonly Rule[] {
  const list = [...rules];
  script.forEach((each, index) => {
    const at = "at" in each && list.length > 0 ? each.at % list.length : -1;
    const found = list[at];
    if (each.do === "insert") {
      list.splice(each.to % (list.length + 1), 0, { ref: `ours/new-${index}`, enabled: true, ...each.rule });
    } else if (found === undefined) return;
    else if (each.do === "remove") list.splice(at, 1);
    else if (each.do === "edit") list[at] = { ref: found.ref, enabled: found["enabled"] ?? true, ...each.rule };
    else if (each.do === "switch") list[at] = { ...found, enabled: found["enabled"] !== true };
    else {
      list.splice(at, 1);
      list.splice(each.to % (list.length + 1), 0, found);
    }
  });
  return list;
}

/** The list after the operations that a plan shows, carried out by hand. */
function replayed(live: readonly Rule[], operations: readonly RuleChange[]): readonly Rule[] {
  const added = new Map<number, Rule>();
  const gone = new Set<string>();
  const changed = new Map(live.map((rule) => [rule.ref, rule]));
  for (const { action, ref, from, leaves } of operations) {
    const rule = changed.get(ref);
    if (from !== undefined && live[from - 1]?.ref !== ref) throw new Error(`${ref} is not #${from}`);
    if (action === "remove" || action === "move") gone.add(ref);
    if (action === "insert") changed.set(ref, withLeaves({ ref }, leaves));
    else if (leaves.length > 0 && rule) changed.set(ref, withLeaves(rule, leaves));
  }
  for (const { action, ref, to } of operations) {
    const rule = changed.get(ref);
    if ((action === "insert" || action === "move") && rule && to !== undefined) added.set(to, rule);
  }
  const list = live.filter(({ ref }) => !gone.has(ref)).map((rule) => changed.get(rule.ref) ?? rule);
  for (const [to, rule] of [...added].toSorted(([left], [right]) => left - right)) list.splice(to - 1, 0, rule);
  return list;
}

/** A rule with these fields set, or taken away where there is no new value. */
function withLeaves(rule: Rule, leaves: RuleChange["leaves"]): Rule {
  return leaves.reduce((result: Rule, { path, before, after }) => {
    expect(path.reduce((value: Json | undefined, key) => members(value)[key], result)).toEqual(before);
    return { ...changed(result, path, after), ref: rule.ref };
  }, rule);
}

function changed(value: Json | undefined, [key = "", ...rest]: readonly string[], after: Json | undefined): JsonObject {
  const { [key]: old, ...others } = members(value);
  const next = rest.length === 0 ? after : changed(old, rest, after);
  const isEmpty = next === undefined || (rest.length > 0 && Object.keys(members(next)).length === 0);
  return isEmpty ? others : { ...others, [key]: next };
}

function members(value: Json | undefined): { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

it("2,000 scripts of an editor: the operations of the plan give the desired list, and are no more than the script had", () => {
  fc.assert(
    fc.property(story, ({ ours, theirs, place, isInPlace, wasApplied, script }) => {
      const before = ours.map(([rule, enabled], index): Rule => ({ ref: `ours/${index}`, enabled, ...rule }));
      const foreign = theirs.map(([, rule], index): Rule => ({ ref: `theirs/${index}`, enabled: true, ...rule }));
      const live =
        place === null || !isInPlace
          ? mixed(before, foreign, theirs)
          : place === "first"
            ? [...before, ...foreign]
            : [...foreign, ...before];
      const after = edited(before, script);
      const comparison = {
        desired: { rules: [...after] },
        prior: wasApplied ? { rules: before } : undefined,
        live: { id: "id", key: "http_request_firewall_custom", values: { rules: [...live] }, status: {} },
        options: { own: ["ours/"], place },
      };
      const operations = ruleset.compare(comparison).rules;

      const result = replayed(live, operations);
      expect(result.filter(({ ref }) => ref.startsWith("ours/"))).toEqual(after);
      expect(result.filter(({ ref }) => !ref.startsWith("ours/"))).toEqual(foreign);
      expect(ruleset.shared.valuesAfter(comparison)["rules"]).toEqual(result);
      if (place === null || isInPlace) expect(operations.length).toBeLessThanOrEqual(script.length);
    }),
    { numRuns: SCRIPTS, seed: 28 },
  );
});

/** Our rules, with each foreign one somewhere among them, in the order of the foreign ones. */
function mixed(
  ours: readonly Rule[],
  foreign: readonly Rule[],
  places: readonly (readonly [number, unknown])[],
): readonly Rule[] {
  const at = places.map(([place]) => place % (ours.length + 1)).toSorted((left, right) => left - right);
  const between = (index: number): readonly Rule[] => foreign.filter((_rule, place) => at[place] === index);
  return [...ours.flatMap((rule, index) => [...between(index), rule]), ...between(ours.length)];
}
