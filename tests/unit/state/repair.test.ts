import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import { examine } from "../../../lib/state/upkeep/doctor.ts";
import { beginState, loadState, saveState } from "../../../lib/state/load.ts";
import { localStore, projectFolder } from "../../support/local-store.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { nextRepair } from "../../../lib/state/upkeep/repair.ts";
import {
  addressOf,
  clocksOf,
  HOLDER,
  jumpingClock,
  processOf,
  random,
  stateOf,
  ZONE,
} from "../../support/state-world.ts";
import { past } from "../../support/zone-history.ts";

const SAAS = { id: ZONE, name: "saas.eu" };

/** A state of three hostnames at serial 5, and the journal of a killed run: 7 and 8 created, 9 unfinished, 0 deleted. */
async function interrupted(): Promise<ProjectStore> {
  const folder = await projectFolder();
  await chmod(folder, 0o700);
  const store = localStore(disk("refuse"), folder, { identity: processOf(1), ...clocksOf(jumpingClock()), random });
  const killed = { run: "killed", did: { create: [7, 8], delete: [0] }, left: { create: [9] } };
  await past(store, [{ saved: stateOf(2) }, { saved: stateOf(3) }, killed]);
  return store;
}

/** The lines of that journal: the binding, then intent and result of 7, of 8, of the delete of 0, and the intent of 9. */
async function editJournal(store: ProjectStore, edit: (lines: string[]) => string[]): Promise<void> {
  const path = store.describe(ZONE, "journal");
  const lines = (await readFile(path, "utf8")).split("\n").slice(0, -1);
  expect(lines).toHaveLength(8);
  await writeFile(
    path,
    edit(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

/** Repairs until nothing is left to repair; returns what was said. */
async function repair(store: ProjectStore): Promise<string> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  const said: string[] = [];
  for (;;) {
    const step = await nextRepair(store, ZONE);
    if (!step) break;
    said.push(...step.says);
    await step.carryOut(lease);
  }
  await lease.release();
  return said.join("\n");
}

async function addresses(store: ProjectStore): Promise<readonly string[]> {
  return [...((await loadState(store, ZONE))?.state.objects.keys() ?? [])].sort();
}

async function codes(store: ProjectStore): Promise<readonly string[]> {
  return (await examine(store, ZONE, Date.UTC(2026, 10, 21, 6))).findings.map(({ code }) => code);
}

const WHOLE = [1, 2, 7, 8, 9].map(addressOf);

describe("a journal", () => {
  test("needs no repair if it is undamaged, or cut in its last line", async () => {
    const store = await interrupted();
    expect(await nextRepair(store, ZONE)).toBeUndefined();
    await editJournal(store, (lines) => lines.slice(0, -1));
    await writeFile(store.describe(ZONE, "journal"), '{"crc":"12', { flag: "a" });
    expect(await nextRepair(store, ZONE)).toBeUndefined();
  });

  test.each([
    ["garbage in the middle", 3, (line: string) => `\u0000${line.slice(20)}`],
    ["one bit flipped in the middle", 3, (line: string) => line.replace("app-8", "app-9")],
  ])(
    "with %s loses that line, and at most the next; unfinished changes after it are kept",
    async (_name, at, damage) => {
      const store = await interrupted();
      await editJournal(store, (lines) => lines.map((line, index) => (index === at ? damage(line) : line)));
      await expect(loadState(store, ZONE)).rejects.toThrow("the journal is damaged at line 4");
      const before = await readFile(store.describe(ZONE, "journal"));
      const said = await repair(store);
      expect(said).toMatch(/^the journal: [56] records are kept, [1-2] of them unfinished changes/);
      expect(await addresses(store)).toEqual(expect.arrayContaining([addressOf(7), addressOf(9)]));
      expect(await addresses(store)).not.toContain(addressOf(0));
      const aside = (await store.files(ZONE)).filter(({ role }) => role === "set-aside");
      expect(aside.map(({ path }) => path)).toHaveLength(1);
      expect(await readFile(aside[0]?.path ?? "")).toEqual(before);
    },
  );

  test("keeps an unfinished create after a line whose checksum is damaged, and that line too", async () => {
    const store = await interrupted();
    await editJournal(store, (lines) =>
      lines.map((line, index) => (index === 6 ? line.replace('"crc":"', '"crc":"!') : line)),
    );
    expect(await repair(store)).toContain("the journal: 7 records are kept, 1 of them unfinished changes");
    expect(await addresses(store)).toEqual(WHOLE);
  });

  test("keeps an unfinished create after an unreadable line", async () => {
    const store = await interrupted();
    await editJournal(store, (lines) => lines.map((line, index) => (index === 6 ? `!${line.slice(30)}` : line)));
    expect(await repair(store)).toContain("line 7 is damaged and removed");
    expect((await loadState(store, ZONE))?.state.objects.get(addressOf(9))).toMatchObject({ pending: "create" });
  });

  test("does not believe an intent whose checksum proves that its content was changed", async () => {
    const store = await interrupted();
    await editJournal(store, (lines) =>
      lines.map((line, index) => (index === 3 ? line.replaceAll("app-8", "app-6") : line)),
    );
    expect(await repair(store)).toContain("line 4 is damaged and removed");
    expect(await addresses(store)).toEqual(WHOLE);
  });

  test("belongs to the state beside it if its first line is damaged", async () => {
    const store = await interrupted();
    await editJournal(store, ([first = "", ...rest]) => [first.replace("lineage", "lineagE"), ...rest]);
    expect(await repair(store)).toContain("it is assumed to belong to the state next to it");
    expect(await addresses(store)).toEqual(WHOLE);
  });

  test("with a duplicate last line keeps it once, and reports no loss", async () => {
    const store = await interrupted();
    await editJournal(store, (lines) => [...lines, ...lines.slice(-1)]);
    const said = await repair(store);
    expect(said).toContain("no line is removed; a duplicate line is kept once");
    expect(said).not.toContain("damaged and removed");
    expect(await addresses(store)).toEqual(WHOLE);
  });

  test("with a duplicate record keeps it once", async () => {
    const store = await interrupted();
    await editJournal(store, (lines) => [...lines, ...lines.slice(1)]);
    await repair(store);
    expect(await addresses(store)).toEqual(WHOLE);
  });

  test("of another state is moved away, and the state stays as it is", async () => {
    const [store, other] = [await interrupted(), await interrupted()];
    await rm(other.describe(ZONE, "journal"));
    const lease = await other.lock(ZONE, HOLDER, 0);
    const loaded = await loadState(other, ZONE);
    await saveState(other, lease, loaded?.version, stateOf(3, { lineage: "another", serial: 9 }));
    await writeFile(other.describe(ZONE, "journal"), await readFile(store.describe(ZONE, "journal")));
    await lease.release();
    expect(await repair(other)).toContain("the 7 records of the journal belong to another state, and are not used");
    expect(await addresses(other)).toEqual([0, 1, 2].map(addressOf));
  });

  test("of a newer state than the one that was put back is applied to it", async () => {
    const store = await interrupted();
    await writeFile(store.describe(ZONE), await readFile(`${store.describe(ZONE)}.backup-4`));
    await expect(loadState(store, ZONE)).rejects.toThrow("the state is older than its journal (serial 4");
    expect(await repair(store)).toContain("the 7 records of the journal are applied on top of it");
    expect(await addresses(store)).toEqual([1, 7, 8, 9].map(addressOf));
  });

  test("that is repaired after damage in any one line never says more than was written", async () => {
    for (let at = 0; at < 8; at++) {
      const store = await interrupted();
      await editJournal(store, (lines) => lines.map((line, index) => (index === at ? line.replace(/\d/, "x") : line)));
      await repair(store);
      expect([0, 1, 2, 7, 8, 9].map(addressOf)).toEqual(expect.arrayContaining([...(await addresses(store))]));
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(beginState(store, lease, SAAS, random)).resolves.toBeDefined();
    }
  });
});

describe("a snapshot", () => {
  test("that is damaged is replaced by the newest undamaged copy, with the journal applied", async () => {
    const store = await interrupted();
    const damaged = (await readFile(store.describe(ZONE), "utf8")).replace("app-2.", "app-3.");
    await writeFile(store.describe(ZONE), damaged);
    await nextRepair(store, ZONE);
    expect(await readFile(store.describe(ZONE), "utf8")).toBe(damaged);
    const said = await repair(store);
    expect(said).toContain("the copy of serial 4 (2 objects) replaces the damaged state");
    expect(said).toContain("what was applied after it is lost");
    expect(said).toContain("the 7 records of the journal are applied on top of it");
    expect(await addresses(store)).toEqual([1, 7, 8, 9].map(addressOf));
    // Above the serial of the damaged one, so that nothing takes it for an earlier state.
    expect((await loadState(store, ZONE))?.state.serial).toBe(6);
  });

  test("that is missing while its journal exists is restored from its copy", async () => {
    const store = await interrupted();
    await rm(store.describe(ZONE));
    const said = await repair(store);
    // There is nothing to keep a copy of.
    expect(said).not.toContain(".damaged-");
    expect(await addresses(store)).toEqual([1, 7, 8, 9].map(addressOf));
  });

  test("that is missing beside undamaged copies does not make the zone new: nothing is planned, and it is restored by a repair", async () => {
    const store = await interrupted();
    await rm(store.describe(ZONE, "journal"));
    await rm(store.describe(ZONE));
    await expect(loadState(store, ZONE)).rejects.toMatchObject({ diagnostic: { code: "state-missing" } });
    const lease = await store.lock(ZONE, HOLDER, 0);
    await expect(beginState(store, lease, SAAS, random)).rejects.toThrow("the state is missing");
    await lease.release();
    expect((await store.view(ZONE)).state).toBeUndefined();
    expect(await codes(store)).toEqual(["state-missing"]);
    const said = await repair(store);
    expect(said).toContain("the copy of serial 4 (2 objects) replaces the missing state");
    expect(await addresses(store)).toEqual([0, 1].map(addressOf));
    // The missing one had serial 5: a plan that was made with it does not belong to this state.
    expect((await loadState(store, ZONE))?.state.serial).toBe(6);
  });

  test("that is missing does not prevent starting over once its copies are removed", async () => {
    const store = await interrupted();
    for (const { path } of await store.files(ZONE)) if (!path.endsWith(".lock")) await rm(path, { recursive: true });
    expect(await loadState(store, ZONE)).toBeUndefined();
    expect((await examine(store, ZONE, Date.UTC(2026, 10, 21, 6))).findings).toEqual([]);
  });

  test("that is missing, without an undamaged copy, is not made up", async () => {
    const store = await interrupted();
    await writeFile(`${store.describe(ZONE)}.backup-4`, "half a sta");
    await rm(store.describe(ZONE));
    await rm(store.describe(ZONE, "journal"));
    await expect(nextRepair(store, ZONE)).rejects.toMatchObject({ diagnostic: { code: "no-backup" } });
  });

  test("is skipped as a copy if it is damaged itself", async () => {
    const store = await interrupted();
    await writeFile(`${store.describe(ZONE)}.backup-4`, "half a sta");
    await writeFile(store.describe(ZONE), "");
    await expect(nextRepair(store, ZONE)).rejects.toThrow("there is no intact copy of it");
  });
});

describe("state doctor", () => {
  test("finds nothing wrong with a saved state", async () => {
    const store = await interrupted();
    const lease = await store.lock(ZONE, HOLDER, 0);
    await beginState(store, lease, SAAS, random);
    await lease.release();
    const { facts, findings } = await examine(store, ZONE, Date.UTC(2026, 10, 21, 6));
    // The unfinished create is not damage, but is reported.
    expect(findings.map(({ code }) => code)).toEqual(["open-create"]);
    expect(facts).toEqual([
      expect.stringMatching(/^state: serial 6, lineage .*, 5 objects$/),
      "journal: empty, the last run ended normally",
      "lock: free",
      "earlier copies: serial 5 (3 objects), serial 4 (2 objects)",
      "runs that can be undone: 1",
      expect.stringMatching(/^size: \d\.\d kB \(records \d\.\d kB, state \d\.\d kB, earlier copies \d\.\d kB\)$/),
      "last locked: by deploy@ci-7 (apply) at 2026-03-01 12:00 UTC, 264 days ago",
      "oldest run that can be undone: 2026-03-01 12:00 UTC, 264 days ago",
    ]);
  });

  test("reports all faults at once, each with its remedy", async () => {
    const store = await interrupted();
    const state = store.describe(ZONE);
    await writeFile(state, "");
    await writeFile(`${state}.backup-4`, "x");
    await writeFile(state.replace(".state", ".temporary-left"), "x");
    await writeFile(state.replace(".state", ".kept-run-old"), "x");
    await writeFile(`${state}.orig`, "x");
    await chmod(state, 0o444);
    const { findings } = await examine(store, ZONE, Date.UTC(2026, 10, 21, 6));
    expect(findings.map(({ code, severity }) => `${severity} ${code}`).sort()).toEqual([
      "error state-damaged",
      "error state-read-only",
      "warning backup-damaged",
      "warning journal-left",
      "warning run-damaged",
      // The state, and the three other files.
      "warning state-open-to-others",
      "warning state-open-to-others",
      "warning state-open-to-others",
      "warning state-open-to-others",
      "warning temporary-left",
      "warning unknown-file",
    ]);
    expect(findings.every(({ remedy }) => remedy)).toBe(true);
  });

  test("reports a journal as a run in progress while its run holds the lock and lives, and finds nothing wrong", async () => {
    const store = await interrupted();
    const lease = await store.lock(ZONE, HOLDER, 0);
    const { facts, findings } = await examine(store, ZONE, Date.UTC(2026, 10, 21, 6));
    expect(facts).toContainEqual(expect.stringMatching(/^journal: 7 records .*; a run is writing it now$/));
    expect(facts).toContainEqual(expect.stringContaining(", running)"));
    expect(findings).toEqual([]);
    await lease.release();
    expect(await codes(store)).toEqual(["open-create", "journal-left"]);
  });

  test("warns about a folder that everybody may write to", async () => {
    const store = await interrupted();
    const folder = dirname(store.describe(ZONE));
    await chmod(folder, 0o777);
    const { findings } = await examine(store, ZONE, Date.UTC(2026, 10, 21, 6));
    expect(findings.find(({ code }) => code === "state-open-to-others")?.remedy).toBe(`chmod go= ${folder}`);
  });

  test("writes nothing", async () => {
    const store = await interrupted();
    const before = (await store.files(ZONE)).map(({ path, sizeBytes }) => `${path} ${sizeBytes}`);
    await examine(store, ZONE, Date.UTC(2026, 10, 21, 6));
    expect((await store.files(ZONE)).map(({ path, sizeBytes }) => `${path} ${sizeBytes}`)).toEqual(before);
    expect(await codes(store)).toEqual(["open-create", "journal-left"]);
  });
});
