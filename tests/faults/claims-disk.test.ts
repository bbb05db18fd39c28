import { projectsIn } from "../../lib/state/stores.ts";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { FileSystem } from "../../lib/core/file-system.ts";
import { disk } from "../../lib/real/disk.ts";
import { StateError } from "../../lib/state/error.ts";
import type { Claims } from "../../lib/state/zone/claims.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { temporaryFolder } from "../support/disk.ts";
import { Crash, faultyDisk } from "../support/faulty-disk.ts";
import { LEASED, jumpingClock, processOf, random, ZONE, clocksOf } from "../support/state-world.ts";

const FIRST_RUN = 1000;
const NEXT_RUN = 2000;

/** Far more than one take needs; a test that reaches it would never end. */
const MOST_CALLS = 60;

const HOSTNAMES = { project: "edge", zone: ZONE, things: [{ kind: "custom_hostname" }] };
const SETTING = { project: "shop", zone: ZONE, things: [{ kind: "zone_setting", key: "ssl" }] };

function open(root: string, pid: number, fs: FileSystem = disk("refuse")): Claims {
  const identity = processOf(pid, new Set([FIRST_RUN]));
  return localStores(fs, root, { identity, ...clocksOf(jumpingClock()), random }).claims;
}

test.each(["crash", "ENOSPC", "EIO"] as const)(
  "a take that ends at any change of the disk (%s) leaves the old claims or the new ones, and the next one works",
  async (code) => {
    let struck = 0;
    for (let failAt = 1; failAt < MOST_CALLS; failAt++) {
      const root = `${await temporaryFolder()}/.zoneform`;
      await open(root, NEXT_RUN).take(HOSTNAMES, LEASED);
      const faulty = faultyDisk(disk("refuse"), { failAt, code });
      await open(root, FIRST_RUN, faulty)
        .take(SETTING, LEASED)
        .catch((thrown: unknown) => expect(thrown instanceof Crash || thrown instanceof StateError).toBe(true));
      const projects = (await open(root, NEXT_RUN).list()).map(({ project }) => project);
      expect([["edge"], ["edge", "shop"]]).toContainEqual(projects);
      expect(await open(root, NEXT_RUN).take(SETTING, LEASED)).toEqual([]);
      expect((await open(root, NEXT_RUN).list()).map(({ project }) => project)).toEqual(["edge", "shop"]);
      if (!faulty.hasStruck()) break;
      struck += 1;
    }
    expect(struck).toBeGreaterThan(8);
    expect(struck).toBeLessThan(MOST_CALLS - 1);
  },
);

test("what a process left that died while it wrote is removed by the next one that writes", async () => {
  const root = `${await temporaryFolder()}/.zoneform`;
  await open(root, NEXT_RUN).take(HOSTNAMES, LEASED);
  await writeFile(`${root}/_claims/temporary-left`, "half");
  await open(root, NEXT_RUN).take(SETTING, LEASED);
  expect((await readdir(`${root}/_claims`)).sort()).toEqual(["claims", "lock"]);
});

test.each([
  ["was cut", (text: string) => text.slice(0, -10)],
  ["lost a line's field", (text: string) => text.replace('"kind"', '"king"')],
  ["is empty", () => ""],
  ["is of a newer version", (text: string) => text.replace('"version":1', '"version":2'), "state-newer"],
])("a file that %s is refused, not taken for no claims", async (_words, change, code = "claims-damaged") => {
  const root = `${await temporaryFolder()}/.zoneform`;
  await open(root, NEXT_RUN).take(HOSTNAMES, LEASED);
  const path = `${root}/_claims/claims`;
  await writeFile(path, change(await readFile(path, "utf8")));
  for (const act of [
    () => open(root, NEXT_RUN).list(),
    () => open(root, NEXT_RUN).take(SETTING, LEASED),
    () => open(root, NEXT_RUN).release("edge", ZONE, LEASED),
  ])
    await expect(act()).rejects.toMatchObject({ diagnostic: { code } });
});

test("a lock that a process of another machine holds is waited for, then refused with what to do", async () => {
  const root = `${await temporaryFolder()}/.zoneform`;
  await open(root, NEXT_RUN).take(HOSTNAMES, LEASED);
  const elsewhere = { ...processOf(1), host: "elsewhere", isAlive: () => false };
  const locks = await readdir(`${root}/_claims/lock`);
  const newest = Math.max(...locks.map((name) => Number(name.slice(1))));
  const mark = await readFile(`${root}/_claims/lock/g${newest}`, "utf8");
  await writeFile(`${root}/_claims/lock/g${newest + 1}`, mark.replaceAll("ci-7", elsewhere.host));
  await expect(open(root, NEXT_RUN).take(SETTING, LEASED)).rejects.toMatchObject({
    diagnostics: [
      {
        code: "claims-locked",
        remedy: `apply again; if the process that holds this lock is gone, delete ${root}/_claims/lock`,
      },
    ],
  });
});

test("the projects of a folder are those that have a state: the claims are no project", async () => {
  const root = `${await temporaryFolder()}/.zoneform`;
  await open(root, NEXT_RUN).take(HOSTNAMES, LEASED);
  const stores = localStores(disk("refuse"), root, {
    identity: processOf(NEXT_RUN),
    ...clocksOf(jumpingClock()),
    random,
  });
  expect(projectsIn(await stores.kept())).toEqual([]);
});
