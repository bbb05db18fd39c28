import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { programAlone } from "../support/program.ts";
import { type Ended, LAUNCHER, run } from "../support/command.ts";
import { appliedWorlds, DEV, STATES, type World } from "../support/project.ts";

const appliedWorld = appliedWorlds();

/** A zone may lose one hostname at once. */
const LIMIT = "deletion_limits: { custom_hostname: { percent: 100%, count: 1 } }";
const VIOLIN = "lessons.violin-academy.de";

/** Runs commands away from their project, so that they have to be told where it is. Whatever they print to paste has to parse. */
interface Away {
  readonly world: World;
  /** Runs the command with the flags that say where the project and the service are. */
  readonly zoneform: (...args: readonly string[]) => Promise<Ended>;
  /** Pastes a line that was printed into a shell. */
  readonly paste: (line: string) => Promise<Ended>;
}

async function away(): Promise<Away> {
  const world = await appliedWorld();
  const cwd = join(dirname(world.folder), `${basename(world.folder)} beside`);
  await mkdir(join(cwd, "bin"), { recursive: true });
  await writeFile(join(cwd, "bin/zoneform"), LAUNCHER, { mode: 0o755 });
  const env = { CLOUDFLARE_API_TOKEN: "demo-token", HOME: cwd };
  const where = ["--config", `../${basename(world.folder)}/zoneform.yaml`, "--api-url", world.emulator.url];
  const parsed = async (ended: Ended): Promise<Ended> => {
    for (const command of commandsIn(ended)) await expectParsed(command);
    return ended;
  };
  return {
    world,
    zoneform: async (...args) => parsed(await run([...args, ...where], { cwd, env })),
    paste: async (line) =>
      parsed(await inShell(line, cwd, { ...env, PATH: `${cwd}/bin:${process.env["PATH"] ?? ""}` })),
  };
}

/** The commands of an output: what follows a colon to the end of its line, or is a line of its own. */
function commandsIn({ stdout, stderr }: Ended): readonly string[] {
  const found = `${stdout}\n${stderr}`.matchAll(/(?:^ +|: )((?:[A-Z_]+=\S+ )*zoneform [a-z].*)$/gm);
  return [...found].map(([, command = ""]) => command);
}

/** The one command of an output that matches. Fails the test where there is none, or several. */
function commandOf(ended: Ended, form: RegExp): string {
  const found = [...new Set(commandsIn(ended).filter((command) => form.test(command)))];
  const [only = ""] = found;
  expect(found, ended.stdout + ended.stderr).toHaveLength(1);
  return only;
}

function inShell(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn("sh", ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (piece: string) => (output[name] += piece));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...output }));
  });
}

/** The words of a line, as a shell takes them. */
async function wordsOf(line: string): Promise<readonly string[]> {
  const { stdout } = await inShell(`printf '%s\\n' ${line}`, "/", {});
  return stdout.trimEnd().split("\n");
}

/** Two customers leave, and the limit is one. */
const LEAVING = ["checkout.harbour-coffee.com", "status.harbour-coffee.com"];

async function twoLeave({ edit }: World): Promise<void> {
  await edit("zones/saas-dev.yaml", "custom_hostnames:", `${LIMIT}\ncustom_hostnames:`);
  for (const hostname of LEAVING) await edit("data/customers.csv", new RegExp(`${hostname},.*\\n`), "");
}

/** Those of them that are gone. */
function goneOf(world: World): readonly string[] {
  return LEAVING.filter((hostname) => world.hostname(DEV, hostname) === null);
}

describe("a printed command works, pasted as it is", () => {
  test("for a plan beyond the deletion limits: it applies exactly that plan, by hash and by file", async () => {
    const { world, zoneform, paste } = await away();
    await twoLeave(world);
    const planned = await zoneform("plan", "--zone", "saas.dev");
    expect(planned.stdout).toMatch(
      /^Plan for project saas-edge: 2 changes in zone saas\.dev, all blocked \(2 deletions\)\./,
    );
    expect(planned.stdout + planned.stderr).not.toContain("HASH");
    const byHash = commandOf(planned, / --approve /);
    expect(byHash).toContain("--zone saas.dev");

    const saved = await zoneform("plan", "--out", "plan of today.zfplan");
    const refused = await zoneform("apply", "plan of today.zfplan");
    expect(refused.code).toBe(4);
    expect(refused.stdout).not.toContain("To resume");
    expect(commandOf(saved, / --approve /)).toBe(commandOf(refused, / --approve /));
    expect(goneOf(world)).toEqual([]);

    expect(await paste(byHash)).toMatchObject({ code: 0, stdout: expect.stringContaining(": 2 deleted.\n") });
    expect(goneOf(world)).toEqual(LEAVING);
    const again = await paste(commandOf(refused, / --approve /));
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("2 approved changes are no longer needed"),
    });
  });

  test("after a run that the limits stopped (exit 6): it is the one that continues, not the one that was refused", async () => {
    const { world, zoneform, paste } = await away();
    await twoLeave(world);
    await world.edit("data/customers.csv", /$/, "one.more-customer.net,bronze,,\n");
    const asked = await zoneform("apply", "--zone", "saas.dev");
    expect(asked.code).toBe(1);
    const applied = await paste(commandOf(asked, / --expect /));
    expect(applied.code).toBe(6);
    expect(applied.stdout).not.toContain("To resume");
    expect(goneOf(world)).toEqual([]);
    expect(await paste(commandOf(applied, / --approve /))).toMatchObject({ code: 0 });
    expect(goneOf(world)).toEqual(LEAVING);
  });

  test("to resume, to undo, and to approve the undo", async () => {
    const { world, zoneform, paste } = await away();
    await world.edit("data/customers.csv", /$/, "one.more-customer.net,bronze,,\n");
    const stopped = await zoneform("apply", "--auto-approve", "--zone", "saas.dev", "--max-duration", "0s");
    const applied = await paste(commandOf(stopped, / --expect /));
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining(": 1 created.\n") });
    const undo = commandOf(applied, /zoneform undo /);
    const asked = await paste(undo);
    expect(asked.code).toBe(1);
    expect(await paste(commandOf(asked, /undo .* --expect /))).toMatchObject({ code: 0 });
    expect(world.hostname(DEV, "one.more-customer.net")).toBeNull();
  });

  test("to destroy, if nobody can be asked", async () => {
    const { world, zoneform, paste } = await away();
    const target = `saas.dev/custom_hostname["${VIOLIN}"]`;
    const asked = await zoneform("destroy", "--target", target);
    expect(await paste(commandOf(asked, /zoneform destroy .* --expect /))).toMatchObject({ code: 0 });
    expect(world.hostname(DEV, VIOLIN)).toBeNull();
  });

  test("to unlock a state", async () => {
    const { world, zoneform, paste } = await away();
    // Of a run on another machine nobody here can tell whether it lives.
    const elsewhere = { host: "elsewhere", boot_id: "other", pid_namespace: "pid:[1]", pid: 1, start_time: "1" };
    const holder = {
      id: "0f",
      who: "root@elsewhere",
      process_id: 1,
      operation: "apply",
      since: "2026-01-01T00:00:00Z",
    };
    const mark = JSON.stringify({ ...holder, ...elsewhere });
    await writeFile(join(world.folder, STATES, `${DEV}.lock`, "g99"), mark);
    const locked = await zoneform("apply", "--auto-approve", "--zone", "saas.dev");
    expect(locked.code).toBe(7);
    const unlock = commandOf(locked, /zoneform state unlock /);
    expect(unlock).toContain("--zone saas.dev");
    const imported = await zoneform("import", `${DEV}/${VIOLIN}`);
    expect(
      commandOf(imported, /zoneform state unlock /)
        .split(" ")
        .slice(0, 4),
    ).toEqual(unlock.split(" ").slice(0, 4));
    expect(await paste(unlock)).toMatchObject({ code: 0, stdout: expect.stringContaining("is unlocked") });
  });

  test("to adopt an entry point, and to plan again if a plan cannot be used", async () => {
    const { world, zoneform, paste } = await away();
    const removed = await world.zoneform("state", "rm", 'saas.dev/ruleset["http_request_firewall_managed"]');
    expect(removed).toMatchObject({ code: 0 });
    await world.edit("zones/saas-dev.yaml", /\n {4}own: .*\n {4}adopt: true/, "");
    const planned = await zoneform("plan", "--zone", "saas.dev", "--out", "p.zfplan");
    const imported = await paste(commandOf(planned, /zoneform import zone/));
    expect(imported, imported.stderr).toMatchObject({ code: 0 });
    const cwd = join(dirname(world.folder), `${basename(world.folder)} beside`);
    const text = await readFile(join(cwd, "p.zfplan"), "utf8");
    await writeFile(join(cwd, "old plan.zfplan"), text.replace('"digest_version":1', '"digest_version":2'));
    await writeFile(join(cwd, "cut plan.zfplan"), text.slice(0, 1000));
    for (const name of ["old plan.zfplan", "cut plan.zfplan"]) {
      const unusable = await zoneform("apply", name);
      expect([1, 4]).toContain(unusable.code);
      const again = await paste(commandOf(unusable, /zoneform plan --out /));
      expect(again.stderr).toContain("saved the plan to ");
    }
  });
});

/** The command line takes it, to the last flag, and would run it. */
async function expectParsed(line: string): Promise<void> {
  const [, ...words] = await wordsOf(line.replace(/^(?:[A-Z_]+=\S+ )*/, ""));
  let ran = 0;
  const whole = programAlone(words);
  const replaceActions = (command: Command): void => {
    command.exitOverride().action(() => void (ran += 1));
    command.commands.forEach(replaceActions);
  };
  whole.commands.forEach(replaceActions);
  await whole.exitOverride().parseAsync(words, { from: "user" });
  expect(ran, line).toBe(1);
}

test("dangers that an apply only counts are named with --full", async () => {
  const world = await appliedWorld();
  const ciphers = (count: number): string => Array.from({ length: count }, () => "AES128-SHA").join(", ");
  const entries = Array.from({ length: 22 }, (_value, index) => {
    const settings = `{ min_tls_version: "1.0", ciphers: [${ciphers(index + 1)}] }`;
    return `    - { hostname: n${index}.violin-academy.de, ssl: { settings: ${settings} } }\n`;
  });
  await world.edit("zones/saas-dev.yaml", "  from:\n", `${entries.join("")}  from:\n`);
  await world.zoneform("plan", "--out", "a.plan");
  for (const args of [["apply", "a.plan"], ["apply"]]) {
    const { stdout } = await world.zoneform(...args, "--max-changes", "1");
    expect(stdout).toContain("  and 2 more; --full names all of them\n");
    const full = await world.zoneform(...args, "--max-changes", "1", "--full");
    const dangers = full.stdout.match(/^ {2}DANGER {2}n\d+\.violin-academy\.de\b/gm);
    expect(dangers).toHaveLength(22);
  }
  const refused = await world.zoneform("apply", "--dry-run", "--json", "--max-changes", "1");
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([
    4,
    { stopped: { diagnostics: [{ code: "too-many-changes" }] } },
  ]);
  expect(world.writes()).toEqual({});
});
