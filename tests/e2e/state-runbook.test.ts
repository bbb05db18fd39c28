import { spawn } from "node:child_process";
import { mkdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Ended, LAUNCHER, ROOT } from "../support/command.ts";
import { appliedWorlds, DEV, freshWorld, STATES, type World } from "../support/project.ts";

const appliedWorld = appliedWorlds();

/** The commands of a section of docs/state.md, a line each, with another folder in place of `/srv/zoneform`. */
async function commandsOf(section: string, folder = ""): Promise<readonly string[]> {
  const page = await readFile(join(ROOT, "docs/state.md"), "utf8");
  const [, text = ""] = page.split(`# ${section}\n`);
  const [part = ""] = text.split(/\n#+ /);
  const blocks = [...part.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) => block.trim().split("\n"));
  expect(blocks.length, section).toBeGreaterThan(0);
  return blocks.map((line) => line.replaceAll("/srv/zoneform", `${folder}/elsewhere`));
}

/** Runs lines in one shell, as somebody pastes them; it stops at the first one that fails. */
async function paste(world: World, lines: readonly string[]): Promise<Pick<Ended, "code" | "stdout" | "stderr">> {
  const bin = join(world.folder, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "zoneform"), LAUNCHER, { mode: 0o755 });
  const env = { ...world.surroundings.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const shell = spawn("sh", ["-e"], { cwd: world.folder, env, stdio: ["pipe", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  shell.stdout.on("data", (piece: Buffer) => (stdout += piece.toString()));
  shell.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  const ended = new Promise<number>((resolve) => shell.on("close", (code) => resolve(code ?? -1)));
  shell.stdin.end(`${lines.join("\n")}\n`);
  return { code: await ended, stdout, stderr };
}

async function expectWhole(world: World): Promise<void> {
  expect(await world.zoneform("state", "doctor")).toMatchObject({ code: 0 });
  expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
}

describe("the commands of docs/state.md do what the page says", () => {
  test("a backup is restored over a state that went on, and over none", async () => {
    const world = await appliedWorld();
    const backup = await paste(world, await commandsOf("Backup"));
    expect(backup, backup.stderr).toMatchObject({ code: 0 });
    expect(await world.zoneform("state", "rm", "saas.dev/total_tls")).toMatchObject({ code: 0 });
    const restored = await paste(world, (await commandsOf("Restore")).slice(1));
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    await expectWhole(world);

    await rm(join(world.folder, ".zoneform"), { recursive: true });
    const anew = await paste(world, (await commandsOf("Restore")).slice(1));
    expect(anew, anew.stderr).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", "--detailed-exitcode", "--zone", DEV)).toMatchObject({ code: 0 });
  });

  test("the states are moved, and used at the new place", async () => {
    const world = await appliedWorld();
    const lines = await commandsOf("Moving to another place", world.folder);
    const ended = await paste(world, [...lines, "zoneform plan --detailed-exitcode", "zoneform state doctor"]);
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
  });

  test("a state that is missing is restored from its newest copy", async () => {
    const world = await appliedWorld();
    // Stored once more, so that the newest copy has everything.
    const again = [...(await commandsOf("Backup")), ...(await commandsOf("Restore")).slice(1)];
    expect(await paste(world, again)).toMatchObject({ code: 0 });
    await unlink(join(world.folder, STATES, `${DEV}.state`));
    expect((await paste(world, await commandsOf("If something is wrong"))).code).toBe(1);
    const repaired = await paste(world, await commandsOf("The state is damaged or missing"));
    expect(repaired, repaired.stdout + repaired.stderr).toMatchObject({ code: 0 });
    await expectWhole(world);
    expect(await paste(world, await commandsOf("If something is wrong"))).toMatchObject({ code: 0 });
  });

  test("what a repair set aside is printed, and deleted", async () => {
    const world = await appliedWorld();
    await paste(world, [...(await commandsOf("Backup")), ...(await commandsOf("Restore")).slice(1)]);
    await writeFile(join(world.folder, STATES, `${DEV}.state`), "damaged\n");
    await paste(world, await commandsOf("The state is damaged or missing"));
    const doctor = await world.zoneform("state", "doctor");
    const [name = ""] = /state\.damaged-\w+\.\w+/.exec(doctor.stdout + doctor.stderr) ?? [];
    const lines = (await commandsOf("What was set aside")).map((line) => line.replace(/state\.damaged-\S+/, name));
    expect(lines.join()).toContain(name);
    expect(await paste(world, lines)).toMatchObject({ code: 0 });
    expect(await readFile(join(world.folder, "damaged.state"), "utf8")).toBe("damaged\n");
    expect(await paste(world, await commandsOf("If something is wrong"))).toMatchObject({ code: 0 });
  });

  test("what a killed run left is finished", async () => {
    const world = await freshWorld();
    world.emulator.faults.order({ fault: { kind: "slow", milliseconds: 60_000 }, method: "PATCH" });
    const running = world.start("apply", "--auto-approve", "--zone", "saas-app.dev", "--parallelism", "1");
    onTestFinished(() => running.kill("SIGKILL"));
    await world.asked("PATCH /zones/:zone/custom_hostnames/:id", 1);
    running.kill("SIGKILL");
    await running.ended;
    world.emulator.faults.clear();
    const lines = await commandsOf("A run was killed, or its machine is gone");
    const ended = await paste(
      world,
      lines.map((line) => line.replace(/apply$/, "apply --auto-approve")),
    );
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain("  alive      no: nothing to do, the next apply takes the lock\n");
    expect(await world.zoneform("state", "lock")).toMatchObject({
      stdout: "the state of saas-app.dev is not locked\nthe state of saas.dev is not locked\n",
    });
  });

  test("without any state, what is live as declared is adopted and nothing is sent", async () => {
    const world = await appliedWorld();
    await rm(join(world.folder, ".zoneform"), { recursive: true });
    world.emulator.requests.reset();
    const ended = await paste(world, await commandsOf("Everything is lost"));
    expect(ended, ended.stdout + ended.stderr).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({});
    await expectWhole(world);
  });
});
