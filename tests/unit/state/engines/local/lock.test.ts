import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../../../lib/real/disk.ts";
import type { FileSystem } from "../../../../../lib/core/file-system.ts";
import type { Identity } from "../../../../../lib/state/engines/local/generations.ts";
import { GenerationLock } from "../../../../../lib/state/engines/local/lock.ts";
import { Locked } from "../../../../../lib/state/lock.ts";
import { temporaryFolder } from "../../../../support/disk.ts";
import { clocksOf, HOLDER, jumpingClock, processOf, random } from "../../../../support/state-world.ts";

function lockIn(folder: string, identity: Identity, fs: FileSystem = disk("refuse")): GenerationLock {
  return new GenerationLock({ fs, identity, ...clocksOf(jumpingClock()), random }, folder, "the state of zone z");
}

async function lockedOut(lock: GenerationLock): Promise<Locked> {
  const error = await lock.acquire(HOLDER, 0).catch((thrown: unknown) => thrown);
  if (!(error instanceof Locked)) throw new Error("it was not locked", { cause: error });
  return error;
}

/** A lock folder whose first generation has this content. */
async function folderWith(content: string | Uint8Array): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(`${folder}/g1`, content);
  return folder;
}

const MARK = { id: "lock-1", who: "deploy@ci-7", process_id: 100, operation: "apply", since: "2026-03-01T12:00:00Z" };
const PROOF = { host: "ci-7", boot_id: "boot-1", pid_namespace: "pid:[1]", pid: 100, start_time: "10000" };
const here = processOf(200, new Set([100]));

describe("a holder that is provably dead", () => {
  test("loses the lock, and the next fence is higher", async () => {
    const folder = await temporaryFolder();
    const dead = await lockIn(folder, processOf(100)).acquire(HOLDER, 0);
    expect((await lockIn(folder, here).acquire(HOLDER, 0)).fence).toBe(dead.fence + 1);
  });

  test("loses it to exactly one of those who see it at the same time", async () => {
    for (let round = 0; round < 50; round++) {
      const folder = await folderWith(JSON.stringify({ ...MARK, ...PROOF }));
      const claims = Array.from({ length: 8 }, (_none, index) =>
        lockIn(folder, processOf(200 + index, new Set([100]))).acquire(HOLDER, 0),
      );
      const outcomes = await Promise.allSettled(claims);
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
  });
});

describe("a lock is held unless its holder is provably dead", () => {
  test.each([
    ["of another host", { host: "ci-8" }],
    ["of an earlier start of the machine", { boot_id: "boot-2" }],
    ["of another process namespace", { pid_namespace: "pid:[2]" }],
    ["that names no host", { host: "" }],
    ["that names no start time", { start_time: "" }],
    ["that lives", { pid: 101 }],
    ["with the process id 0", { pid: 0 }],
    ["with a negative process id", { pid: -1 }],
    ["with a process id that is not a number", { pid: "100" }],
    ["with a date in the future", { since: "2999-01-01T00:00:00Z", pid: 101 }],
  ])("one %s", async (_name, change) => {
    const folder = await folderWith(JSON.stringify({ ...MARK, ...PROOF, ...change }));
    const everybodyDead: Identity = { ...here, isAlive: (pid) => pid === 101 };
    expect((await lockedOut(lockIn(folder, everybodyDead))).holding.holder?.id).toBe("lock-1");
  });

  test.each([
    ["an empty file", ""],
    ["no JSON", "4711\n"],
    ["a list", "[]"],
    ["bytes", Buffer.from([0xff, 0x00, 0xfe])],
    ["a megabyte of junk", "x".repeat(1024 * 1024)],
    ["a megabyte of valid JSON", JSON.stringify({ ...MARK, ...PROOF, more: "x".repeat(1024 * 1024) })],
  ])("%s", async (_name, content) => {
    const error = await lockedOut(lockIn(await folderWith(content), here));
    expect(error.holding.holder).toBeUndefined();
    expect(error.message).toContain("lock id g1");
  });

  test("a folder in place of a generation", async () => {
    const folder = await temporaryFolder();
    await mkdir(`${folder}/g1`);
    expect((await lockedOut(lockIn(folder, here))).holding.holder).toBeUndefined();
  });
});

describe("the description of the holder", () => {
  test("says who, for what, since when, whether it runs, and the id that unlocks", async () => {
    const folder = await folderWith(JSON.stringify({ ...MARK, ...PROOF, pid: 101, run_url: "https://ci.test/1" }));
    const error = await lockedOut(lockIn(folder, here));
    expect(error.holding.isAlive).toBe(true);
    expect(error.message).toBe(
      "held by deploy@ci-7 (apply, process 100, running, https://ci.test/1) since 2026-03-01 12:00 UTC, just now, lock id lock-1",
    );
  });

  test("says that nothing is known about it if it runs elsewhere", async () => {
    const folder = await folderWith(JSON.stringify({ ...MARK, ...PROOF, host: "ci-8" }));
    const error = await lockedOut(lockIn(folder, here));
    expect(error.holding.isAlive).toBeUndefined();
    expect(error.message).toContain("process 100, still runs or was killed)");
  });

  test("contains nothing that could write to the reader's terminal", async () => {
    const who = `\u001B[2Kroot\u202E\u009B31m${"x".repeat(5000)}`;
    const error = await lockedOut(lockIn(await folderWith(JSON.stringify({ ...MARK, ...PROOF, host: "", who })), here));
    expect(error.message).toContain("\\u{1b}[2Kroot\\u{202e}\\u{9b}31m");
    expect(error.message).not.toMatch(/\p{C}/u);
    expect(error.message.length).toBeLessThan(1000);
  });
});

describe("unlocking from outside", () => {
  test("a mark that cannot be read is named after its file", async () => {
    const folder = await folderWith("junk");
    const lock = lockIn(folder, here);
    await expect(lock.unlock("g2")).rejects.toThrow("locked with another id");
    await lock.unlock("g1");
    expect((await lock.acquire(HOLDER, 0)).fence).toBe(2);
  });

  test("an unlocked state cannot be unlocked", async () => {
    const lock = lockIn(`${await temporaryFolder()}/none`, here);
    await expect(lock.unlock("g1")).rejects.toThrow("is not locked");
  });
});

test("waiting ends when the time is up", async () => {
  const folder = await folderWith("junk");
  const clock = jumpingClock();
  const started = clock.now();
  const lock = new GenerationLock(
    { fs: disk("refuse"), identity: here, ...clocksOf(clock), random },
    folder,
    "the state of zone z",
  );
  await expect(lock.acquire(HOLDER, 90_000)).rejects.toThrow(Locked);
  expect(clock.now() - started).toBe(90_000);
});

test("the folder does not grow with the number of holders", async () => {
  const folder = await temporaryFolder();
  for (let round = 0; round < 30; round++) await (await lockIn(folder, here).acquire(HOLDER, 0)).release();
  expect((await readdir(folder)).length).toBeLessThanOrEqual(6);
});

test("a process that slept while its number was used and deleted does not get the lock", async () => {
  const folder = await temporaryFolder();
  const real = disk("refuse");
  const others = lockIn(folder, here);
  let hasSlept = false;
  // The sleeper has seen an empty folder; when it wakes up, number 1 was used and deleted, and number 6 is held.
  const link: FileSystem["link"] = async (from, to) => {
    if (!hasSlept) {
      hasSlept = true;
      for (let round = 0; round < 5; round++) await (await others.acquire(HOLDER, 0)).release();
      await others.acquire(HOLDER, 0);
      await rm(from, { force: true });
      await writeFile(from, JSON.stringify({ ...MARK, ...PROOF }));
    }
    return real.link(from, to);
  };
  const sleeper = lockIn(folder, processOf(300), { ...real, link });
  await expect(sleeper.acquire(HOLDER, 0)).rejects.toThrow(Locked);
  expect(hasSlept).toBe(true);
});

test("it works on a file system without hard links", async () => {
  const folder = await temporaryFolder();
  const link = (): Promise<void> => Promise.reject(Object.assign(new Error("no links here"), { code: "EPERM" }));
  const lock = lockIn(folder, here, { ...disk("refuse"), link });
  const lease = await lock.acquire(HOLDER, 0);
  expect((await lockedOut(lock)).holding.holder?.id).toBe(lease.id);
  await lease.release();
  expect((await lock.acquire(HOLDER, 0)).fence).toBe(2);
});
