import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { APP, type AtEnd, appliedWorlds, DEV, freshWorld, STATES, type World } from "../support/project.ts";
import { startS3Server } from "../support/s3-server.ts";
import { AWS_ENV } from "../support/s3-stores.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

/** The client of a bucket takes them from the environment of the process. */
function useCredentials(): void {
  for (const [name, value] of Object.entries(AWS_ENV)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const PASSWORD = "correct-horse-battery-7";

/** Puts a section `state:` into the project file. */
async function declare(world: World, section: string): Promise<void> {
  await world.edit("zoneform.yaml", "project: saas-edge", `project: saas-edge\nstate: ${section}`);
}

/** A server that counts who connects, and says nothing. */
async function listener(
  atEnd: AtEnd = onTestFinished,
): Promise<{ readonly port: number; readonly connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  atEnd(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return { port: address.port, connections: () => count };
}

describe("the place of the states", () => {
  test("is the folder of --state, or of ZONEFORM_STATE, relative to where the command runs", async () => {
    const world = await freshWorld();
    await mkdir(join(world.folder, "elsewhere"));
    expect(await world.zoneform("apply", "--auto-approve", "--state", "elsewhere/states")).toMatchObject({ code: 0 });
    expect(await readdir(world.folder)).not.toContain(".zoneform");
    expect(await readdir(join(world.folder, "elsewhere/states/saas-edge"))).toContain(`${DEV}.state`);
    const env = { ZONEFORM_STATE: "elsewhere/states" };
    for (const command of [["drift"], ["state", "doctor"], ["state", "list"]])
      expect(await world.zoneformWith(env, ...command)).toMatchObject({ code: 0 });
    expect(await world.zoneform("drift", "--state", "elsewhere/states")).toMatchObject({ code: 0 });
    expect((await world.zoneform("drift")).stderr).toContain("[no-state]");
    const overridden = await world.zoneformWith(env, "drift", "--state", "nowhere");
    expect(flat(overridden.stderr)).toContain(`in ${join(world.folder, "nowhere")} [no-state]`);
  });

  test("is in every command that is printed, if the flag named it", async () => {
    const world = await appliedWorld();
    const flag = ["--state", STATES.replace("/saas-edge", "")];
    const drift = await world.zoneform("drift", "--state", "no where", "--zone", "saas.dev");
    expect(drift.stderr).toContain("zoneform drift --against config --zone saas.dev --state 'no where'\n");
    await world.zoneform("state", "rm", 'saas.dev/ruleset["http_request_firewall_managed"]', ...flag);
    const plan = await world.zoneform("plan", "--zone", "saas.dev", "--out", "p.zfplan", ...flag);
    expect(plan.stdout).toContain("zoneform apply p.zfplan --state .zoneform\n");
    const stopped = await world.zoneform(
      "destroy",
      "--zone",
      "saas-app.dev",
      ...flag,
      "--auto-approve",
      "--max-duration",
      "0s",
    );
    expect(stopped.stdout).toMatch(/zoneform destroy --state \.zoneform --zone saas-app\.dev --expect zf/);
  });

  test("is a folder or a server; any other scheme is refused", async () => {
    const world = await appliedWorld();
    const refused = await world.zoneform("plan", "--state", "ftp://user:pass-word-1234@host/states");
    expect([refused.code, flat(refused.stderr)]).toEqual([
      1,
      expect.stringContaining("--state has an address of ftp://, where no states can be kept"),
    ]);
    expect(refused.stderr).not.toContain("pass-word-1234");
  });
});

describe("the states of a bucket", () => {
  test("serve every command, and show nothing of their credentials", async () => {
    const server = await startS3Server();
    useCredentials();
    const world = await freshWorld();
    const env = { ZONEFORM_STATE: server.address("team") };
    expect(await world.zoneformWith(env, "apply", "--auto-approve")).toMatchObject({ code: 0 });
    expect(server.keys()).toContain(`team/saas-edge/${DEV}/head`);
    for (const command of [["plan", "--detailed-exitcode"], ["drift"], ["state", "doctor"], ["state", "list"]]) {
      const ended = await world.zoneformWith(env, ...command);
      expect([command, ended.code]).toEqual([command, 0]);
      expect(ended.stdout + ended.stderr).not.toContain(AWS_ENV.AWS_SECRET_ACCESS_KEY);
    }
  });

  test("are refused on a server that ignores conditions, before anything is written live", async () => {
    const server = await startS3Server("ignores conditions");
    useCredentials();
    const world = await freshWorld();
    const ended = await world.zoneformWith({ ZONEFORM_STATE: server.address() }, "apply", "--auto-approve");
    expect([ended.code, ended.stderr + ended.stdout]).toEqual([
      1,
      expect.stringContaining("[state-conditions-ignored]"),
    ]);
    expect(world.writes()).toEqual({});
  });

  test("are where the address says: a file of the repository only compares", async () => {
    const server = await startS3Server();
    useCredentials();
    const world = await freshWorld();
    await declare(world, "{ engine: s3, bucket: states, key: team, host: s3.internal }");
    const alone = await world.zoneform("plan");
    expect(flat(alone.stderr)).toContain("wants the states on S3, and nothing says where");
    const elsewhere = await world.zoneformWith({ ZONEFORM_STATE: server.address("team") }, "plan");
    expect(flat(elsewhere.stderr)).toContain(
      "expects the states on s3.internal, and ZONEFORM_STATE leads to 127.0.0.1",
    );
    await world.edit("zoneform.yaml", "host: s3.internal", "host: 127.0.0.1");
    const other = await world.zoneformWith({ ZONEFORM_STATE: server.address("other") }, "plan");
    expect(flat(other.stderr)).toContain('names the prefix "other", and the project file "team"');
    expect(server.requests).toEqual([]);
    const chosen = server.address().replace("s3://states/", "s3://");
    expect(await world.zoneformWith({ ZONEFORM_STATE: chosen }, "plan")).toMatchObject({ code: 0 });
    expect(server.requests.every((request) => request.startsWith("GET team/"))).toBe(true);
  });
});

describe("the project file", () => {
  test("may only agree with the address: another engine is refused, in both directions", async () => {
    const world = await appliedWorld();
    await declare(world, "{ engine: local }");
    expect(await world.zoneform("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
    const server = await world.zoneform("plan", "--state", "postgres://db/states");
    expect(flat(server.stderr)).toContain(
      "the project file wants the states in a folder, but --state puts them in PostgreSQL",
    );
    expect(server.stderr).toMatch(/^zoneform\.yaml:\d+:\d+: error: /m);
    await world.edit("zoneform.yaml", "{ engine: local }", "{ engine: postgres, schema: zf }");
    const folder = await world.zoneformWith({ ZONEFORM_STATE: ".zoneform" }, "plan");
    expect(flat(folder.stderr)).toContain(
      "the project file wants the states in PostgreSQL, but ZONEFORM_STATE puts them in a folder",
    );
  });

  test("that says something else than the address is an error with its place in the file", async () => {
    const world = await appliedWorld();
    for (const [section, address, words] of [
      [
        "{ engine: postgres, schema: zf }",
        "postgres://u@127.0.0.1/x?schema=other",
        'names the schema "other", and the project file "zf" [state-engine]',
      ],
      [
        "{ engine: s3, bucket: theirs }",
        "s3://ours/edge",
        'names the bucket "ours", and the project file "theirs" [state-engine]',
      ],
    ] as const) {
      await declare(world, section);
      const ended = await world.zoneform("plan", "--state", address);
      expect([ended.code, flat(ended.stderr)]).toEqual([1, expect.stringMatching(/^zoneform\.yaml:\d+:\d+: error: /)]);
      expect(flat(ended.stderr)).toContain(words);
      await world.edit("zoneform.yaml", /\nstate: .*/, "");
    }
    await declare(world, "{ url: https://states.internal }");
    expect(flat((await world.zoneform("plan")).stderr)).toContain(
      "[endpoint-or-credential] remove it; set ZONEFORM_STATE in the environment, or use --state",
    );
  });

  test("never chooses where a password is sent: its host is only compared", async () => {
    const world = await appliedWorld();
    const { port, connections } = await listener();
    const env = { PGPASSWORD: PASSWORD, PGPORT: String(port), PGCONNECT_TIMEOUT: "1" };
    await declare(world, "{ engine: postgres, host: 127.0.0.1 }");
    const alone = await world.zoneformWith(env, "plan");
    expect([alone.code, flat(alone.stderr)]).toEqual([
      1,
      expect.stringContaining("wants the states in PostgreSQL, and nothing says where"),
    ]);
    const places = [
      [{ PGHOST: "localhost" }, [], "PGHOST leads to localhost"],
      [{ ZONEFORM_STATE: `postgres://zf:${PASSWORD}@localhost:${port}/x` }, [], "ZONEFORM_STATE leads to localhost"],
      [{}, ["--state", `postgres://localhost:${port}/x?host=localhost`], "--state leads to localhost"],
    ] as const;
    for (const [more, flags, message] of places) {
      const ended = await world.zoneformWith({ ...env, ...more }, "apply", "--auto-approve", ...flags);
      expect([ended.code, flat(ended.stderr)]).toEqual([
        1,
        expect.stringContaining(`expects the states on 127.0.0.1, and ${message}`),
      ]);
      expect(ended.stderr).toContain("[state-host]");
      expect(ended.stdout + ended.stderr).not.toContain(PASSWORD);
    }
    expect(connections()).toBe(0);
  });

  test.each([
    "address: postgres://127.0.0.1/x",
    "port: 5432",
    "user: zf",
    "password: { env: P }",
    "url: x",
    "sslrootcert: x",
  ])("cannot say %s of the states", async (key) => {
    const world = await freshWorld();
    await declare(world, `{ ${key} }`);
    const ended = await world.zoneform("validate");
    expect([ended.code, ended.stdout]).toEqual([1, expect.stringContaining(JSON.stringify(key.split(":")[0]))]);
  });

  test("that expects a server is refused beside a folder, whichever part of it says so", async () => {
    const world = await appliedWorld();
    await declare(world, "{ host: db.internal }");
    const ended = await world.zoneform("state", "list");
    expect([ended.code, flat(ended.stderr)]).toEqual([1, expect.stringContaining("[state-engine]")]);
  });
});

/** Commands that read the states. */
const COMMANDS: readonly (readonly string[])[] = [
  ["plan"],
  ["plan", "--json"],
  ["apply", "--auto-approve"],
  ["destroy", "--auto-approve"],
  ["drift"],
  ["drift", "--json"],
  ["status"],
  ["status", "--format", "json"],
  ["certificates", "list"],
  ["state", "doctor"],
  ["state", "doctor", "--json"],
  ["state", "list"],
  ["state", "lock"],
  ["undo", "last"],
  ["why", "saas.dev/total_tls"],
];

/** The example with a third zone. */
async function threeZones(atEnd: AtEnd): Promise<World> {
  const world = await freshWorld(atEnd);
  const second = await readFile(join(world.folder, "zones/saas-app.yaml"), "utf8");
  const third = second.replaceAll(APP, "5d41402abc4b2a76b9719d911017c592").replaceAll("saas-app.dev", "saas-three.dev");
  await writeFile(join(world.folder, "zones/saas-three.yaml"), third);
  return world;
}

// Each command tries for seconds to reach the server, so all of them wait together.
describe.concurrent("a server that cannot be reached", () => {
  test("is one error of a command, whatever its zones, and exit code 1", async ({ onTestFinished }) => {
    const world = await threeZones(onTestFinished);
    const address = { ZONEFORM_STATE: "postgres://nobody@127.0.0.1:1/states" };
    const run = world.zoneformWith;
    const all = await Promise.all(COMMANDS.map(async (command) => [command, await run(address, ...command)] as const));
    for (const [command, { code, stdout, stderr }] of all) {
      const said = flat(stdout + stderr);
      expect([
        command,
        code,
        said.match(/\[state-unreachable\]/g)?.length,
        stderr.match(/^1 error$/gm)?.length,
      ]).toEqual([command, 1, 1, 1]);
      expect(said).not.toContain("not-looked-at");
    }
    expect(world.emulator.requests.counts()).toEqual({});
  });

  test("has an address whose password is never printed, neither whole nor in a command", async ({ onTestFinished }) => {
    const world = await appliedWorld(onTestFinished);
    const address = `postgres://zf:${PASSWORD}@127.0.0.1:1/states`;
    for (const ended of await Promise.all([
      world.zoneform("plan", "--state", address),
      world.zoneform("state", "list", "--state", address),
      world.zoneformWith({ ZONEFORM_STATE: address }, "drift"),
    ])) {
      expect(ended.code).toBe(1);
      expect(ended.stdout + ended.stderr).not.toContain(PASSWORD);
      expect(ended.stdout + ended.stderr).not.toContain(address);
    }
  });

  test("has an address whose password is hidden in errors, and the host, the port and the database are not", async ({
    onTestFinished,
  }) => {
    const world = await freshWorld(onTestFinished);
    const { port } = await listener(onTestFinished);
    const env = { ZONEFORM_STATE: `postgres://robot:${PASSWORD}@127.0.0.1:${port}/states?sslmode=disable` };
    const { stderr } = await world.zoneformWith(env, "state", "list");
    expect(flat(stderr)).toContain(
      `the state at postgres://127.0.0.1:${port}/states?schema=zoneform cannot be reached`,
    );
    expect(stderr).not.toMatch(/sensitive|battery/);
  });
});
