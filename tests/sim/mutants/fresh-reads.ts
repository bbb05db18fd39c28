import type { Mutant } from "./mutant.ts";

/** Mistakes about the read that a write is based on (R1). */
export const FRESH_READS: readonly Mutant[] = [
  {
    name: "throttled-write-sent-again",
    why: "a write that was refused with 429 is sent again with the same body, although its object may have changed meanwhile",
    file: "lib/service/fresh-write.ts",
    find: `if (sent.verdict === "done") return sent.answer;
    throw this.#failure(request, sent);`,
    replace: `if (sent.verdict === "done") return sent.answer;
    if (sent.verdict === "throttled") {
      this.end();
      this.#places = await this.#parts.reserve({ calls: 1, issuances: 0 }, undefined, signal);
      this.#readAt = this.#parts.clock.now();
      return this.#write(request, signal);
    }
    throw this.#failure(request, sent);`,
  },
  {
    name: "read-of-any-age",
    why: "a write is sent however old its read is: a stopped process overwrites what happened meanwhile",
    file: "lib/service/fresh-write.ts",
    find: "return age >= 0 && age <= FRESH_MILLISECONDS && !places.isPaused();",
    replace: "return age < Infinity && !places.isPaused();",
    // Few seeds stop a process that long between a read and its write.
    caughtBy: {
      test: "tests/conformance/apply/fresh-reads-connection.test.ts",
      title: "is not sent if connecting took longer",
    },
  },
  {
    name: "read-before-the-reservation",
    why: "the object is read before the places are free, and the write waits for its turn with what was read",
    file: "lib/service/fresh-write.ts",
    find: "    this.#places = places;",
    replace: "    places.giveBack();",
    also: {
      file: "lib/service/fresh-write.ts",
      find: `if (!this.#mayLeave(this.#places, this.#readAt))
      throw this.startOver(request.needsNoRead === true ? "paused" : "stale", nameOf(request));`,
      replace: "",
    },
    // Few seeds edit an object while a write waits for its turn; this test does nothing else.
    caughtBy: { test: "tests/stress/throttled.test.ts", title: "no edit is lost" },
  },
  {
    name: "old-pack-not-read-again",
    why: "the old pack is deleted as it was minutes ago, before the wait for its successor",
    file: "lib/apply/replace-ahead.ts",
    find: "const live = await kind.read(fresh.client, zone, old, fresh.signal);",
    replace: "const live: Live | undefined = old;",
  },
  {
    name: "pause-since-the-read-not-heeded",
    why: "a write is sent although the service asked for a pause after its read",
    file: "lib/service/fresh-write.ts",
    find: "FRESH_MILLISECONDS && !places.isPaused();",
    replace: "FRESH_MILLISECONDS;",
  },
  {
    name: "first-read-kept-for-all-attempts",
    why: "an attempt that starts over reads again, but compares and sends what the first one read",
    file: "lib/apply/update.ts",
    find: "const act = (fresh: Try): Promise<Performed> => updateOnce(attempt, fresh, change);",
    replace: `let first: Live | undefined;
  const kind = {
    ...attempt.kind,
    read: async (...asked: Parameters<Kind["read"]>) => {
      const now = await attempt.kind.read(...asked);
      first ??= now;
      return now && first;
    },
  };
  const act = (fresh: Try): Promise<Performed> => updateOnce({ ...attempt, kind }, fresh, change);`,
    caughtBy: {
      test: "tests/conformance/apply/fresh-reads.test.ts",
      title: "keeps the edit when a write is refused for 2 s",
    },
  },
];
