import { chmod, cp, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Ended, ROOT, run } from "../support/command.ts";
import { text } from "../support/emulator.ts";
import { appliedWorlds, DEV, type World } from "../support/project.ts";

const appliedWorld = appliedWorlds();

const SHOP = "shop.northwind-books.com";
const READ_ONLY = { CLOUDFLARE_API_TOKEN: "demo-read-only" };
const PASSPHRASE = { ZONEFORM_STATE_PASSPHRASE: "a long passphrase, for tests alone" };
const WHY = ["why", `saas.dev/custom_hostname["${SHOP}"]`];

/** What a job that only reads runs. */
const COMMANDS = [
  ["status"],
  ["status", "--format", "json"],
  ["plan"],
  ["plan", "--json"],
  WHY,
  ["drift", "--json"],
  ["drift"],
];

/** A world that was checked for drift, and in which a hostname moved away and another was edited since. */
async function driftedWorld(): Promise<World> {
  const world = await appliedWorld();
  const { admin } = world.emulator;
  expect(await world.zoneform("drift")).toMatchObject({ code: 0 });
  admin.forceHostname(DEV, SHOP, { status: "moved" });
  const id = text(world.hostname(DEV, "www.northwind-books.com"), "id");
  world.dashboard(DEV, "PATCH", `custom_hostnames/${id}`, { ssl: { method: "txt", type: "dv" } });
  world.emulator.advance(3 * 60 * 60_000);
  return world;
}

/** An empty checkout of the repository on another machine, with a copy of the states that nobody may write there. */
async function checkout({ folder }: World): Promise<string> {
  const fresh = await mkdtemp(join(tmpdir(), "zoneform-e2e-"));
  const states = join(fresh, ".zoneform");
  onTestFinished(async () => {
    await setModes(states, 0o700, 0o600);
    await rm(fresh, { recursive: true, force: true });
  });
  await cp(join(ROOT, "examples/saas"), fresh, { recursive: true });
  await cp(join(folder, ".zoneform"), states, { recursive: true });
  await setModes(states, 0o500, 0o400);
  return fresh;
}

async function setModes(folder: string, forFolders: number, forFiles: number): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? setModes(path, forFolders, forFiles) : chmod(path, forFiles));
  }
  await chmod(folder, forFolders);
}

/** Every file of the checkout, with its bytes, and every folder, with the time of its last change. */
async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    found[path] = entry.isFile() ? (await readFile(path)).toString("base64") : `${(await stat(path)).mtimeMs}`;
  }
  return found;
}

function answer({ code, stdout }: Ended): object {
  return { code, stdout };
}

test.each([
  ["plain", {}],
  ["encrypted", PASSPHRASE],
])(
  "from an empty checkout, a read-only copy of the %s state and a read-only token, commands that read answer as where it was applied",
  async (_how, env) => {
    const world = await driftedWorld();
    if ("ZONEFORM_STATE_PASSPHRASE" in env) {
      const encrypted = await world.zoneformWith({ ...env, ZONEFORM_STATE_PLAIN: "accept" }, "state", "encrypt");
      expect(encrypted.code).toBe(0);
    }
    const fresh = await checkout(world);
    const before = await filesIn(fresh);
    const runner = { cwd: fresh, env: { ...world.surroundings.env, ...READ_ONLY, ...env } };
    for (const command of COMMANDS) {
      const records = ["drift", "status"].includes(command[0] ?? "");
      const there = await run(command, runner);
      const here = await world.zoneformWith(env, ...command, ...(records ? ["--no-record"] : []));
      expect([command, answer(there)]).toEqual([command, answer(here)]);
      const said = there.stderr.match(/\[[a-z-]+\]/g) ?? [];
      expect([command, said]).toEqual([command, records ? ["[observations-not-kept]"] : []]);
      if (records)
        expect(await run([...command, "--no-record"], runner)).toMatchObject({ ...answer(there), stderr: "" });
    }
    expect(await filesIn(fresh)).toEqual(before);
    expect(world.writes()).toEqual({});
    expect(await run(["drift"], runner)).toMatchObject({ code: 3 });
    const status = await run(["status", "--zone", "saas.dev"], runner);
    expect(status.stdout).toContain("  last checked for drift 3 hours ago (");
    expect(status.stdout).toContain(`${SHOP}: seen moved for the first time now`);
  },
);
