import type { Mutant } from "./mutant.ts";

/** Mistakes about several zones, about hostnames that move, and about packs that get another address in the state. */
export const ZONES: readonly Mutant[] = [
  {
    name: "state-of-the-first-zone-for-all",
    why: "a zone is planned with another zone's memory, and objects of the same name are changed or deleted",
    file: "lib/engine/plan.ts",
    find: "await loadState(world.store, desired.id);",
    replace: "await loadState(world.store, project.desired.zones[0].id);",
  },
  {
    name: "one-lock-for-all-zones",
    why: "a run in one zone locks all of them",
    file: "lib/state/engines/local/place.ts",
    find: "`${base}.lock`",
    replace: "`${folder}/all.lock`",
  },
  {
    name: "locked-zone-ends-the-run",
    why: "the zones after a locked one are not applied",
    file: "lib/engine/apply.ts",
    find: `const applied = await several(
    approved.zones,
    (section) => applyOne(run, section, place),
    options.zonesInParallel ?? 1,
  );`,
    replace: `let isLocked = false;
  const reports = await several(
    approved.zones,
    async (section) => {
      const report = isLocked ? undefined : await applyOne(run, section, place);
      isLocked ||= report?.locked !== undefined;
      return report;
    },
    options.zonesInParallel ?? 1,
  );
  const applied = reports.flatMap(([section, report]) => (report ? [[section, report] as const] : []));`,
  },
  {
    name: "moved-before-the-new-one-serves",
    why: "the old hostname is deleted as soon as the new one exists, which serves nobody until it is active",
    file: "lib/apply/remove.ts",
    find: `const readiness = next && (kind.readiness?.(next) ?? "ready");
  if (readiness`,
    replace: `const readiness = next && "ready";
  if (readiness`,
    also: {
      file: "lib/engine/plan-input.ts",
      find: `const readiness = HOSTNAMES.readiness?.(live) ?? "ready";`,
      replace: `const readiness = "ready";`,
    },
  },
  {
    name: "moved-without-a-look",
    why: "what the plan saw of the new one is believed when the old one is deleted, however long ago that was",
    file: "lib/apply/remove.ts",
    find: "if (!movesTo) return undefined;",
    replace: "if (!movesTo || kind.name) return undefined;",
  },
  {
    name: "moved-on-the-word-of-a-list",
    why: "a list that lags shows a new one that is gone, and the old one is deleted too",
    file: "lib/apply/remove.ts",
    find: "const next = listed && (await kind.read(client, zone, listed, signal));",
    replace: "const next = listed;",
    caughtBy: {
      test: "tests/conformance/apply/moves.test.ts",
      title: "stays if a list that lags still shows the new one, which is deleted",
    },
  },
  {
    name: "mv-leaves-both-addresses",
    why: "one pack is tracked twice, and the plan deletes it under the address that nobody declares",
    file: "lib/state/state.ts",
    find: "editor.delete(from);",
    replace: "",
  },
  {
    name: "mv-of-an-order-cut-off",
    why: "what a lost answer may have created is looked for under the wrong hosts",
    file: "lib/state/state.ts",
    find: "if (object.pending) throw",
    replace: "if (object.pending && object.kind === undefined) throw",
    caughtBy: { test: "tests/conformance/state/state-mv-halfway.test.ts", title: "is refused" },
  },
  {
    name: "migrate-leaves-the-old-place-counting",
    why: "a zone that was moved counts at both places, and two runs write to it",
    file: "lib/state/upkeep/migrate.ts",
    find: "await from.mark.change(leaving(to.name, zone), checkLeases);",
    replace: "",
    caughtBy: { test: "tests/faults/migrate-disk.test.ts", title: "everything that is kept goes to the new place" },
  },
  {
    name: "migrate-keeps-what-was-left-there",
    why: "earlier copies of another state lie beside the one that was moved, and make it look old",
    file: "lib/state/upkeep/migrate.ts",
    find: "await clear(to.store, zone, leases.to);",
    replace: "",
    caughtBy: { test: "tests/stores/migrate-back.test.ts", title: "moves back to its earlier place" },
  },
  {
    name: "approval-of-the-first-zone-only",
    why: "a stopped run does not go on in a zone beside which no approval is kept",
    file: "lib/approval/kept.ts",
    find: "(await store.zones()).filter((zone) => !zones.includes(zone)),",
    replace: "[],",
    caughtBy: { test: "tests/conformance/approval/approval-zones.test.ts", title: "either zone can continue under it" },
  },
  {
    name: "repair-under-an-old-serial",
    why: "a restored copy has the serial of the damaged state, and a plan that was made with that one still fits",
    file: "lib/state/upkeep/restore.ts",
    find: "return Math.max(serial, copy + 1, damaged, newestSerial(await readTrail(view), lineage));",
    replace: "return serial;",
    caughtBy: { test: "tests/unit/state/repair.test.ts", title: "that is missing beside undamaged copies" },
  },
];
