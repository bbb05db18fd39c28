import type { Mutant } from "./mutant.ts";

/** Mistakes in what is remembered. */
export const MEMORY: readonly Mutant[] = [
  {
    name: "no-intent",
    why: "nothing is recorded before a request is sent (R1)",
    file: "lib/state/open-journal.ts",
    find: "    if (this.announced) return this.intendTogether(this.announced, entry);",
    replace: "    if (entry) return;",
  },
  {
    name: "intent-not-waited-for",
    why: "the request is sent while its intent is still on the way to the disk (R1)",
    file: "lib/state/open-journal.ts",
    find: `    await this.writer.commit();
    // Only now`,
    replace: `    void this.writer.commit().catch(() => undefined);
    // Only now`,
  },
  {
    name: "recovery-ignores-intents",
    why: "the next run forgets an unfinished intent (R3)",
    file: "lib/state/journal.ts",
    find: "if (trace.unfinished) keepUnfinished(editor, trace.unfinished);",
    replace: "",
  },
  {
    name: "recovery-ignores-the-journal",
    why: "only the snapshot is read, and what a killed run did is lost",
    file: "lib/state/load.ts",
    find: "return binding.baseSerial < state.serial ? state : applyTraces(state, traces);",
    replace: "return state;",
  },
  {
    name: "journal-not-folded-at-the-start",
    why: "a run that does not fold in the journal of a dead one begins a second one in it, which nobody can read",
    file: "lib/state/load.ts",
    find: "if (found && !found.hasJournal) return found;",
    replace: "if (found) return found;",
  },
  {
    name: "serial-not-raised",
    why: "two states of one serial cannot be distinguished",
    file: "lib/state/load.ts",
    find: "serial: state.serial + 1 }",
    replace: "serial: state.serial }",
  },
  {
    name: "older-state-believed",
    why: "an older state that was put back is taken for the newest one, and what was done since is forgotten",
    file: "lib/state/load.ts",
    find: "if (signs.length > 0) throw",
    replace: "if (signs.length > 9) throw",
  },
  {
    name: "new-lineage-with-each-save",
    why: "no plan and no journal fits the state any more",
    file: "lib/state/load.ts",
    find: "const next = { ...state, serial: state.serial + 1 };",
    replace: "const next = { ...state, lineage: `${state.lineage}x`, serial: state.serial + 1 };",
  },
  {
    name: "secret-in-the-state",
    why: "a secret is kept as it is instead of as a keyed hash",
    file: "lib/core/secret.ts",
    find: `createHmac("sha256", Buffer.from(key, "hex")).update(secret.reveal()).digest("hex")`,
    replace: `secret.reveal() + createHmac("sha256", Buffer.from(key, "hex")).digest("hex")`,
  },
  {
    name: "lock-stolen-from-the-living",
    why: "two runs write one state",
    file: "lib/state/engines/local/lock.ts",
    find: "if (holding && holding.isAlive !== false) return {",
    replace: "if (holding && holding.isAlive === undefined) return {",
  },
  {
    name: "lock-freed-by-a-part-of-its-id",
    why: "a person frees the wrong lock, and two runs write one state",
    file: "lib/state/engines/local/lock.ts",
    find: "if (id !== unlockId) throw",
    replace: "if (!unlockId.startsWith(id)) throw",
  },
  {
    name: "lock-shared-by-two-claimers",
    why: "a process that loses the race for a generation believes that it won",
    file: "lib/state/engines/local/generations.ts",
    find: `if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return false;`,
    replace: `if (errorCode(error) === "EEXIST" || errorCode(error) === "ENOENT") return true;`,
    // Two rarely want it at the same moment in a seed.
    caughtBy: { test: "tests/stores/local.test.ts", title: "that want the lock at the same moment, one gets it" },
  },
  {
    name: "moved-in-two-records",
    why: "a crash in between leaves a pack under two addresses, and it is deleted as its own successor",
    file: "lib/apply/replace-ahead.ts",
    find: `object: known, from: address });`,
    replace: `object: known });
  journal.gone({ address, action: "replace" });`,
    caughtBy: { test: "tests/conformance/apply/lists-that-lag.test.ts", title: "leaves the old one under one address" },
  },
];
