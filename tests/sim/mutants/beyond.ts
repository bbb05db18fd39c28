import type { Mutant } from "./mutant.ts";

const LOOPBACK = "tests/conformance/emulator/loopback.test.ts";
const APPROVAL = "tests/conformance/approval/approval.test.ts";
const SPENT = "tests/conformance/approval/approval-spent.test.ts";
const FOREIGN_RULES = "tests/conformance/plan/foreign-rules.test.ts";

/**
 * Mistakes that the simulation cannot meet, or only in thousands of seeds: it knows neither the emulator's sockets nor
 * approvals, for example. Tests have to notice them.
 */
export const BEYOND: readonly Mutant[] = [
  {
    name: "emulator-listens-anywhere",
    why: "an admin API that asks for no credentials is open to the network (R7)",
    file: "lib/emulator/access.ts",
    find: "if (isLoopback(address)) return address;",
    replace: "if (isLoopback(address) || isIP(address) !== 0) return address;",
    caughtBy: { test: LOOPBACK, title: "the address to listen on" },
  },
  {
    name: "foreign-host-answered",
    why: "a page whose name resolves to this machine reaches the emulator (R7)",
    file: "lib/emulator/access.ts",
    find: "if (!isOurs(host) || (target",
    replace: "if ((target",
    caughtBy: { test: LOOPBACK, title: "a request that a foreign web page may have sent" },
  },
  {
    name: "foreign-origin-answered",
    why: "a foreign page moves the emulator's clock (R7)",
    file: "lib/emulator/access.ts",
    find: "if (origin !== undefined && !(isOpen ?",
    replace: 'if (origin === "" && !(isOpen ?',
    caughtBy: { test: LOOPBACK, title: "a request that a foreign web page may have sent" },
  },
  {
    name: "hash-without-what-is-replaced",
    why: "the plan has the same hash whatever is live, so an old approval overwrites a live edit",
    file: "lib/plan/digest.ts",
    find: "[path, before ?? null, after ?? null]",
    replace: "[path, after ?? null]",
    caughtBy: { test: APPROVAL, title: "--expect HASH" },
  },
  {
    name: "hash-without-what-is-deleted",
    why: "an old approval deletes an object that somebody changed since",
    file: "lib/plan/digest.ts",
    find: "...(takesAway(change) || removesRules(change) ? { expected: change.expected ?? null } : {}),",
    replace: "",
    caughtBy: { test: APPROVAL, title: "--expect HASH" },
  },
  {
    name: "hash-without-the-run-that-applied-it",
    why: "an approval is good for ever: a rollback is undone by whoever retries the job",
    file: "lib/plan/digest.ts",
    find: "...(runs.length > 0 ? { runs } : {}),",
    replace: "",
    caughtBy: { test: SPENT, title: "an approval that was used" },
  },
  {
    name: "one-run-for-all-fields",
    why: "a run that changes another field of an object voids what was approved for this one",
    file: "lib/plan/digest.ts",
    find: "{ ...before, ...Object.fromEntries(fields.map((field) => [field, run])) }",
    replace: "{ [OTHERS]: run }",
    caughtBy: { test: SPENT, title: "an approval is not spent" },
  },
  {
    name: "rollback-before-the-lock-not-seen",
    why: "a run that waited for the lock overwrites what was set back meanwhile",
    file: "lib/apply/compare.ts",
    find: "if (!known.isStale || before?.pending) return false;",
    replace: "if (known.isStale || before?.pending) return false;",
    caughtBy: { test: SPENT, title: "a spent approval" },
  },
  {
    name: "what-left-the-state-is-forgotten",
    why: "the approval that created a hostname creates it again once it was deleted by the YAML",
    file: "lib/state/state.ts",
    find: "removed.set(address, by);",
    replace: "",
    caughtBy: { test: SPENT, title: "an approval that was used" },
  },
  {
    name: "unrouted-write-taken-as-refused",
    why: "a write that took effect counts as refused, because a gateway could not route something (R3)",
    file: "lib/service/retry.ts",
    find: `const isEvidence = method === "GET" || !hasCode(reading, NOT_ROUTED);`,
    replace: "const isEvidence = true;",
    caughtBy: {
      test: "tests/conformance/apply/evidence-of-writes.test.ts",
      title: "is looked up, and done if it was carried out",
    },
  },
  {
    name: "late-read-not-compared",
    why: "what somebody edits while a slow disk stores the intent is overwritten, or deleted with its hostname",
    file: "lib/apply/tries.ts",
    find: "if (now?.id === live.id && equal(now.values, live.values)) return now;",
    replace: "if (now !== undefined) return now;",
    caughtBy: { test: "tests/conformance/apply/fresh-reads.test.ts", title: "while a slow disk stores the intent" },
  },
  {
    name: "removed-rule-not-looked-for",
    why: "a rule whose removal did not happen leaves the state, and no later plan removes it",
    file: "lib/apply/compare.ts",
    find: "return this.#comparedWithPrior().rules.length === 0 && this.#leavesNotAsSent().length === 0;",
    replace: "return this.isAsSent;",
    caughtBy: {
      test: "tests/conformance/apply/evidence-of-writes.test.ts",
      title: "leaves the removal of a rule unconfirmed",
    },
  },
  {
    name: "unknown-append-given-back-as-known",
    why: "an append that arrives late breaks the journal of the next holder of the lock",
    file: "lib/state/engines/s3/session.ts",
    find: "const isUnfenced = this.#isKnown() ? {} : ({ isUnfenced: true } as const);",
    replace: "const isUnfenced = {};",
    caughtBy: {
      test: "tests/stores/s3-lease.test.ts",
      title: "leaves a journal that can be read, whenever the append arrives",
    },
  },
  {
    name: "rows-alike-once-joined",
    why: "a row gets the values of another row, and its hostname another origin, tier or policy",
    file: "lib/config/rows.ts",
    find: "const key = JSON.stringify(values.map((value) => value ?? null));",
    replace: "const key = values.join();",
    caughtBy: { test: "tests/unit/config/sources.test.ts", title: "each row has its own values" },
  },
  {
    name: "calls-under-way-not-kept-back",
    why: "with an unlimited budget the quota is exceeded, and the whole account is refused for 5 minutes",
    file: "lib/service/governor.ts",
    find: "if (remaining <= Math.max(others, this.underWay) && resetMilliseconds > 0)",
    replace: "if (remaining <= others && resetMilliseconds > 0)",
    caughtBy: { test: "tests/unit/service/governor.test.ts", title: "keeps back what the calls under way will use up" },
  },
  {
    name: "deletion-limit-inherited-as-a-whole",
    why: "a zone that only sets a percentage gets the default count, and not the project's",
    file: "lib/config/limits.ts",
    find: "const [said, otherwise] = [sections[name], below.get(name) ?? DEFAULT];",
    replace: "const [said, otherwise] = [sections[name], sections[name] ? DEFAULT : (below.get(name) ?? DEFAULT)];",
    caughtBy: {
      test: "tests/conformance/plan/deletion-limits.test.ts",
      title: "of the project hold for what the zone's file does not say",
    },
  },
  {
    name: "danger-found-and-not-judged",
    why: "a drift job tells nobody that what somebody changed opens the edge",
    file: "lib/plan/hazards.ts",
    find: "return { ...hazardous(kind, step), ",
    replace: "return { ...(live ? NONE : hazardous(kind, step)), ",
    caughtBy: { test: "tests/conformance/plan/hazards.test.ts", title: "is reported for foreign edits of live" },
  },
  {
    name: "expression-left-out-where-the-title-is-cut",
    why: "the dangerous last clause of a long expression stands nowhere in the plan that is approved",
    file: "lib/report/lines/rule-lines.ts",
    find: "return after === shortTitle(title);",
    replace: "return after === title;",
    caughtBy: { test: "tests/unit/report/whole-expressions.test.ts", title: "in text: " },
  },
  {
    name: "danger-reviewed-that-no-screen-showed",
    why: "a foreign skip of a phase that the YAML declares only later counts as reviewed, and no drift job names it",
    file: "lib/kinds/ruleset/watch.ts",
    find: `reviewed?.["skips"] !== undefined && skips.every((each) => texts(reviewed, "skips").includes(each));`,
    replace: "reviewed !== undefined;",
    caughtBy: { test: FOREIGN_RULES, title: "does not cover a skip of a phase that the YAML declares only later" },
  },
  {
    name: "silenced-danger-reviewed",
    why: "a foreign rule put in front while ignore_foreign holds stays reviewed after its end",
    file: "lib/kinds/ruleset/watch.ts",
    find: "if (Date.parse(now) < (ignoredUntil(options) ?? 0)) return { rule: base };",
    replace:
      "if (Date.parse(now) < (ignoredUntil(options) ?? 0)) return { rule: base, mark: { ...bared, skips: [] } };",
    caughtBy: { test: FOREIGN_RULES, title: "covers no rule that ignore_foreign silenced" },
  },
];
