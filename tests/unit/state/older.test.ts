import { createHash } from "node:crypto";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../lib/real/disk.ts";
import type { FileSystem } from "../../../lib/core/file-system.ts";
import { Secret } from "../../../lib/core/secret.ts";
import { examine } from "../../../lib/state/upkeep/doctor.ts";
import { StateError } from "../../../lib/state/error.ts";
import { beginState, loadState, saveState } from "../../../lib/state/load.ts";
import { localStore, projectFolder } from "../../support/local-store.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { nextRepair } from "../../../lib/state/upkeep/repair.ts";
import { listRuns } from "../../../lib/state/runs.ts";
import { sealedStore } from "../../support/changed-store.ts";
import type { State } from "../../../lib/state/state.ts";
import { newestSerial, readTrail } from "../../../lib/state/trail.ts";
import { temporaryFolder } from "../../support/disk.ts";
import { Crash, faultyDisk } from "../../support/faulty-disk.ts";
import { inFull } from "../../support/full.ts";
import { clocksOf, HOLDER, jumpingClock, processOf, random, ZONE } from "../../support/state-world.ts";
import { past } from "../../support/zone-history.ts";

const SAAS = { id: ZONE, name: "saas.eu" };
const NOW = Date.UTC(2026, 10, 21, 6);
const STATE = `${ZONE}.state`;
const RUNS = 4;

type Open = (folder: string, fs?: FileSystem, pid?: number) => ProjectStore;

/** Every other process is dead: the next one gets the lock. */
const plainStore: Open = (folder, fs = disk("refuse"), pid = 1) =>
  localStore(fs, folder, {
    identity: { ...processOf(pid), isAlive: (other) => other === pid },
    ...clocksOf(jumpingClock()),
    random,
  });
const sealed: Open = (folder, fs, pid) =>
  sealedStore(plainStore(folder, fs, pid), {
    passphrase: new Secret("correct horse battery staple"),
    acceptsPlain: false,
    random,
    keyOf: async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest(),
  });
const STORES: readonly (readonly [string, Open])[] = [
  ["plain", plainStore],
  ["encrypted", sealed],
];

/** A run like an apply: begins with the state, creates one hostname, and saves. */
async function run(store: ProjectStore, index: number): Promise<void> {
  await past(store, [{ run: `run-${index}`, did: { create: [index] } }]);
}

/** Rewrites the state without a run, as `state mv` does. */
async function edited(store: ProjectStore, change: (state: State) => State = (state) => state): Promise<State> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  const { state, version } = await beginState(store, lease, SAAS, random);
  const saved = await saveState(store, lease, version, change(state));
  await lease.release();
  return saved.state;
}

/** A folder after some runs, with the bytes of each state on the way. */
async function history(open: Open): Promise<{ folder: string; states: readonly Buffer[] }> {
  const folder = await projectFolder();
  const states: Buffer[] = [];
  for (let index = 0; index < RUNS; index += 1) {
    await run(open(folder), index);
    states.push(await readFile(`${folder}/${STATE}`));
  }
  return { folder, states };
}

async function refusal(store: ProjectStore): Promise<StateError["diagnostic"] | undefined> {
  try {
    await loadState(store, ZONE);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof StateError) return thrown.diagnostic;
    throw thrown;
  }
}

async function removeFiles(folder: string, name: RegExp): Promise<void> {
  const found = (await readdir(folder, { recursive: true })).filter((each) => name.test(each));
  if (found.length === 0) throw new Error(`there is none of ${String(name)}`);
  for (const each of found) await rm(`${folder}/${each}`);
}

const [COPIES, RECORDS, LAST_WRITE, LOCK] = [/\.backup-/, /\.kept-run-/, /\.kept-last-write$/, /\.lock\/g/];

describe.each(STORES)("an older state in place of the newest, %s,", (_name, open) => {
  test("is refused, whichever it is; the newest one is not", async () => {
    const { folder, states } = await history(open);
    for (const older of states.slice(0, -1)) {
      await writeFile(`${folder}/${STATE}`, older);
      expect(await refusal(open(folder))).toMatchObject({ code: "older-state" });
    }
    await writeFile(`${folder}/${STATE}`, states.at(-1) ?? "");
    expect(await refusal(open(folder))).toBeUndefined();
  });

  test.each([
    ["the copies", [RECORDS, LAST_WRITE, LOCK], "an earlier copy has serial 4"],
    ["the records of runs", [COPIES, LAST_WRITE, LOCK], "run run-3 (ended "],
    ["the record of the last write", [COPIES, RECORDS, LOCK], "serial 5 was written last"],
    ["the lock", [COPIES, RECORDS, LAST_WRITE], "the last one to hold the lock (deploy@ci-7, apply, "],
  ])("is recognised by %s alone", async (_what, gone, said) => {
    const { folder, states } = await history(open);
    for (const each of gone) await removeFiles(folder, each);
    await writeFile(`${folder}/${STATE}`, states[0] ?? "");
    expect((await refusal(open(folder)))?.message).toContain(said);
  });

  test("is recognised by the last write if it is the second newest, and no run came in between", async () => {
    const { folder } = await history(open);
    const before = await readFile(`${folder}/${STATE}`);
    const { serial } = await edited(open(folder));
    await writeFile(`${folder}/${STATE}`, before);
    expect((await refusal(open(folder)))?.message).toContain(
      `it has serial ${serial - 1}, and serial ${serial} was there (serial ${serial} was written last)`,
    );
  });

  test("is recognised if it has the newest one's serial and other content", async () => {
    const { folder, states } = await history(open);
    await writeFile(`${folder}/${STATE}`, states.at(-2) ?? "");
    const elsewhere = `${await temporaryFolder()}/shop`;
    await cp(folder, elsewhere, { recursive: true });
    for (const gone of [COPIES, RECORDS, LAST_WRITE, LOCK]) await removeFiles(elsewhere, gone);
    await run(open(elsewhere), 9);
    await cp(`${elsewhere}/${STATE}`, `${folder}/${STATE}`);
    expect((await refusal(open(folder)))?.message).toContain("serial 5 was written with other content");
  });

  test("is still recognised after somebody took the lock", async () => {
    const { folder, states } = await history(open);
    for (const each of [COPIES, RECORDS, LAST_WRITE]) await removeFiles(folder, each);
    await writeFile(`${folder}/${STATE}`, states[0] ?? "");
    const store = open(folder);
    for (let time = 0; time < 5; time += 1) {
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(beginState(store, lease, SAAS, random)).rejects.toMatchObject({
        diagnostic: { code: "older-state" },
      });
      await lease.release();
    }
  });

  test("is reported by state doctor with the ways out", async () => {
    const { folder, states } = await history(open);
    await writeFile(`${folder}/${STATE}`, states[0] ?? "");
    const { findings } = await examine(open(folder), ZONE, NOW);
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "error",
        code: "older-state",
        commands: [
          "zoneform state repair --zone saas.eu",
          `zoneform state push --older ${folder}/${STATE} --zone saas.eu`,
        ],
      }),
    );
  });

  test("is replaced by a repair with the newest copy, which is accepted from then on; the next older one is not", async () => {
    const { folder, states } = await history(open);
    await writeFile(`${folder}/${STATE}`, states[0] ?? "");
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const step = await nextRepair(store, ZONE);
    expect(step?.says[0]).toBe("the copy of serial 4 (3 objects) replaces the older state (serial 2)");
    await step?.carryOut(lease);
    await lease.release();
    expect((await loadState(store, ZONE))?.state).toMatchObject({ serial: 6, objects: { size: 3 } });
    expect((await examine(store, ZONE, NOW)).facts[0]).toContain("restored by state repair (from serial 4");
    expect((await store.files(ZONE)).filter(({ role }) => role === "set-aside")).toHaveLength(1);
    await writeFile(`${folder}/${STATE}`, states.at(-1) ?? "");
    expect(await refusal(open(folder))).toMatchObject({ code: "older-state" });
  });

  test("is not replaced by a copy that is no newer", async () => {
    const { folder, states } = await history(open);
    await writeFile(`${folder}/${STATE}`, states.at(-2) ?? "");
    const fault = await refusal(open(folder));
    expect(fault?.commands).toEqual([`zoneform state push --older ${folder}/${STATE} --zone saas.eu`]);
    await expect(nextRepair(open(folder), ZONE)).rejects.toMatchObject({
      diagnostic: { code: "no-backup" },
    });
  });

  test("is accepted once it was put back on purpose, and only that one", async () => {
    const { folder, states } = await history(open);
    await writeFile(`${folder}/${STATE}`, states[0] ?? "");
    const store = open(folder);
    const lease = await store.lock(ZONE, HOLDER, 0);
    const found = await loadState(store, ZONE, { acceptsOlder: true });
    if (!found) throw new Error("there is a state");
    const serial = newestSerial(await readTrail(await store.view(ZONE)), found.state.lineage);
    const putBack = { by: "state push --older", serial: found.state.serial };
    await saveState(store, lease, found.version, { ...found.state, serial }, { putBack });
    await lease.release();
    expect(await refusal(open(folder))).toBeUndefined();
    for (const older of states) {
      await writeFile(`${folder}/${STATE}`, older);
      expect(await refusal(open(folder))).toMatchObject({ code: "older-state" });
    }
  });
});

describe("a state does not count as older", () => {
  test("if it lies alone, as on a new machine", async () => {
    const { folder, states } = await history(plainStore);
    const elsewhere = await temporaryFolder();
    await writeFile(`${elsewhere}/${STATE}`, states[1] ?? "");
    expect(await refusal(plainStore(elsewhere))).toBeUndefined();
    await run(plainStore(elsewhere), 7);
    expect(await refusal(plainStore(elsewhere))).toBeUndefined();
    expect(await refusal(plainStore(folder))).toBeUndefined();
  });

  test("if the whole folder was put back: nothing beside it says otherwise", async () => {
    const { folder } = await history(plainStore);
    const backup = `${await temporaryFolder()}/shop`;
    await cp(folder, backup, { recursive: true });
    await run(plainStore(folder), 7);
    await rm(folder, { recursive: true });
    await cp(backup, folder, { recursive: true });
    expect(await refusal(plainStore(folder))).toBeUndefined();
  });

  test("if the zone started over beside the records of its former runs", async () => {
    const { folder } = await history(plainStore);
    await removeFiles(folder, COPIES);
    await rm(`${folder}/${STATE}`);
    await run(plainStore(folder), 7);
    expect((await loadState(plainStore(folder), ZONE))?.state).toMatchObject({ serial: 2, objects: { size: 1 } });
    expect((await listRuns(await plainStore(folder).view(ZONE))).length).toBeGreaterThan(1);
  });

  test("if a bit of a run's record, or of the record of the last write, is flipped", async () => {
    const { folder } = await history(plainStore);
    const damage = async (name: RegExp, from: RegExp, to: string): Promise<void> => {
      for (const each of (await readdir(folder)).filter((found) => name.test(found))) {
        const text = await readFile(`${folder}/${each}`, "utf8");
        expect(text).toMatch(from);
        await writeFile(`${folder}/${each}`, text.replace(from, to));
      }
    };
    await damage(RECORDS, /"serial":\d/, '"serial":9');
    await damage(LAST_WRITE, /"serial":\d/, '"serial":9');
    expect(await refusal(plainStore(folder))).toBeUndefined();
    const found = (await examine(plainStore(folder), ZONE, NOW)).findings.map(({ code }) => code);
    expect(found).toContain("last-write-damaged");
  });

  test.each(STORES)(
    "wherever a run dies, %s, and the older one is still recognised afterwards",
    async (_name, open) => {
      const { folder: before, states } = await history(open);
      for (let failAt = 1; ; failAt += inFull(1, 5)) {
        const folder = `${await temporaryFolder()}/shop`;
        await cp(before, folder, { recursive: true });
        const faulty = faultyDisk(disk("refuse"), { failAt, code: "crash" });
        const died = await run(open(folder, faulty, 2), 7).catch((thrown: unknown) => thrown);
        if (!faulty.hasStruck()) break;
        expect(died).toBeInstanceOf(Crash);
        expect([failAt, await refusal(open(folder, undefined, 3))]).toEqual([failAt, undefined]);
        await edited(open(folder, undefined, 3));
        expect([failAt, await refusal(open(folder, undefined, 4))]).toEqual([failAt, undefined]);
        await writeFile(`${folder}/${STATE}`, states.at(-1) ?? "");
        expect([failAt, (await refusal(open(folder, undefined, 5)))?.code]).toEqual([failAt, "older-state"]);
      }
    },
  );
});
