import type { Mutant } from "./mutant.ts";

/** Mistakes about what an answer proves (R2, R3, R8). */
export const EVIDENCE: readonly Mutant[] = [
  {
    name: "unusable-success-taken-as-failed",
    why: "a write that was answered 204, or with `result: null`, counts as not done, and its intent is closed (R2)",
    file: "lib/service/retry.ts",
    find: `if (method !== "GET") return "lost";`,
    replace: `if (method !== "GET") return reading.kind === "unusable" ? "refused" : "lost";`,
  },
  {
    name: "no-content-taken-as-deleted",
    why: "a delete that was answered 204 counts as done, whoever answered (R2)",
    file: "lib/kinds/custom-hostname/remote.ts",
    find: `const gone = await ifFound(() => client.send(call, signal));
  if (gone !== undefined) sameId(asObject(gone, "result"), live.id);`,
    replace: `await ifFound(() => client.send({ ...call, answer: "nothing" }, signal));`,
  },
  {
    name: "lost-create-called-done",
    why: "a create whose answer shows nothing counts as done without a look, and has no id (R2)",
    file: "lib/apply/create.ts",
    find: "if (error instanceof AmbiguousError) return settleLost(attempt, startedAt, error);",
    replace: `if (error instanceof AmbiguousError)
    return recordDone(attempt, { id: "", key: attempt.change.key, values: attempt.change.desired ?? {}, status: {} });`,
  },
  {
    name: "lost-update-called-done",
    why: "an update whose answer shows nothing counts as done without a look (R2)",
    file: "lib/apply/update.ts",
    find: `const found = await readOrUnknown(reread(attempt, { ...attempt, signal: undefined }));
  if (!found || found === "unknown" || !new Sight(attempt, found).isAsDesired) throw thrown;`,
    replace: "const found = live;",
  },
  {
    name: "proxy-refusal-taken-as-failed",
    why: "a 403 or 404 that a proxy wrote counts as the service's refusal (R9)",
    file: "lib/service/retry.ts",
    find: `if (method !== "GET") return "lost";`,
    replace: `if (method !== "GET") return reading.kind === "unreadable" && response.status < 500 ? "refused" : "lost";`,
  },
  {
    name: "not-routed-taken-as-not-found",
    why: "7003, which any gateway sends, counts as proof that the object is gone (R3)",
    file: "lib/service/errors.ts",
    find: "error.has(code) && (status === undefined",
    replace: "(error.has(code) || error.has(7003)) && (status === undefined",
  },
  {
    name: "any-404-taken-as-not-found",
    why: "every 404 counts as proof that the object is gone, whoever sends it (R3)",
    file: "lib/service/errors.ts",
    find: "return NOT_FOUND[error.family].some(",
    replace: "return error.status === 404 || NOT_FOUND[error.family].some(",
  },
  {
    name: "answer-not-compared",
    why: "a write counts as done whatever its answer is (R8)",
    file: "lib/apply/settle.ts",
    find: "if (isMet(answered)) return { seen: answered };",
    replace: "if (isMet !== undefined) return { seen: answered };",
  },
  {
    name: "look-up-not-compared",
    why: "a write whose answer is not what was sent counts as done as soon as the object is found (R8)",
    file: "lib/apply/settle.ts",
    find: "if (found && isMet(last)) return { seen: last };",
    replace: "if (found) return { seen: last };",
  },
  {
    name: "values-of-an-update-not-compared",
    why: "an update that was answered with the old values counts as done (R8)",
    file: "lib/apply/update.ts",
    find: "seen.live.id === before.id && seen.live.key === before.key && seen.isAsEdited;",
    replace: "seen.live.id === before.id && seen.live.key === before.key;",
  },
  {
    name: "id-of-an-update-not-compared",
    why: "an update that was answered with another object makes that one ours (R8)",
    file: "lib/apply/update.ts",
    find: "seen.live.id === before.id && seen.live.key === before.key && seen.isAsEdited;",
    replace: "seen.isAsEdited;",
    also: {
      file: "lib/core/decode.ts",
      find: "if (found !== wanted)",
      replace: "if (found === undefined)",
    },
  },
  {
    name: "values-of-a-create-not-compared",
    why: "a create that was answered with other values than were sent counts as done (R8)",
    file: "lib/apply/create.ts",
    find: "isOurKey(seen.live) && !isKnown(seen.live) && seen.isAsSent;",
    replace: "isOurKey(seen.live) && !isKnown(seen.live);",
    caughtBy: { test: "tests/conformance/apply/evidence-of-writes.test.ts", title: "leaves a create unconfirmed" },
  },
  {
    name: "name-of-a-create-not-compared",
    why: "a foreign hostname in the answer to a create is tracked under our address (R8)",
    file: "lib/apply/create.ts",
    find: "isOurKey(seen.live) && !isKnown(seen.live) && seen.isAsSent;",
    replace: "!isKnown(seen.live) && seen.isAsSent;",
    also: {
      file: "lib/kinds/custom-hostname/remote.ts",
      find: "if (made.key !== key) throw",
      replace: "if (made.key === undefined) throw",
    },
  },
  {
    name: "known-id-taken-for-a-new-one",
    why: "the answer to an order shows a pack that is tracked already, and it is tracked twice (R8)",
    file: "lib/apply/create.ts",
    find: "isOurKey(seen.live) && !isKnown(seen.live) && seen.isAsSent;",
    replace: "isOurKey(seen.live) && seen.isAsSent;",
    caughtBy: { test: "tests/conformance/apply/evidence-of-writes.test.ts", title: "never tracks one pack twice" },
  },
  {
    name: "id-of-any-form",
    why: "an id that leads elsewhere is stored, and blocks every later run (R8)",
    file: "lib/core/decode.ts",
    find: "if (!ID.test(value)) throw",
    replace: `if (value === "") throw`,
  },
];
