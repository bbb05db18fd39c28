import type { Mutant } from "./mutant.ts";

/** Mistakes about where states are kept and who counts, and about promises that no seed can break. */
export const STATES: readonly Mutant[] = [
  {
    name: "lock-of-the-dead-not-taken-over",
    why: "after a killed run somebody has to help before the next one can finish it",
    file: "lib/state/engines/local/lock.ts",
    find: "if (holding && holding.isAlive !== false) return {",
    replace: "if (holding) return {",
  },
  {
    name: "missing-state-taken-for-a-new-zone",
    why: "a zone whose state was lost is planned as a new one, although copies of the state are there",
    file: "lib/state/load.ts",
    find: "if (newest === undefined) return undefined;",
    replace: "if (newest === undefined || newest > 0) return undefined;",
    caughtBy: { test: "tests/unit/state/repair.test.ts", title: "that is missing beside undamaged copies" },
  },
  {
    name: "old-name-gone-before-the-new-one",
    why: "a kill while a project gets another name leaves it without a state",
    file: "lib/state/upkeep/move-project.ts",
    find: `  await (isThere ? completeCopy : copyZone)(from, to, zone, leases.to);
  return from.retire(zone, leases.from);`,
    replace: `  const copies = await from.retire(zone, leases.from);
  await (isThere ? completeCopy : copyZone)(from, to, zone, leases.to);
  return copies;`,
    caughtBy: { test: "tests/faults/move-project-disk.test.ts", title: "leaves the state under one name" },
  },
  {
    name: "old-place-counts-on",
    why: "a state that was moved counts at both places, and two runs apply one zone from two states",
    file: "lib/state/zone/marks.ts",
    find: "if (mark && (mark.zones.includes(zone) ||",
    replace: `if (mark?.direction === "here" && (mark.zones.includes(zone) ||`,
  },
  {
    name: "new-place-counts-too-early",
    why: "a state counts at the new place while it is still being copied",
    file: "lib/state/zone/marks.ts",
    find: "if (mark && (mark.zones.includes(zone) ||",
    replace: `if (mark?.direction === "away" && (mark.zones.includes(zone) ||`,
  },
  {
    name: "claimed-by-another-and-planned",
    why: "a run plans what another project manages, instead of being refused as a whole",
    file: "lib/engine/claims.ts",
    find: "if (found.length > 0) throw new Refusal(found, EXIT.refused);",
    replace: "if (found.length > 9) throw new Refusal(found, EXIT.refused);",
    place: "database",
  },
  {
    name: "claimed-meanwhile-and-written",
    why: "what another project claimed after the plan is written all the same",
    file: "lib/apply/claims.ts",
    find: "if (conflicts.length > 0) {",
    replace: "if (conflicts.length > 9) {",
    place: "database",
  },
  {
    name: "own-run-taken-for-drift",
    why: "a drift job wakes somebody for what a run is writing",
    file: "lib/plan/drift.ts",
    find: "if (run !== undefined) return [{ underWay: { run } }];",
    replace: "",
    also: {
      file: "lib/plan/drift.ts",
      find: "if (given.prior?.unanswered) return [",
      replace: "if (given.prior?.unanswered && given.prior.kind === undefined) return [",
    },
    caughtBy: {
      test: "tests/conformance/drift/drift-beside-runs.test.ts",
      title: "is not what a run writes meanwhile",
    },
  },
  {
    name: "list-without-an-end-read-on",
    why: "a list that never ends fills the memory",
    file: "lib/service/pages.ts",
    find: "const limit = total === undefined ? UNTOLD_LIMIT : OBJECT_LIMIT;",
    replace: "const limit = OBJECT_LIMIT;",
    caughtBy: { test: "tests/unit/service/pages.test.ts", title: "ends at a hundred thousand objects" },
  },
  {
    name: "observations-gone-before-they-are-kept",
    why: "a run that is killed while it condenses the record of hostnames loses what others saw",
    file: "lib/state/engines/local/sightings.ts",
    find: `      if (kept.length > 0) await add(at, kept);
      for (const number of older) await fs.remove(pathOf(at, number));`,
    replace: `      for (const number of older) await fs.remove(pathOf(at, number));
      if (kept.length > 0) await add(at, kept);`,
    caughtBy: { test: "tests/faults/observations-disk.test.ts", title: "loses nothing that is to be kept" },
  },
  {
    name: "encrypted-line-of-any-place",
    why: "encrypted lines can be exchanged, and nobody notices",
    file: "lib/state/zone/sealing/cipher.ts",
    find: "Buffer.from(`${JSON.stringify(project)} ${zone} ${place}`);",
    replace: "Buffer.from(`${JSON.stringify(project)} ${zone}${place.slice(0, 0)}`);",
    caughtBy: { test: "tests/unit/state/sealed-origin.test.ts", title: "count as damaged if they are exchanged" },
  },
  {
    name: "state-with-the-journal-of-later",
    why: "a plan that is made while a run writes takes the state of one moment and the journal of another",
    file: "lib/state/zone/view.ts",
    find: "hasAppended ? await this.engine.view(this.key) : view",
    replace: "hasAppended || view.entries.length >= 0 ? await this.engine.view(this.key) : view",
    caughtBy: { test: "tests/stores/zone.test.ts", title: "that began before a write finds what was there then" },
  },
  {
    name: "forgetful-server-believed",
    why: "after a failover a run goes on although the server forgot what it had confirmed",
    file: "lib/state/engines/postgres/session.ts",
    find: "if (this.replacements > 0 || (state",
    replace: "if (this.replacements >= 0 || (state",
    caughtBy: { test: "tests/stores/postgres-faults.test.ts", title: "without a line that it had confirmed" },
  },
  {
    name: "lost-reply-not-looked-up",
    why: "a statement whose reply was lost is made twice",
    file: "lib/state/engines/postgres/session.ts",
    find: "const arrived = wasSent && found ? await found(connection) : undefined;",
    replace: "const arrived = wasSent && found && epoch < 0 ? await found(connection) : undefined;",
    caughtBy: { test: "tests/stores/postgres-faults.test.ts", title: "changes nothing that a run sees or leaves" },
  },
  {
    name: "unlocked-and-written-over-http",
    why: "a run whose state was unlocked replaces what the next one wrote",
    file: "lib/state/engines/http/session.ts",
    find: "if (!isFirst && !this.isStrict()) await this.check(signal);",
    replace: "",
    caughtBy: { test: "tests/stores/http-locks.test.ts", title: "stops its holder, if somebody else has it" },
  },
  {
    name: "expression-measured-in-letters",
    why: "an expression that the service refuses is found only halfway through an apply",
    file: "lib/kinds/ruleset/spec.ts",
    find: `Buffer.byteLength(optionalText(rule, "expression") ?? "");`,
    replace: `(optionalText(rule, "expression") ?? "").length;`,
    caughtBy: { test: "tests/bad-inputs/values.test.ts", title: "4,097 bytes are refused" },
  },
];
