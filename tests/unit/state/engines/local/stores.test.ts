import { projectsIn, type StateStores } from "../../../../../lib/state/stores.ts";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { disk } from "../../../../../lib/real/disk.ts";
import { loadState, saveState } from "../../../../../lib/state/load.ts";
import { folderOf, projectOf } from "../../../../../lib/state/engines/local/place.ts";
import { localStores } from "../../../../../lib/state/engines/local/engine.ts";
import { Secret } from "../../../../../lib/core/secret.ts";
import { deriveKey, placeKeys, rememberKeys } from "../../../../../lib/state/zone/sealing/cipher.ts";
import { sealedStores } from "../../../../../lib/state/zone/sealing/engine.ts";
import { temporaryFolder } from "../../../../support/disk.ts";
import { clocksOf, HOLDER, jumpingClock, processOf, random, stateOf, ZONE } from "../../../../support/state-world.ts";
import fc from "fast-check";

function open(root: string): StateStores {
  return localStores(disk("refuse"), root, { identity: processOf(1), ...clocksOf(jumpingClock()), random });
}

async function save(stores: StateStores, project: string, count: number): Promise<void> {
  const store = stores.of(project);
  const lease = await store.lock(ZONE, HOLDER, 0);
  await saveState(store, lease, undefined, stateOf(count));
  await lease.release();
}

async function objectsOf(stores: StateStores, project: string): Promise<number | undefined> {
  return (await loadState(stores.of(project), ZONE))?.state.objects.size;
}

/** What the schema allows as the name of a project. */
const PROJECTS = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

describe("the folder of a project", () => {
  test("is another one for another name, also where the file system ignores case", () => {
    fc.assert(
      fc.property(PROJECTS, PROJECTS, (left, right) => {
        fc.pre(left !== right);
        expect(folderOf(left).toLowerCase()).not.toBe(folderOf(right).toLowerCase());
      }),
    );
    expect(folderOf("Edge")).not.toBe(folderOf("edge"));
  });

  test("tells the name of the project", () => {
    fc.assert(
      fc.property(PROJECTS, (project) => {
        expect(projectOf(folderOf(project))).toBe(project);
      }),
    );
  });

  test("is one folder below the root, whatever the name is", () => {
    fc.assert(
      fc.property(PROJECTS, (project) => {
        expect(folderOf(project)).toMatch(/^[a-z0-9_+][a-z0-9._+-]*$/);
      }),
    );
    for (const name of ["..", ".", "", "a/b", "a\\b", "../a", "-a", "a".repeat(65), "ä", "a b", "a\n"])
      expect(() => folderOf(name)).toThrow(RangeError);
  });

  test.each([
    ["edge-prod", "edge-prod"],
    ["Edge", "+edge"],
    ["con", "_con"],
    ["nul.txt", "_nul.txt"],
    ["a.", "a.+"],
  ])("of %s is %s", (project, folder) => {
    expect(folderOf(project)).toBe(folder);
  });

  test.each(["EDGE", "_edge", "edge+", "con", "..", "+"])("is not %s: no project has it", (folder) => {
    expect(projectOf(folder)).toBeUndefined();
  });
});

describe("the states of several projects in one folder", () => {
  test("are apart: no project sees another one's, and each has a lock of its own", async () => {
    const stores = open(`${await temporaryFolder()}/.zoneform`);
    const held = await stores.of("other").lock(ZONE, HOLDER, 0);
    await save(stores, "edge", 2);
    await save(stores, "Edge", 3);
    await held.release();
    expect(await Promise.all(["edge", "Edge", "other"].map((name) => objectsOf(stores, name)))).toEqual([
      2,
      3,
      undefined,
    ]);
  });

  test("are listed by project, in order; a project that keeps nothing is not", async () => {
    const root = `${await temporaryFolder()}/.zoneform`;
    const stores = open(root);
    expect(projectsIn(await stores.kept())).toEqual([]);
    await save(stores, "edge", 1);
    await save(stores, "B", 1);
    await (await stores.of("locked-only").lock(ZONE, HOLDER, 0)).release();
    await mkdir(`${root}/not+a+project`);
    expect(projectsIn(await stores.kept())).toEqual(["B", "edge"]);
  });

  test("make nothing before the first write", async () => {
    const folder = await temporaryFolder();
    const stores = open(`${folder}/.zoneform`);
    expect(await objectsOf(stores, "edge")).toBeUndefined();
    expect(projectsIn(await stores.kept())).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("are not kept through a link, neither of the folder nor of a project in it", async () => {
    const folder = await temporaryFolder();
    const elsewhere = await temporaryFolder();
    await symlink(elsewhere, `${folder}/root`);
    await mkdir(`${folder}/whole`);
    await symlink(elsewhere, `${folder}/whole/edge`);
    for (const root of [`${folder}/root`, `${folder}/whole`]) {
      const store = open(root).of("edge");
      await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow("symbolic link");
      await expect(loadState(store, ZONE)).rejects.toThrow("symbolic link");
    }
    expect(await readdir(elsewhere)).toEqual([]);
  });
});

describe("states that are encrypted", () => {
  test("are encrypted for every project, and each project still sees only its own", async () => {
    const root = `${await temporaryFolder()}/.zoneform`;
    const passphrase = new Secret("a long passphrase for tests");
    const place = open(root);
    const keyOf = placeKeys(place, rememberKeys(deriveKey), { clock: jumpingClock(), random });
    const stores = sealedStores(place, { passphrase, acceptsPlain: false, random, keyOf });
    await save(stores, "edge", 2);
    await save(stores, "other", 3);
    expect(await Promise.all(["edge", "other"].map((name) => objectsOf(stores, name)))).toEqual([2, 3]);
    expect(projectsIn(await stores.kept())).toEqual(["edge", "other"]);
    expect(stores.of("edge")).toBe(stores.of("edge"));
    for (const project of ["edge", "other"]) {
      expect(await readFile(`${root}/${project}/${ZONE}.state`, "utf8")).not.toContain("customer.net");
      await expect(loadState(open(root).of(project), ZONE)).rejects.toThrow();
    }
  });
});

test("a shared text has its name on the disk only once the folder that contains it has its own", async () => {
  const root = `${await temporaryFolder()}/.zoneform`;
  const real = disk("refuse");
  const calls: string[] = [];
  const fs = {
    ...real,
    rename: async (from: string, to: string) => {
      calls.push(`rename ${to.slice(root.length)}`);
      await real.rename(from, to);
    },
    syncDirectory: async (path: string) => {
      calls.push(`sync ${path.slice(root.length)}`);
      await real.syncDirectory(path);
    },
  };
  const stores = localStores(fs, root, { identity: processOf(1), ...clocksOf(jumpingClock()), random });
  expect(await stores.shared("moves").replace(undefined, "{}")).toBe(true);
  const at = calls.indexOf("rename /_claims/claims");
  expect(calls.slice(0, at)).toContain("sync ");
});
