import type { Mutant } from "./mutant.ts";

/** Slips of a tired engineer, chosen from the engine's sources alone, without looking at what the judges check. */
export const SLIPS: readonly Mutant[] = [
  {
    name: "other-content-proves-ours",
    why: "an object that differs from what was sent counts as made by our lost create, and may be deleted",
    file: "lib/plan/subject.ts",
    find: "return rules.length === 0 && shown.length === 0 && !hasMore(kind, applied, live);",
    replace: "return rules.length === 0 && shown.length >= 0 && !hasMore(kind, applied, live);",
    caughtBy: {
      test: "tests/conformance/apply/lists-that-lag.test.ts",
      title: "deletes nothing that has its name and differs from what was sent",
    },
  },
  {
    name: "lag-of-a-minute",
    why: "an unfinished create is forgotten after a minute, but a list may lag for longer",
    file: "lib/plan/subject.ts",
    find: "const LONGEST_LAG_MILLISECONDS = 60 * 60_000;",
    replace: "const LONGEST_LAG_MILLISECONDS = 60_000;",
    caughtBy: {
      test: "tests/conformance/apply/lists-that-lag.test.ts",
      title: "is given up when it has not shown for longer than any list lags",
    },
  },
  {
    name: "deleted-without-its-successor",
    why: "the old object is deleted although the new one could not be made",
    file: "lib/apply/carry-out.ts",
    find: "if (isUnmade(change, performed.outcome)) unmade.add(change.kind);",
    replace: "",
    caughtBy: {
      test: "tests/conformance/apply/stale-plans.test.ts",
      title: "a rename whose create fails deletes nothing",
    },
  },
  {
    name: "run-goes-on-after-a-stop",
    why: "a replacement that cannot be created again does not stop the deletion of the others",
    file: "lib/apply/carry-out.ts",
    find: "if (performed.stops !== undefined) stopped ??= performed.stops;",
    replace: "",
    caughtBy: { test: "tests/conformance/apply/halfway.test.ts", title: "costs one object, and not all of them" },
  },
  {
    name: "old-plan-deletes-another-object",
    why: "what another run put in place of the planned object is deleted, or called gone",
    file: "lib/apply/remove.ts",
    find: "if (isAnotherByNow(attempt, live)) return { outcome: anotherSince(attempt) };",
    replace: "",
    caughtBy: { test: "tests/conformance/apply/stale-plans.test.ts", title: "loses nothing that another run made" },
  },
  {
    name: "old-pack-found-as-the-new-one",
    why: "after a lost order the pack that is to be replaced is taken for its successor",
    file: "lib/apply/create.ts",
    find: `return change.action === "replace" ? others.add(change.id) : others;`,
    replace: "return others;",
    also: {
      file: "lib/apply/create.ts",
      find: `if (attempt.kind.replacement === "create-first" && !seen.isAsSent) throw error;`,
      replace: "",
    },
    caughtBy: {
      test: "tests/conformance/apply/lists-that-lag.test.ts",
      title: "is unconfirmed if its response was lost",
    },
  },
  {
    name: "cut-replacement-forgotten",
    why: "a run that dies between the two halves of a replacement leaves a create that nobody looks for",
    file: "lib/state/journal.ts",
    find: `if (intent.action !== "create" && intent.action !== "replace") return;`,
    replace: `if (intent.action !== "create") return;`,
    caughtBy: { test: "tests/unit/state/replay.test.ts", title: "an unfinished replace may have created" },
  },
  {
    name: "records-of-a-busy-moment-lost",
    why: "a record that comes during an append never reaches the disk",
    file: "lib/state/open-journal.ts",
    find: `    this.queued = [];
    if (this.sending.length > 0) await this.append(this.sending.map(({ line }) => line));`,
    replace: `    if (this.sending.length > 0) await this.append(this.sending.map(({ line }) => line));
    this.queued = [];`,
  },
  {
    name: "list-believed-about-another-id",
    why: "a list that still shows a deleted object hides the one that took its name",
    file: "lib/refresh/refresh.ts",
    find: "listed.get(object.key)?.id !== object.id,",
    replace: "!listed.has(object.key),",
    caughtBy: {
      test: "tests/conformance/apply/lists-that-lag.test.ts",
      title: "does not hide an object behind a deleted one of the same name",
    },
  },
  {
    name: "late-request-taken-as-refused",
    why: "a write that the service answered with 408 counts as not done, although it may have taken effect",
    file: "lib/service/retry.ts",
    find: "return response.status >= 500 || response.status === 408;",
    replace: "return response.status >= 500;",
  },
];
