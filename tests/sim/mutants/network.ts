import type { Mutant } from "./mutant.ts";

/** Mistakes in what is made of answers, and of those that never come. */
export const NETWORK: readonly Mutant[] = [
  {
    name: "writes-repeated-after-a-lost-answer",
    why: "a create whose answer was lost is sent again, blindly (R2)",
    file: "lib/service/retry.ts",
    find: `if (method !== "GET" && failure.sent) return "lost";`,
    replace: "",
  },
  {
    name: "writes-repeated-after-a-server-error",
    why: "a create that was answered 5xx is sent again, blindly (R2)",
    file: "lib/service/retry.ts",
    find: `return method === "GET" ? "again" : "lost";`,
    replace: `return "again";`,
  },
  {
    name: "server-error-taken-as-failed",
    why: "a write that was answered 5xx counts as not done (R2)",
    file: "lib/service/retry.ts",
    find: `return method === "GET" ? "again" : "lost";`,
    replace: `return method === "GET" ? "again" : "refused";`,
  },
  {
    name: "unreadable-success-taken-as-failed",
    why: "a success whose body cannot be read counts as not done (R2)",
    file: "lib/service/retry.ts",
    find: `(reading.kind === "unreadable" && isOk(response))`,
    replace: "false",
  },
  {
    name: "lost-answer-taken-as-failed",
    why: "a cut connection counts as not done (R2)",
    file: "lib/service/retry.ts",
    find: `if (method !== "GET" && failure.sent) return "lost";`,
    replace: `if (method !== "GET" && failure.sent) return "hopeless";`,
  },
  {
    name: "issuance-not-paced",
    why: "more certificates are ordered in a minute than the budget allows",
    file: "lib/service/governor.ts",
    find: "if (isIssuance) await issuance.pass(signal);",
    replace: "",
  },
  {
    name: "issuance-given-back",
    why: "an order that succeeded does not count",
    file: "lib/service/governor.ts",
    find: "if (isIssuance && isDone) issuance.settle();",
    replace: "if (isIssuance && isDone) issuance.giveBack();",
  },
  {
    name: "throttling-ignored",
    why: "a refusal as one too many pauses nobody",
    file: "lib/service/governor.ts",
    find: "pause.refused(now, beganAt, readRetryAfter(response, now));",
    replace: "void [pause, beganAt, now];",
  },
  {
    name: "longer-pause-of-a-wave-ignored",
    why: "of calls that are refused together only the first one's wait is heeded",
    file: "lib/service/pause.ts",
    find: "else if (askedMilliseconds !== undefined) stretch(now, askedMilliseconds);",
    replace: "",
  },
  {
    name: "retry-after-ignored",
    why: "the service says how long to wait, and nobody listens",
    file: "lib/service/limit-headers.ts",
    find: "return delay > 0 ? delay : undefined;",
    replace: "return undefined;",
  },
];
