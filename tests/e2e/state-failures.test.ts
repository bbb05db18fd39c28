import { spawnSync } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Ended, run } from "../support/command.ts";
import { APP, appliedWorlds, DEV, freshWorld, type World, STATES } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

/** The state of the first zone. */
function stateOf({ folder }: World): string {
  return join(folder, STATES, `${DEV}.state`);
}

/** A change that an apply of this world would have to write. */
async function somethingToDo({ edit }: World): Promise<void> {
  await edit("data/customers.csv", "lessons.violin-academy.de,bronze", "lessons.violin-academy.de,gold");
}

/** One error that names the file, with its remedy, and nothing on standard output. */
function expectRefusal({ code, stdout, stderr }: Ended, file: string, message: string): void {
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`${file}:`);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/\n {2}\S.*\n1 error\n$/);
}

describe("a state that cannot be trusted", () => {
  test.each([
    ["was cut short", "the state is damaged: ", (path: string) => truncate(path, 1500)],
    [
      "was edited",
      "the content does not match the checksum of its footer",
      async (path: string) => writeFile(path, (await readFile(path, "utf8")).replace("gold", "lead")),
    ],
    [
      "is a link",
      "it is a symbolic link (ELOOP)",
      async (path: string) => {
        await rename(path, `${path}.elsewhere`);
        await symlink(`${path}.elsewhere`, path);
      },
    ],
    [
      "is a folder",
      "the state cannot be read: ",
      async (path: string) => {
        await rm(path);
        await mkdir(path);
      },
    ],
  ])("because it %s is one error, and nothing is written", async (_name, message, damage) => {
    const world = await appliedWorld();
    await damage(stateOf(world));
    const before = await world.states();
    expectRefusal(await world.zoneform("apply", "--auto-approve"), stateOf(world), message);
    expect(await world.states()).toEqual(before);
    expect(world.writes()).toEqual({});
  });

  test("because it is empty is one error for every command, and never counts as no state", async () => {
    const world = await appliedWorld();
    await writeFile(stateOf(world), "");
    const before = await world.states();
    const message = "the state is damaged: it is empty";
    const alone = ["--zone", "saas.dev"];
    for (const command of [
      ["plan", ...alone],
      ["drift", ...alone],
      ["apply", "--auto-approve"],
      ["state", "list"],
    ])
      expectRefusal(await world.zoneform(...command), stateOf(world), message);
    // The other zone is shown all the same.
    for (const command of [["plan"], ["drift", "--no-record"]]) {
      const { code, stdout, stderr } = await world.zoneform(...command);
      expect([code, stdout.includes("saas-app.dev"), stderr.includes(message)]).toEqual([1, true, true]);
    }
    expect(await world.states()).toEqual(before);
    expect(world.writes()).toEqual({});
  });

  test("is restored from the copy next to it, which is reported as older", async () => {
    const world = await appliedWorld();
    await somethingToDo(world);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    await writeFile(stateOf(world), "");
    const copies = Object.keys(await world.states()).filter((name) => name.startsWith(`${DEV}.state.backup-`));
    const newest = Math.max(...copies.map((name) => Number(name.split("-").at(-1))));
    const copy = join(world.folder, "copy.state");
    await rename(`${stateOf(world)}.backup-${newest}`, copy);
    await copyFile(copy, stateOf(world));
    const refused = await world.zoneform("apply", "--auto-approve");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("[older-state]");
    expect(await world.zoneform("state", "push", "--older", copy, "--zone", "saas.dev")).toMatchObject({
      code: 0,
    });
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

describe("a state that cannot be written", () => {
  test.each([
    ["its file is read-only", (world: World) => stateOf(world), 0o400, 0o600],
    ["its folder is read-only", ({ folder }: World) => join(folder, STATES), 0o500, 0o700],
  ])("because %s is reported before anything is written live", async (message, pathOf, mode, modeAfter) => {
    const world = await appliedWorld();
    await somethingToDo(world);
    const before = await readFile(stateOf(world), "utf8");
    await chmod(pathOf(world), mode);
    const ended = await world.zoneform("apply", "--auto-approve");
    await chmod(pathOf(world), modeAfter);
    expect(ended.code).toBe(1);
    const output = flat(ended.stdout + ended.stderr);
    expect(output).toContain(message);
    expect(output).toContain(`chmod u+w ${pathOf(world)}`);
    expect(world.writes()).toEqual({});
    expect(await readFile(stateOf(world), "utf8")).toBe(before);
  });

  test("because there is a file in place of its folder", async () => {
    const world = await freshWorld();
    await writeFile(join(world.folder, ".zoneform"), "");
    for (const command of [["plan"], ["apply", "--auto-approve"]]) {
      const ended = await world.zoneform(...command);
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expect(ended.stderr).toContain(
        "the state cannot be stored: its folder is a symbolic link or a file [state-disk]\n",
      );
    }
    expect(world.writes()).toEqual({});
  });

  const canMount = isMountable();

  test.skipIf(!canMount)(
    "because the disk is full, which is reported before anything is written live (skipped where no file system may be mounted)",
    async () => {
      const world = await freshWorld();
      const state = await fullDisk(join(world.folder, ".zoneform"), 1);
      const ended = await world.zoneform("apply", "--auto-approve");
      expect(ended.code).toBe(1);
      expect(flat(ended.stdout + ended.stderr)).toMatch(/the disk is full|not enough disk space for the state/);
      expect(world.writes()).toEqual({});
      state.unmount();
      expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    },
  );

  test.skipIf(process.platform === "win32")(
    "because files may not become that large: what was done is reported, and found again",
    async () => {
      const world = await freshWorld();
      // 2 blocks of 1024 bytes: enough to begin with, and not for the journal of all.
      const limited = ["bash", "-c", 'ulimit -f 2 && exec "$@"', "limited"];
      const ended = await run(["apply", "--auto-approve"], { ...world.surroundings, through: limited });
      expect(ended.signal).toBeNull();
      expect([1, 6]).toContain(ended.code);
      expect(flat(ended.stdout + ended.stderr)).toContain("the file would be too large (EFBIG)");
      expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
      expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
      expect(world.writes()["POST /zones/:zone/custom_hostnames"]).toBe(14);
    },
  );
});

describe("a plan file", () => {
  test("that was edited or truncated, or is something else, is refused, and nothing is written", async () => {
    const world = await appliedWorld();
    await somethingToDo(world);
    await world.zoneform("plan", "--out", "p.zfplan");
    const whole = await readFile(join(world.folder, "p.zfplan"), "utf8");
    const damages = [
      [whole.replace('"gold"', '"lead"'), "its content does not match the checksum of its footer"],
      [whole.slice(0, -200), "the plan file cannot be used: "],
      ["", "it is empty"],
      ['{"a":1}\n', "it is not a plan file"],
    ] as const;
    for (const [text, message] of damages) {
      await writeFile(join(world.folder, "p.zfplan"), text);
      const refused = await world.zoneform("apply", "p.zfplan", "--auto-approve");
      expectRefusal(refused, "p.zfplan", message);
      expect(refused.stderr).toContain("plan again: zoneform plan --out p.zfplan\n");
    }
    expectRefusal(await world.zoneform("show", "p.zfplan"), "p.zfplan", "it is not a plan file");
    expect(world.writes()).toEqual({});
  });

  test("of another endpoint is refused: a token is only sent where the plan was made", async () => {
    const [world, other] = [await appliedWorld(), await appliedWorld()];
    await somethingToDo(world);
    await world.zoneform("plan", "--out", "p.zfplan");
    const ended = await world.zoneformWith(
      { CLOUDFLARE_BASE_URL: other.emulator.url },
      "apply",
      "p.zfplan",
      "--auto-approve",
    );
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain(`was made against ${world.emulator.url}, but this run calls ${other.emulator.url}`);
    expect(other.emulator.requests.total()).toBe(0);
  });

  test("of another state is refused with code 5", async () => {
    const world = await appliedWorld();
    await somethingToDo(world);
    await world.zoneform("plan", "--out", "p.zfplan");
    await rm(join(world.folder, ".zoneform"), { recursive: true });
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    world.emulator.requests.reset();
    const nowhere = await world.zoneform("apply", "p.zfplan", "--auto-approve", "--state", "nowhere");
    expect([nowhere.code, flat(nowhere.stderr)]).toEqual([
      5,
      expect.stringMatching(
        /and there is no state in \S+\/nowhere\/\S+ \[plan-of-another-state\] give the place that has/,
      ),
    ]);
    const ended = await world.zoneform("apply", "p.zfplan", "--auto-approve");
    expect(ended.code).toBe(5);
    expect(flat(ended.stdout + ended.stderr)).toContain("the plan was made with a state of saas");
    expect(world.writes()).toEqual({});
  });

  test("cannot be written to a missing folder, and is complete or absent if the disk is full", async () => {
    const world = await appliedWorld();
    const ended = await world.zoneform("plan", "--out", "no/such/p.zfplan");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(
      "error: cannot write no/such/p.zfplan: there is no such folder [cannot-write]\n  check the path\n1 error\n",
    );
    expect((await world.zoneform("apply", "nothing.zfplan")).stderr).toContain(
      "cannot read nothing.zfplan: there is no such file [cannot-read]\n",
    );
  });
});

test("the states of two zones are separate: a damaged one does not affect the other", async () => {
  const world = await appliedWorld();
  await writeFile(join(world.folder, STATES, `${APP}.state`), "");
  expect(await world.zoneform("plan", "--zone", "saas.dev", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(await world.zoneform("plan")).toMatchObject({ code: 1 });
});

/** A file system of its own at this path, of which so many pages are free; gone with the test. */
async function fullDisk(path: string, freePages: number): Promise<{ unmount: () => void }> {
  await mkdir(path);
  mount(path, "64k");
  const unmount = (): void => void spawnSync("umount", [path]);
  onTestFinished(unmount);
  const PAGE = 4096;
  await writeFile(join(path, "filler"), Buffer.alloc((15 - freePages) * PAGE));
  return { unmount };
}

function mount(path: string, size: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", path]).status === 0;
}

/** Whether this user may mount: root in a container that lets it. */
function isMountable(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  return spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
}
