import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { run, type Ended } from "../support/command.ts";
import { text } from "../support/emulator.ts";
import { appliedWorlds, DEV, type World } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

/** Each way of writing a file that may hold customers' names, by the path after the last argument. */
const WRITERS: readonly (readonly [name: string, args: (file: string) => readonly string[]])[] = [
  ["plan --out", (file) => ["plan", "--out", file]],
  ["plan --report text", (file) => ["plan", "--report", `text=${file}`]],
  ["plan --report json", (file) => ["plan", "--report", `json=${file}`]],
  ["plan --report markdown", (file) => ["plan", "--report", `markdown=${file}`]],
  ["export --out", (file) => ["export", "--out", file]],
  ["undo --out", (file) => ["undo", "last", "--out", file]],
];

/** A world with one hostname to be created, and a file outside of the project. */
async function worldBeside(): Promise<{ world: World; outside: string }> {
  const world = await appliedWorld();
  await world.edit("data/customers.csv", /$/, "new.violin-academy.de,silver,,eu\n");
  const outside = join(world.folder, "..", `${world.folder.split("/").at(-1)}-outside`);
  await mkdir(outside);
  await writeFile(join(outside, "file"), "somebody else's");
  return { world, outside };
}

/** Runs the command with its standard output redirected as a shell does it. */
function into(world: World, redirection: string, ...args: readonly string[]): Promise<Ended> {
  return run(args, { ...world.surroundings, through: ["sh", "-c", `exec "$@" ${redirection}`, "sh"] });
}

test.each(WRITERS)(
  "%s refuses a symbolic link, and creates a file that only its owner can read",
  async (_name, args) => {
    const { world, outside } = await worldBeside();
    await symlink(join(outside, "file"), join(world.folder, "link"));
    const refused = await world.zoneform(...args("link"));
    expect(refused.code).toBe(1);
    expect(flat(refused.stderr)).toContain(
      `cannot write link: link is a symbolic link to ${outside}/file [output-link]`,
    );
    expect(await readFile(join(outside, "file"), "utf8")).toBe("somebody else's");
    await writeFile(join(world.folder, "open"), "old");
    await chmod(join(world.folder, "open"), 0o644);
    await world.zoneform(...args("open"));
    const { mode, size } = await stat(join(world.folder, "open"));
    expect([mode & 0o777, size > 3]).toEqual([0o600, true]);
  },
);

/** What no output may replace, and how one can be named. */
const TAKEN: readonly (readonly [why: string, file: string])[] = [
  ["this command reads it", "zoneform.yaml"],
  ["this command reads it", "./zones/../zones/saas-dev.yaml"],
  ["this command reads it", "Zones/SAAS-dev.yaml"],
  ["this command reads it", "profiles/tls.yaml"],
  ["this command reads it", "data/customers.csv"],
  ["this command reads it", "secrets/key.pem"],
  ["this command reads it", "../alias/zones/saas-app.yaml"],
  ["this command reads it", "zones/new.yaml"],
  ["it is in the folder of the states", ".zoneform/saas-edge/new"],
  ["it is in the folder of the states", "states/notes"],
];

test.each([
  ...WRITERS,
  ["apply --json-file", (file: string) => ["apply", "--auto-approve", "--json-file", file]] as const,
])(
  "%s replaces nothing that the project reads and nothing among the states, and asks nothing before it says so",
  async (_name, args) => {
    const world = await appliedWorld();
    await mkdir(join(world.folder, "secrets"));
    await writeFile(join(world.folder, "secrets/key.pem"), "no key");
    const uploaded = "custom_certificate: { file: secrets/none.pem }, custom_key: { file: secrets/key.pem }";
    await world.edit(
      "zones/saas-dev.yaml",
      "  from:\n",
      `    - { hostname: own.violin-academy.de, ssl: { ${uploaded} } }\n  from:\n`,
    );
    const alias = join(world.folder, "../alias");
    await symlink(world.folder, alias);
    onTestFinished(() => rm(alias));
    const asked = world.emulator.requests.counts();
    for (const [why, file] of TAKEN) {
      const path = join(world.folder, file);
      const before = await readFile(path, "utf8").catch(() => undefined);
      const ended = await world.zoneform(...args(file), "--state", "states");
      expect({ file, ...ended, stderr: flat(ended.stderr) }).toMatchObject({
        file,
        code: 1,
        stderr: expect.stringContaining(`error: cannot write ${file}: ${why} [not-an-output]`),
      });
      expect(await readFile(path, "utf8").catch(() => undefined)).toBe(before);
    }
    expect(world.emulator.requests.counts()).toEqual(asked);
  },
);

test("import --write refuses a zone file that is a symbolic link, and keeps the mode of any other", async () => {
  const world = await appliedWorld();
  const file = join(world.folder, "zones/saas-dev.yaml");
  const created = world.dashboard(DEV, "POST", "custom_hostnames", {
    hostname: "extra.violin-academy.de",
    ssl: { method: "http", type: "dv" },
  });
  const id = `${DEV}/${text(created, "id")}`;
  await chmod(file, 0o640);
  await world.edit("zoneform.yaml", /zones: .*/, "zones: [zones/saas-dev.yaml]");
  const before = await readFile(file, "utf8");
  await writeFile(join(world.folder, "elsewhere.yaml"), before);
  execFileSync("ln", ["-sf", "../elsewhere.yaml", file]);
  const refused = await world.zoneform("import", id, "--write");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("[output-link]") });
  expect(await readFile(join(world.folder, "elsewhere.yaml"), "utf8")).toBe(before);
  execFileSync("rm", [file]);
  await writeFile(file, before, { mode: 0o640 });
  expect(await world.zoneform("import", id, "--write")).toMatchObject({ code: 0 });
  expect((await stat(file)).mode & 0o777).toBe(0o640);
});

describe.runIf(process.platform === "linux")("a report", () => {
  test("to /dev/stdout comes after the plan, in a pipe and in a file", async () => {
    const { world } = await worldBeside();
    const piped = await world.zoneform("plan", "--report", "json=/dev/stdout");
    expect(piped).toMatchObject({ code: 0, stderr: "" });
    await into(world, "> both", "plan", "--report", "json=/dev/stdout");
    for (const both of [piped.stdout, await readFile(join(world.folder, "both"), "utf8")]) {
      const [plan = "", report = ""] = both.split(/^(?=\{$)/m);
      expect(plan).toContain("new.violin-academy.de");
      expect(JSON.parse(report)).toMatchObject({ zones: expect.any(Array) });
    }
  });

  test("to a pipe that the shell opened can be read at the other end", async () => {
    const { world } = await worldBeside();
    const pipe = `{ "$@" 3>&1 >/dev/null; } | cat`;
    const through = ["sh", "-c", pipe, "sh"];
    const { stdout } = await run(["plan", "--report", "json=/dev/fd/3"], { ...world.surroundings, through });
    expect(JSON.parse(stdout)).toMatchObject({ zones: expect.any(Array) });
  });
});

describe.runIf(process.platform === "linux")("a full standard output", () => {
  const LOST = "error: standard output cannot be written: no space left on the device [output-lost]\n";

  test.each([
    [["plan", "--json"]],
    [["drift"]],
    [["plan", "--detailed-exitcode"]],
    [["schema", "zone"]],
    [["state", "pull", "--zone", "saas.dev"]],
  ])("%j is one error and exit code 1", async (args) => {
    const { world } = await worldBeside();
    const ended = await into(world, "> /dev/full", ...args);
    expect(ended.code).toBe(1);
    expect(ended.stderr.split("error: ")).toHaveLength(2);
    expect(ended.stderr).toContain(LOST);
  });

  test.each([[["apply", "--auto-approve"]], [["apply", "--auto-approve", "--json"]]])(
    "%j continues, loses nothing, and exits 6: live was changed",
    async (args) => {
      const { world } = await worldBeside();
      const ended = await into(world, "> /dev/full", ...args);
      expect(ended).toMatchObject({ code: 6, stderr: expect.stringContaining(LOST) });
      expect(world.writes()).toEqual({ "POST /zones/:zone/custom_hostnames": 1 });
      expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
    },
  );

  test("of an apply that only adopted is exit code 1: nothing live was changed", async () => {
    const world = await appliedWorld();
    await rm(join(world.folder, ".zoneform"), { recursive: true });
    expect(await into(world, "> /dev/full", "apply", "--auto-approve")).toMatchObject({ code: 1 });
    expect(world.writes()).toEqual({});
  });

  test("does not hide drift", async () => {
    const world = await appliedWorld();
    const id = text(world.hostname(DEV, "shop.northwind-books.com"), "id");
    world.dashboard(DEV, "PATCH", `custom_hostnames/${id}`, { custom_origin_server: "pool-us.saas.dev" });
    expect(await into(world, "> /dev/full", "drift")).toMatchObject({ code: 3 });
  });

  test("of a purge that was made is exit code 6", async () => {
    const world = await appliedWorld();
    const purge = ["purge", "--host", "www.saas.dev", "--auto-approve"];
    expect(await into(world, "> /dev/full", ...purge)).toMatchObject({ code: 6 });
  });

  test("does not replace a more specific code", async () => {
    const { world } = await worldBeside();
    expect(await into(world, "> /dev/full", "apply", "--auto-approve", "--max-changes", "0")).toMatchObject({
      code: 4,
    });
  });

  test("together with a full standard error still lets an apply finish", async () => {
    const { world } = await worldBeside();
    expect(await into(world, "> /dev/full 2>&1", "apply", "--auto-approve")).toMatchObject({ code: 6 });
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});

/** The command in a pipe whose reader leaves after the first line; the last line of standard error is its exit code. */
function cutOff(world: World, ...args: readonly string[]): Promise<Ended> {
  const pipe = `{ "$@"; echo "exit $?" >&2; } | head -1`;
  return run(args, { ...world.surroundings, through: ["sh", "-c", pipe, "sh"] });
}

describe("| head -1", () => {
  test("is quiet, and does not stop an apply", async () => {
    const { world } = await worldBeside();
    expect(await cutOff(world, "schema", "zone")).toMatchObject({ stdout: "{\n", stderr: "exit 0\n" });
    const applied = await cutOff(world, "apply", "--auto-approve");
    expect(applied.stdout.split("\n")).toHaveLength(2);
    expect(applied.stderr).toMatch(/exit 0\n$/);
    expect(applied.stderr).not.toMatch(/EPIPE|error/);
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  });
});
