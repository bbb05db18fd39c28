import fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, type JsonObject, withValueAt } from "../../lib/core/json.ts";
import { driftExit } from "../../lib/engine/exit.ts";
import { type Given, judged, known, live, liveHostname, planned, wanted } from "../unit/plan/inputs.ts";

const RUNS = { numRuns: process.env["ZONEFORM_FULL"] ? 10_000 : 500, seed: 20261122 };
const NAME = "app.customer.net";
const PHASE = "http_ratelimit";
const CA = "ssl.certificate_authority";

/**
 * An oracle's verdict on one field: nothing to report, changed by hand to what the YAML wants, or the cause of its
 * difference.
 */
type Word = "nothing" | "adopted" | "config" | "drift" | "both";

/**
 * The oracle for a field. `default` is compared with what was sent, and a CA that live does not show with what was
 * applied.
 */
function leafOracle(name: string, yaml?: Json, applied?: Json, now?: Json): Word {
  if (yaml === undefined) return "nothing";
  if (name === CA && yaml === "default" && (applied === undefined || applied === "default")) return "nothing";
  if (name === CA && now === undefined) return applied === yaml ? "nothing" : "config";
  if (yaml === now) return applied === undefined || applied === now || applied === "default" ? "nothing" : "adopted";
  if (applied === undefined || applied === now || applied === "default") return "config";
  return yaml === applied ? "drift" : "both";
}

type Leaves = Readonly<Record<string, Json | undefined>>;

const VALUES: Readonly<Record<string, readonly string[]>> = {
  custom_origin_server: ["a.saas.net", "b.saas.net", "c.saas.net"],
  "custom_metadata.tier": ["gold", "silver", "bronze"],
  "custom_metadata.seats": ["1", "2", "3"],
  "ssl.method": ["http", "txt", "email"],
  [CA]: ["google", "lets_encrypt", "ssl_com"],
  "ssl.settings.min_tls_version": ["1.0", "1.1", "1.2"],
};

/** Values of all fields, each of which may be absent; live has no `default`. */
function leaves(isLive: boolean): fc.Arbitrary<Leaves> {
  const valuesOf = (name: string): readonly string[] => [
    ...(VALUES[name] ?? []),
    ...(name === CA && !isLive ? ["default"] : []),
  ];
  const each = Object.keys(VALUES).map(
    (name) => [name, fc.option(fc.constantFrom(...valuesOf(name)), { nil: undefined })] as const,
  );
  return fc.record(Object.fromEntries(each));
}

function nested(all: Leaves): JsonObject {
  return Object.entries(all).reduce(
    (object: JsonObject, [name, value]) => (value === undefined ? object : withValueAt(object, name.split("."), value)),
    {},
  );
}

const hostname = fc.record({
  yaml: fc.option(leaves(false), { nil: undefined, freq: 8 }),
  applied: fc.option(leaves(false), { nil: undefined, freq: 8 }),
  live: fc.option(leaves(true), { nil: undefined, freq: 8 }),
  isPending: fc.boolean(),
});

/** Applied and live that differ only in a field or two: the realistic cases among all possible ones. */
const neighbours = fc
  .tuple(hostname, fc.subarray(Object.keys(VALUES)), fc.subarray(Object.keys(VALUES)))
  .map(([drawn, edited, changed]) => {
    const { yaml, applied, live: now } = drawn;
    if (!yaml || !applied || !now) return drawn;
    const mixed = (one: Leaves, other: Leaves, names: readonly string[]): Leaves =>
      Object.fromEntries(Object.keys(VALUES).map((name) => [name, names.includes(name) ? other[name] : one[name]]));
    const shown = { ...applied, ...(applied[CA] === "default" ? { [CA]: now[CA] } : {}) };
    return { ...drawn, yaml: mixed(applied, yaml, changed), live: mixed(shown, now, edited) };
  });

test("drift and causes of fields match an oracle, held or not", () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(fc.oneof(hostname, neighbours), (drawn) => {
      const { yaml, applied, live: now, isPending } = drawn;
      const status = isPending ? { status: "pending", ssl_status: "pending_validation" } : { ssl_status: "active" };
      const given: Given = {
        objects: yaml ? [wanted("custom_hostname", NAME, nested(yaml))] : [],
        known: applied ? [known("custom_hostname", NAME, nested(applied))] : [],
        live: now ? [liveHostname(NAME, nested(now), status)] : [],
      };
      const words = Object.keys(VALUES).map(
        (name) => [name, leafOracle(name, yaml?.[name], applied?.[name], now?.[name])] as const,
      );
      const saying = (...some: readonly Word[]): readonly string[] =>
        words.flatMap(([name, word]) => (some.includes(word) ? [`${name} ${word}`] : [])).sort();

      const judgement = judged(given);
      const drifted = judgement.drifted.flatMap(({ what, leaves: parts }) =>
        what === "deleted" ? [what] : parts.map(({ path, cause }) => `${path.join(".")} ${cause}`),
      );
      const isTracked = yaml !== undefined && applied !== undefined;
      const isDeleted = isTracked && now === undefined;
      const expected = isDeleted ? ["deleted"] : isTracked && now ? saying("drift", "both") : [];
      expect(drifted.sort()).toEqual(expected);
      expect(driftExit(judgement)).toBe(expected.length > 0 ? 3 : 0);
      const adopted = judgement.adopted.flatMap(({ leaves: paths }) =>
        paths.map((path) => `${path.join(".")} adopted`),
      );
      expect(adopted.sort()).toEqual(isTracked && now ? saying("adopted") : []);

      const changes = planned(given).changes.flatMap(({ leaves: open, held }) => [...open, ...(held?.leaves ?? [])]);
      if (isTracked && now)
        expect(changes.map(({ path, cause }) => `${path.join(".")} ${cause}`).sort()).toEqual(
          saying("config", "drift", "both"),
        );
      for (const said of [...drifted, ...adopted]) met.add(String(said.split(" ").at(-1)));
    }),
    RUNS,
  );
  expect([...met].sort()).toEqual(["adopted", "both", "deleted", "drift"]);
});

interface Rule {
  readonly ref: string;
  readonly action: string;
  readonly expression: string;
  readonly enabled: boolean;
}
type Rules = readonly Rule[];

const FIELDS = ["action", "expression", "enabled"] as const;

/** What an oracle says about rules, in words: `added a drift`, `a.action both`, `order drift`. */
function rulesOracle(yaml: Rules, applied: Rules, now: Rules, isOurs: (ref: string) => boolean): readonly string[] {
  const find = (rules: Rules, ref: string): Rule | undefined => rules.find((rule) => rule.ref === ref);
  const refs = [...new Set([...yaml, ...applied, ...now].map(({ ref }) => ref))];
  const words = refs.flatMap((ref): string[] => {
    const [wish, last, current] = [find(yaml, ref), find(applied, ref), find(now, ref)];
    if (!wish) return !last && current && isOurs(ref) ? [`added ${ref} drift`] : [];
    if (last && !current)
      return [`removed ${ref} ${FIELDS.every((name) => wish[name] === last[name]) ? "drift" : "both"}`];
    if (!last || !current) return [];
    const said = FIELDS.map((name) => [name, leafOracle(name, wish[name], last[name], current[name])] as const);
    return said.flatMap(([name, word]) => (word === "drift" || word === "both" ? [`${ref}.${name} ${word}`] : []));
  });
  const common = refs.filter((ref) => [yaml, applied, now].every((rules) => find(rules, ref)));
  const [wish, last, current] = [yaml, applied, now].map((rules) =>
    rules.flatMap(({ ref }) => (common.includes(ref) ? [ref] : [])).join(),
  );
  if (current !== last && current !== wish) words.push(`order ${wish === last ? "drift" : "both"}`);
  return words.sort();
}

const REFS = ["ours/a", "ours/b", "ours/c", "b", "d"];

const rules: fc.Arbitrary<Rules> = fc
  .tuple(
    fc.shuffledSubarray(REFS),
    fc.array(
      fc.record({
        action: fc.constantFrom("log", "block"),
        expression: fc.constantFrom("true", "false"),
        enabled: fc.boolean(),
      }),
      { minLength: REFS.length, maxLength: REFS.length },
    ),
  )
  .map(([refs, contents]) =>
    refs.map((ref, index) => ({ action: "log", expression: "true", enabled: true, ...contents[index], ref })),
  );

test("drift and causes of rules match an oracle: added, removed, edited, switched, moved", () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(rules, fc.option(rules), fc.option(rules), fc.boolean(), (applied, wish, current, ownsAll) => {
      const [yaml, now] = [wish ?? applied, current ?? applied];
      const options = ownsAll ? {} : { own: ["ours/"] };
      const values = (some: Rules): JsonObject => ({ rules: some.map((rule) => ({ ...rule })) });
      const given: Given = {
        objects: [wanted("ruleset", PHASE, values(yaml), { options })],
        known: [known("ruleset", PHASE, values(applied))],
        live: [live("ruleset", PHASE, { name: "default", description: "", ...values(now) })],
      };
      const expected = rulesOracle(yaml, applied, now, (ref) => ownsAll || ref.startsWith("ours/"));
      const judgement = judged(given);
      const events = judgement.drifted.flatMap((each) => each.rules);
      const said = events.flatMap(({ what, ref, cause, leaves: parts }) => {
        if (what === "added" || what === "removed") return [`${what} ${ref} ${cause}`];
        return what === "moved"
          ? [`order ${cause}`]
          : parts.map((leaf) => `${ref}.${leaf.path.join(".")} ${leaf.cause}`);
      });
      expect([...new Set(said)].sort()).toEqual(expected);
      expect(driftExit(judgement)).toBe(expected.length > 0 ? 3 : 0);
      for (const { what, leaves: parts } of events) {
        met.add(what);
        if (what === "enabled" || what === "disabled") expect(parts[0]?.before).toBe(what === "enabled");
      }

      // The plan gives the same causes; moving one rule may revert the move of another.
      const changes = planned(given).changes.flatMap((change) => change.rules);
      const causes = changes.flatMap(({ action, ref, cause, leaves: parts }) => {
        if (cause === "config" && action !== "edit") return [];
        if (action === "insert") return [`removed ${ref} ${cause}`];
        if (action === "remove") return [`added ${ref} ${cause}`];
        if (action === "move") return [`order ${cause}`];
        return parts.flatMap((leaf) =>
          leaf.cause === "config" ? [] : [`${ref}.${leaf.path.join(".")} ${leaf.cause}`],
        );
      });
      expect([...new Set(causes)].sort()).toEqual(expected);
    }),
    RUNS,
  );
  expect([...met].sort()).toEqual(["added", "disabled", "edited", "enabled", "moved", "removed"]);
});
