import { appendFile, chmod, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { disk } from "../../lib/real/disk.ts";
import type { FileSystem } from "../../lib/core/file-system.ts";
import { StateError } from "../../lib/state/error.ts";
import { localStore, projectFolder } from "../support/local-store.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import {
  condenseObservations,
  encodeObservation,
  type Observation,
  readObservations,
} from "../../lib/state/observations.ts";
import { ROOT } from "../support/command.ts";
import { Crash, faultyDisk } from "../support/faulty-disk.ts";
import { inFull } from "../support/full.ts";
import { clocksOf, collect, jumpingClock, processOf, random, ZONE } from "../support/state-world.ts";
import * as fc from "fast-check";

const FIRST = `${ZONE}.observations-1`;

function open(folder: string, fs: FileSystem = disk("refuse")): ProjectStore {
  return localStore(fs, folder, { identity: processOf(1000), ...clocksOf(jumpingClock()), random });
}

function seen(number: number, status = "moved", day = 1): Observation {
  const at = new Date(Date.UTC(2026, 10, day)).toISOString();
  return { id: `id-${number}`, hostname: `app-${number}.customer.net`, status, at };
}

async function add(store: ProjectStore, ...observed: readonly Observation[]): Promise<void> {
  await store.observe(ZONE, observed.map(encodeObservation));
}

async function idsIn(store: ProjectStore): Promise<readonly string[]> {
  const { byId, findings } = await readObservations(store, ZONE);
  expect(findings).toEqual([]);
  return [...byId.keys()].sort();
}

/** Runs `act` until the disk, or the process, fails at the call with that number; false if it needed fewer calls. */
async function struck(
  folder: string,
  failAt: number,
  code: "crash" | "ENOSPC",
  act: (store: ProjectStore) => Promise<void>,
): Promise<boolean> {
  const faulty = faultyDisk(disk("refuse"), { failAt, code });
  try {
    await act(open(folder, faulty));
  } catch (thrown) {
    if (!(thrown instanceof Crash) && !(thrown instanceof StateError)) throw thrown;
  }
  return faulty.hasStruck();
}

describe("a run that dies, or whose disk fails, at any call while it records what it saw", () => {
  test.each(["crash", "ENOSPC"] as const)(
    "loses nothing that was written before, and disturbs no later run (%s)",
    async (code) => {
      for (let failAt = 1, goesOn = true; goesOn; failAt += 1) {
        const folder = await projectFolder();
        await add(open(folder), seen(1));
        goesOn = await struck(folder, failAt, code, (store) => add(store, seen(2), seen(3)));
        await add(open(folder), seen(4));
        const found = await idsIn(open(folder));
        expect([failAt, found]).toEqual([failAt, expect.arrayContaining(["id-1", "id-4"])]);
        if (!goesOn) expect(found).toEqual(["id-1", "id-2", "id-3", "id-4"]);
      }
    },
  );

  test.each(["crash", "ENOSPC"] as const)("loses nothing that is to be kept while it condenses (%s)", async (code) => {
    for (let failAt = 1, goesOn = true; goesOn; failAt += 1) {
      const folder = await projectFolder();
      await add(open(folder), seen(1), seen(2));
      goesOn = await struck(folder, failAt, code, (store) => condenseObservations(store, ZONE));
      expect([failAt, await idsIn(open(folder))]).toEqual([failAt, ["id-1", "id-2"]]);
      await add(open(folder), seen(3));
      await condenseObservations(open(folder), ZONE);
      expect(await idsIn(open(folder))).toEqual(["id-1", "id-2", "id-3"]);
      // The files of the dead process are deleted.
      expect((await readdir(folder)).filter((name) => name.includes("observations"))).toHaveLength(1);
    }
  });
});

describe("the file of observations", () => {
  test("may be cut at any byte: the complete lines count, and the next run adds its own", async () => {
    const folder = await projectFolder();
    await add(open(folder), seen(1), seen(2));
    const path = join(folder, FIRST);
    const whole = await readFile(path);
    const secondBegins = whole.indexOf("id-2") - 1;
    for (let length = whole.length - 1; length >= 0; length -= inFull(1, 5)) {
      await writeFile(path, whole.subarray(0, length));
      const left = await idsIn(open(folder));
      expect(["", "id-1"]).toContain(left.join());
      if (length > secondBegins) expect(left).toEqual(["id-1"]);
      await add(open(folder), seen(3));
      expect([length, await idsIn(open(folder))]).toEqual([length, [...left, "id-3"]]);
    }
  });

  test("may be damaged anywhere: that is reported, nothing damaged is believed, and no run stops", async () => {
    const folder = await projectFolder();
    const path = join(folder, FIRST);
    await add(open(folder), ...[1, 2, 3, 4].map((number) => seen(number)));
    const whole = await readFile(path);
    const original = new Set([1, 2, 3, 4].map((number) => encodeObservation(seen(number))));
    const anywhere = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(fc.array(anywhere, { minLength: 1, maxLength: 4 }), async (flips) => {
        const bytes = Buffer.from(whole);
        for (const [at, mask] of flips) bytes[at] = (bytes[at] ?? 0) ^ mask;
        await writeFile(path, bytes);
        const { byId } = await readObservations(open(folder), ZONE);
        for (const found of [...byId.values()].flat()) expect(original).toContain(encodeObservation(found));
      }),
    );
    const bytes = Buffer.from(whole);
    bytes[whole.indexOf("id-2")] = 0x78;
    await writeFile(path, bytes);
    const { byId, findings } = await readObservations(open(folder), ZONE);
    expect([...byId.keys()].sort()).toEqual(["id-1", "id-3", "id-4"]);
    expect(findings).toMatchObject([{ code: "observations-damaged", severity: "warning" }]);
  });

  test("is reported and stops no run if it is not a file, or cannot be read", async () => {
    const folder = await projectFolder();
    await add(open(folder), seen(1));
    await rm(join(folder, FIRST));
    const { symlink } = await import("node:fs/promises");
    await symlink("/etc/hostname", join(folder, FIRST));
    const found = await readObservations(open(folder), ZONE);
    expect([found.byId.size, found.findings]).toMatchObject([
      0,
      [{ code: "observations-unread", severity: "warning" }],
    ]);
    await expect(add(open(folder), seen(2))).rejects.toThrow("the record of hostnames cannot be written");
  });

  test("is left alone if its folder, or the file, is read-only", async () => {
    const folder = await projectFolder();
    await add(open(folder), seen(1));
    for (const path of [folder, join(folder, FIRST)]) {
      const mode = path === folder ? 0o500 : 0o400;
      await chmod(path, mode);
      await expect(add(open(folder), seen(2))).rejects.toThrow("is read-only");
      await chmod(path, 0o700);
    }
    expect(await idsIn(open(folder))).toEqual(["id-1"]);
  });

  test("uses a line that a power cut left without its end only if it is complete", async () => {
    const folder = await projectFolder();
    await add(open(folder), seen(1), seen(2));
    const path = join(folder, FIRST);
    await truncate(path, (await readFile(path)).length - 10);
    await appendFile(path, Buffer.alloc(10));
    expect(await idsIn(open(folder))).toEqual(["id-1"]);
  });
});

test("several processes that add at once, some of which are killed, lose nothing that was confirmed to them", async () => {
  const folder = await projectFolder();
  const worker = join(ROOT, "tests/support/observation-worker.mjs");
  const ended = [0, 0, 0, 25, 60].map(
    (killAfter, who) =>
      new Promise<string>((resolve, reject) => {
        const child = spawn(process.execPath, [worker, folder, ZONE, `${who}`, "25", `${killAfter}`]);
        let said = "";
        child.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
        child.on("error", reject);
        child.on("close", () => resolve(said));
      }),
  );
  const kept = (await Promise.all(ended)).flatMap((said) => said.split("\n").slice(0, -1));
  expect(kept.length).toBeGreaterThan(75);
  const found = new Set(await collect(open(folder).observations(ZONE)));
  expect(kept.filter((line) => !found.has(line))).toEqual([]);
});
