import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { disk } from "../../lib/real/disk.ts";
import { loadState } from "../../lib/state/load.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { retire, retiring } from "../../lib/state/upkeep/retire.ts";
import { localStore, projectFolder } from "../support/local-store.ts";
import { Crash, faultyDisk } from "../support/faulty-disk.ts";
import { appliedWorlds, DEV, STATES } from "../support/project.ts";
import { addressOf, clocksOf, HOLDER, jumpingClock, processOf, random, stateOf, ZONE } from "../support/state-world.ts";
import { flat } from "../support/text.ts";
import { past } from "../support/zone-history.ts";

const appliedWorld = appliedWorlds();

test("state rm --zone removes the records of a zone that no YAML has, without a call, and keeps a copy", async () => {
  const world = await appliedWorld();
  const pulled = (await world.zoneform("state", "pull", "--zone", "saas.dev")).stdout;
  for (const file of ["zoneform.yaml", "zones"]) await rm(join(world.folder, file), { recursive: true });
  world.emulator.requests.reset();
  const before = await world.states();

  expect(await world.zoneform("state", "rm", "--zone", "saas.dev")).toMatchObject({ code: 4, stdout: "" });
  const refused = await world.zoneform("state", "rm", "--zone", "saas.dev", "--auto-approve");
  expect(refused.code).toBe(4);
  expect(flat(refused.stderr)).toContain("it has protected objects: ");
  const [, command = ""] = /^ {4}zoneform (.*)$/m.exec(refused.stderr) ?? [];
  const unasked = await world.zoneform(...command.split(" "));
  expect(unasked.code).toBe(1);
  expect(unasked.stderr).toContain("[not-approved]");
  expect(await world.zoneform(...command.split(" "), "--dry-run")).toMatchObject({ code: 0 });
  expect(await world.states()).toEqual(before);

  const removed = await world.zoneform(...command.split(" "), "--auto-approve");
  expect(removed.code).toBe(0);
  const [, copy = ""] = / copy: (\S+)\n/.exec(removed.stdout) ?? [];
  expect(await readFile(copy, "utf8")).toBe(pulled);
  const left = (await readdir(join(world.folder, STATES))).filter((name) => name.startsWith(DEV));
  expect(left.map((name) => join(world.folder, STATES, name)).sort()).toEqual(
    [copy, join(world.folder, STATES, `${DEV}.lock`)].sort(),
  );
  expect(world.emulator.requests.counts()).toEqual({});
  const [, name = ""] = /--copy (\S+)\n/.exec(removed.stdout) ?? [];
  expect(copy.endsWith(`/${DEV}.${name}`)).toBe(true);
  const again = await world.zoneform("state", "rm", "--zone", "saas.dev", "--auto-approve");
  expect([again.code, flat(again.stderr)]).toEqual([1, expect.stringContaining("[no-state]")]);
});

test("state rm --zone releases what the project claims in that zone, and nothing else", async () => {
  const world = await appliedWorld();
  const claims = async (): Promise<string> => readFile(join(world.folder, ".zoneform/_claims/claims"), "utf8");
  expect(await claims()).toContain(DEV);
  const others = (await claims()).match(/\{"project"[^}]*\}/g)?.filter((claim) => !claim.includes(DEV)) ?? [];
  expect(others).not.toEqual([]);
  const dry = await world.zoneform("state", "rm", "--zone", "saas.dev", "--force", "--dry-run");
  expect(dry.stdout).toMatch(/^would release the claims of project saas-edge there: all custom hostnames, /m);
  expect(await claims()).toContain(DEV);
  const removed = await world.zoneform("state", "rm", "--zone", "saas.dev", "--force", "--auto-approve");
  expect(removed.stdout).toMatch(/^released the claims of project saas-edge there: all custom hostnames, /m);
  expect(await claims()).not.toContain(DEV);
  for (const claim of others) expect(await claims()).toContain(claim);
});

test("the copy that state rm --zone keeps can be pushed unchanged; the zone to remove must be named", async () => {
  const world = await appliedWorld();
  const removed = await world.zoneform("state", "rm", "--zone", DEV, "--force", "--auto-approve");
  const [, copy = ""] = / copy: (\S+)\n/.exec(removed.stdout) ?? [];
  expect(await world.zoneform("state", "push", copy, "--zone", "saas.dev")).toMatchObject({ code: 0 });
  expect(await world.zoneform("plan", "--detailed-exitcode", "--zone", "saas.dev")).toMatchObject({ code: 0 });
  const before = await world.states();
  for (const flags of [[], ["--zone", "saas.dev", "--zone", "saas-app.dev"], ["--zone", "saas.de"]]) {
    expect(await world.zoneform("state", "rm", ...flags, "--force", "--auto-approve")).toMatchObject({ code: 1 });
  }
  expect(await world.states()).toEqual(before);
});

test("a copy of a state that was removed is printed and deleted by its name", async () => {
  const world = await appliedWorld();
  const pulled = (await world.zoneform("state", "pull", "--zone", "saas.dev")).stdout;
  const removed = await world.zoneform("state", "rm", "--zone", DEV, "--force", "--auto-approve");
  const [, command = ""] = /^ {4}zoneform (state pull .*)$/m.exec(removed.stdout) ?? [];
  expect(await world.zoneform(...command.split(" "))).toMatchObject({ code: 0, stdout: pulled });

  const doctor = await world.zoneform("state", "doctor", "--zone", "saas.dev");
  const commands = [...doctor.stdout.matchAll(/^ {4}zoneform (.*)$/gm)].map(([, found = ""]) => found);
  expect(commands[0]).toBe(command);
  const remove = (commands[1] ?? "").split(" ");
  expect(await world.zoneform(...remove)).toMatchObject({ code: 1 });
  expect(await world.zoneform(...remove, "--dry-run")).toMatchObject({ code: 0 });
  expect(await world.zoneform(...remove, "--auto-approve")).toMatchObject({ code: 0 });
  for (const gone of [command.split(" "), [...remove, "--auto-approve"]]) {
    const { code, stderr } = await world.zoneform(...gone);
    expect([code, flat(stderr)]).toEqual([1, expect.stringContaining("[no-copy]")]);
  }
  expect((await world.zoneform("state", "doctor", "--zone", "saas.dev")).stdout).not.toContain("set-aside");
  const both = await world.zoneform("state", "rm", "custom_hostname", "--copy", "x", "--zone", DEV);
  expect([both.code, flat(both.stderr)]).toEqual([1, expect.stringContaining("[which-zone]")]);
});

/** A zone's state with a journal of which one intent is open. */
async function interrupted(): Promise<string> {
  const folder = await projectFolder();
  const store = open(folder);
  await past(store, [{ saved: stateOf(1) }, { saved: "again" }, { run: "killed", left: { create: [7] } }]);
  return folder;
}

function open(folder: string, fs = disk("refuse")): ProjectStore {
  return localStore(fs, folder, { identity: processOf(1, new Set([1])), ...clocksOf(jumpingClock()), random });
}

test("the state of a zone with an unfinished change is only removed with --force", async () => {
  const { reasons } = await retiring(open(await interrupted()), "saas.eu");
  expect(reasons).toEqual([`a run was stopped before it got a response about ${addressOf(7)}`]);
});

test("wherever a removal is killed, the state is intact or gone, and repeating it finishes", async () => {
  for (let failAt = 1; ; failAt += 1) {
    const folder = await interrupted();
    const faulty = faultyDisk(disk("refuse"), { failAt, code: "crash" });
    const remove = async (store: ProjectStore): Promise<readonly string[]> => {
      const lease = await store.lock(ZONE, HOLDER, 0);
      return retire(store, lease, await retiring(store, ZONE));
    };
    const died = await remove(open(folder, faulty)).catch((thrown: unknown) => thrown);
    if (!faulty.hasStruck()) break;
    expect(died).toBeInstanceOf(Crash);
    const store = open(folder);
    const found = await loadState(store, ZONE);
    if (found) {
      expect(found.state.objects.get(addressOf(7))).toMatchObject({ pending: "create" });
      await remove(store);
    }
    expect(await loadState(store, ZONE)).toBeUndefined();
    const copies = (await store.files(ZONE)).filter(({ role }) => role === "set-aside");
    expect(copies.length).toBeGreaterThan(0);
  }
});
