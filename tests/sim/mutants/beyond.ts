import type { Mutant } from "./mutant.ts";

const LOOPBACK = "tests/conformance/emulator-loopback.test.ts";
const APPROVAL = "tests/conformance/approval.test.ts";

/**
 * Mistakes that the simulation cannot meet: it knows neither the emulator's sockets nor approvals. Tests have to notice
 * them.
 */
export const BEYOND: readonly Mutant[] = [
  {
    name: "emulator-listens-anywhere",
    why: "an admin API that asks for no credentials is open to the network (R7)",
    file: "lib/emulator/loopback.ts",
    find: "if (isLoopback(address)) return address;",
    replace: "if (isLoopback(address) || isIP(address) !== 0) return address;",
    caughtBy: { test: LOOPBACK, title: "the address to listen on" },
  },
  {
    name: "foreign-host-answered",
    why: "a page whose name resolves to this machine reaches the emulator (R7)",
    file: "lib/emulator/loopback.ts",
    find: "if (!isOurs(host) || (target",
    replace: "if ((target",
    caughtBy: { test: LOOPBACK, title: "a request that a foreign web page may have sent" },
  },
  {
    name: "foreign-origin-answered",
    why: "a foreign page moves the emulator's clock (R7)",
    file: "lib/emulator/loopback.ts",
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
    name: "unrouted-write-taken-as-refused",
    why: "a write that took effect counts as refused, because a gateway could not route something (R3)",
    file: "lib/service/retry.ts",
    find: `const isEvidence = method === "GET" || !hasCode(reading, NOT_ROUTED);`,
    replace: "const isEvidence = true;",
    caughtBy: {
      test: "tests/conformance/evidence-of-writes.test.ts",
      title: "is looked up, and done if it was carried out",
    },
  },
];
