import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { APP, appliedWorlds, DEV, freshWorld, type World, STATES } from "../support/project.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();
const ZONE = ["--zone", "saas.dev"] as const;
const VIOLIN = 'custom_hostname["lessons.violin-academy.de"]';
const OTHER = 'custom_hostname["lessons.viola-academy.de"]';

function header(pulled: string): { serial: number; lineage: string } {
  const { serial, lineage }: { serial: number; lineage: string } = JSON.parse(pulled.split("\n")[0] ?? "");
  return { serial, lineage };
}

describe("state mv", () => {
  test("gives a certificate pack another address, and writes nothing live", async () => {
    const world = await appliedWorld();
    const [pack, other] = ['certificate_pack["*.saas.dev,saas.dev"]', 'certificate_pack["saas.dev"]'];
    const wanted = "validation_method: txt, validity_days: 90, certificate_authority: google";
    await world.edit(
      "zones/saas-dev.yaml",
      /$/,
      `\ncertificate_packs:\n  - { hosts: [saas.dev, "*.saas.dev"], ${wanted} }\n`,
    );
    expect(await world.zoneform("apply", "--auto-approve", ...ZONE)).toMatchObject({ code: 0 });
    world.emulator.requests.reset();
    const before = await world.states();
    const dry = await world.zoneform("state", "mv", "--dry-run", pack, other);
    expect(dry).toMatchObject({ code: 0, stdout: `would move ${pack} to ${other}; changes nothing live\n` });
    expect(await world.states()).toEqual(before);

    expect(await world.zoneform("state", "mv", pack, other)).toMatchObject({ code: 0 });
    const { stdout } = await world.zoneform("state", "list", ...ZONE);
    expect(stdout).toContain(other);
    expect(stdout).not.toContain(pack);
    for (const wrong of ['certificate_pack["not a host!!"]', 'certificate_pack["saas.dev,,"]']) {
      const refused = await world.zoneform("state", "mv", other, wrong);
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
      expect(flat(refused.stderr)).toContain("is not a valid key for a certificate_pack");
    }
    // In the order of the YAML, which is not the one of the address.
    const typed = 'certificate_pack["saas.dev, *.SaaS.dev"]';
    const back = await world.zoneform("state", "mv", other, typed);
    expect(back).toMatchObject({ code: 0, stdout: `moved ${other} to ${pack}; changes nothing live\n` });
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 0 });
    const itself = await world.zoneform("state", "mv", pack, typed);
    expect([itself.code, itself.stdout]).toEqual([1, ""]);
    expect(itself.stderr).toContain("has this address already");
    expect(world.writes()).toEqual({});
  });

  test.each([
    ["to an address that is tracked", VIOLIN, 'custom_hostname["www.northwind-books.com"]', "is in the state already"],
    ["from one that is not", `saas.dev/${OTHER}`, VIOLIN, "is not in the state"],
    ["of a hostname, which is its name live", VIOLIN, OTHER, "its key is its live name"],
    [
      "of an entry point, which is its phase live",
      'ruleset["http_request_firewall_managed"]',
      'ruleset["http_request_firewall_custom"]',
      "its key is its live name",
    ],
    ["to another kind", VIOLIN, "fallback_origin", "an object keeps its kind"],
    ["to another zone", VIOLIN, `saas-app.dev/${OTHER}`, "is in another zone than saas.dev"],
    ["to no address", VIOLIN, "violin", "is not an address"],
  ])("is refused %s", async (_name, from, to, message) => {
    const world = await appliedWorld();
    const before = await world.states();
    const ended = await world.zoneform("state", "mv", from, to);
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(flat(ended.stderr)).toContain(message);
    expect(await world.states()).toEqual(before);
  });
});

describe("state rm", () => {
  test("releases an object, which stays live and can be adopted with the printed command", async () => {
    const world = await appliedWorld();
    const ended = await world.zoneform("state", "rm", VIOLIN);
    const [, taken = ""] = /zoneform import (\S+)\n/.exec(ended.stdout) ?? [];
    expect(await world.zoneform("import", taken)).toMatchObject({ code: 0 });
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({});
  });
});

test("state rm of a hostname with an unfinished create says how to adopt it if it is live", async () => {
  const world = await freshWorld();
  const [slow, path] = [{ kind: "slow", milliseconds: 60_000 } as const, "/zones/*/custom_hostnames"];
  world.emulator.faults.order({ fault: slow, method: "POST", path });
  const running = world.start("apply", "--auto-approve", "--parallelism", "1");
  onTestFinished(() => running.kill("SIGKILL"));
  await world.asked("POST /zones/:zone/custom_hostnames", 1);
  running.kill("SIGKILL");
  await running.ended;
  const doctor = await world.zoneform("state", "doctor", ...ZONE);
  const [, name = ""] = /custom_hostname\["(\S+)"\]: a run was stopped/.exec(flat(doctor.stdout)) ?? [];
  const address = `saas.dev/custom_hostname["${name}"]`;
  expect(JSON.parse((await world.zoneform("state", "show", address)).stdout)).not.toHaveProperty("import_id");
  const { stdout } = await world.zoneform("state", "rm", address);
  expect(stdout).toBe(
    `released custom_hostname["${name}"] from the state; a run was stopped while it created it, so it may be live; to manage it again: zoneform import ${DEV}/${name}\n`,
  );
  expect(await world.zoneform("import", `${DEV}/${name}`)).toMatchObject({ code: 0 });
});

describe("state pull and push", () => {
  test("a pulled state equals the stored one, and is not pushed again as newer", async () => {
    const world = await appliedWorld();
    const { stdout } = await world.zoneform("state", "pull", ...ZONE);
    expect(stdout).toBe(await readFile(join(world.folder, STATES, `${DEV}.state`), "utf8"));
    await writeFile(join(world.folder, "pulled"), stdout);
    const ended = await world.zoneform("state", "push", "pulled", ...ZONE);
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(flat(ended.stderr)).toContain("newer changes would be lost");
    expect(ended.stderr).toContain("to go back on purpose, add --older");
  });

  test("an older state can be restored on purpose, with a serial above both, and the replaced one is kept", async () => {
    const world = await appliedWorld();
    const old = (await world.zoneform("state", "pull", ...ZONE)).stdout;
    await writeFile(join(world.folder, "old"), old);
    await world.zoneform("state", "rm", VIOLIN);
    const { serial } = header((await world.zoneform("state", "pull", ...ZONE)).stdout);

    const dry = await world.zoneform("state", "push", "old", "--older", "--dry-run", ...ZONE);
    expect(dry.stdout).toMatch(new RegExp(`^would store old as serial ${serial + 1} of saas.dev`));
    const pushed = await world.zoneform("state", "push", "old", "--older", ...ZONE);
    expect(pushed.code).toBe(0);
    expect(header((await world.zoneform("state", "pull", ...ZONE)).stdout).serial).toBe(serial + 1);
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 0 });
    expect(Object.keys(await world.states())).toContain(`${DEV}.state.backup-${serial}`);
  });

  test("a state of another lineage or zone, or a damaged one, is always refused", async () => {
    const [world, other] = [await appliedWorld(), await freshWorld()];
    await other.zoneform("apply", "--auto-approve");
    const mine = (await world.zoneform("state", "pull", ...ZONE)).stdout;
    const files = [
      [(await other.zoneform("state", "pull", ...ZONE)).stdout, "they are different states"],
      [(await world.zoneform("state", "pull", "--zone", "saas-app.dev")).stdout, "this is the state of zone"],
      [mine.replace("gold", "lead"), "the content does not match the checksum of its footer"],
      [mine.split("\n").slice(0, -2).join("\n"), "it ends before its footer"],
      ["", "it is empty"],
    ] as const;
    const before = await world.states();
    for (const [text, message] of files) {
      await writeFile(join(world.folder, "given"), text);
      const ended = await world.zoneform("state", "push", "given", "--older", ...ZONE);
      expect([ended.code, ended.stdout]).toEqual([1, ""]);
      expect(flat(ended.stderr)).toContain(message);
    }
    expect(await world.states()).toEqual(before);
  });

  test("a command about one state asks for the zone if the project has several", async () => {
    const world = await appliedWorld();
    for (const command of [["pull"], ["push", "x"], ["repair"]]) {
      const ended = await world.zoneform("state", ...command);
      expect([ended.code, ended.stdout]).toEqual([1, ""]);
      expect(ended.stderr).toContain("choose one with --zone");
    }
  });
});

describe("state unlock", () => {
  /** An apply that holds the lock of its zone and waits for the service. */
  async function heldUp(world: World): Promise<{ id: string; pid: number; kill: () => void }> {
    world.emulator.faults.order({ fault: { kind: "slow", milliseconds: 60_000 }, method: "PATCH" });
    const running = world.start("apply", "--auto-approve", "--zone", "saas-app.dev", "--parallelism", "1");
    onTestFinished(() => running.kill("SIGKILL"));
    await world.asked("PATCH /zones/:zone/custom_hostnames/:id", 1);
    const { stdout } = await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev");
    const [, id = ""] = /lock id (\S+)/.exec(flat(stdout)) ?? [];
    return { id, pid: running.pid, kill: () => running.kill("SIGKILL") };
  }

  test("shows the holder of the lock and what is unfinished, needs the exact id, and stops the holder", async () => {
    const world = await freshWorld();
    const { id, pid } = await heldUp(world);
    const wrong = await world.zoneform("state", "unlock", id.slice(0, -1));
    expect(wrong.code).toBe(1);
    expect(flat(wrong.stderr)).toContain(`saas-app.dev is locked with id ${id}`);

    const dry = await world.zoneform("state", "unlock", id, "--dry-run");
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(`, process ${pid}\n`);
    expect(dry.stdout).toContain("  operation  apply\n");
    expect(dry.stdout).toContain("  alive      yes: wait for it\n");
    expect(dry.stdout).toMatch(/\nwould unlock the state of saas-app\.dev\n$/);
    expect(dry.stdout).toContain("  unfinished 1 change without a response: custom_hostname[");
    expect(await world.zoneform("state", "rm", "saas-app.dev/fallback_origin")).toMatchObject({ code: 7 });

    const shown = await world.zoneform("state", "lock");
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain("the state of saas.dev is not locked\n");
    expect(shown.stdout).toContain(`the state of saas-app.dev is locked with id ${id}\n`);
    expect(shown.stdout).toContain(`zoneform state unlock ${id} --zone saas-app.dev\n`);
    const { zones }: { zones: readonly object[] } = JSON.parse(
      (await world.zoneform("state", "lock", "--json")).stdout,
    );
    expect(zones).toEqual([
      {
        zone: { id: APP, name: "saas-app.dev" },
        held: true,
        lock: expect.objectContaining({ id, alive: true, process_id: pid, operation: "apply" }),
      },
      { zone: { id: DEV, name: "saas.dev" }, held: false },
    ]);

    expect(await world.zoneform("state", "unlock", id)).toMatchObject({ code: 0 });
    expect((await world.zoneform("state", "unlock", id)).stderr).toContain("no zone is locked [not-unlocked]\n");
    expect(await world.zoneform("apply", "--auto-approve", "--zone", "saas-app.dev")).toMatchObject({ code: 0 });
  });
});

test("two locks with the same id are distinguished by their zones", async () => {
  const world = await appliedWorld();
  for (const zone of [DEV, APP]) await writeFile(join(world.folder, STATES, `${zone}.lock`, "g7"), "");
  const doctor = await world.zoneform("state", "doctor");
  for (const zone of ["saas.dev", "saas-app.dev"])
    expect(flat(doctor.stdout)).toContain(`zoneform state unlock g7 --zone ${zone}`);
  const unclear = await world.zoneform("state", "unlock", "g7");
  expect(unclear).toMatchObject({ code: 1, stdout: "" });
  expect(flat(unclear.stderr)).toContain("several zones are locked with id g7: saas-app.dev, saas.dev");
  expect(await world.zoneform("state", "unlock", "g7", "--zone", DEV)).toMatchObject({ code: 0 });
  expect(await world.zoneform("state", "unlock", "g7", "--dry-run")).toMatchObject({ code: 0 });
});

describe("a lock file that zoneform did not write", () => {
  test.each([
    [
      "of another machine, with control characters and a date in the future",
      JSON.stringify({
        id: "0f",
        who: "\u001b[31mroot\u001b[2K@elsewhere",
        process_id: 1,
        operation: "apply",
        since: "2999-01-01T00:00:00Z",
        host: "elsewhere",
        boot_id: "other",
        pid_namespace: "pid:[1]",
        pid: 1,
        start_time: "1",
      }),
      "0f",
      "\\u{1b}[31mroot",
    ],
    ["a megabyte of junk", "x".repeat(1_000_000), "g7", "by an unknown process: the lock cannot be read"],
    ["empty", "", "g7", "by an unknown process: the lock cannot be read"],
  ])("%s: counts as held, is shown safely, and is released by its exact id only", async (_name, mark, id, shown) => {
    const world = await appliedWorld();
    const folder = join(world.folder, STATES, `${DEV}.lock`);
    await writeFile(join(folder, "g7"), mark);
    const held = await world.zoneform("state", "rm", VIOLIN);
    expect(held.code).toBe(7);
    expect(flat(held.stderr)).toContain(`lock id ${id}`);
    expect(await world.zoneform("state", "unlock", `${id}0`)).toMatchObject({ code: 1, stdout: "" });
    const freed = await world.zoneform("state", "unlock", id);
    expect(freed.code).toBe(0);
    expect(freed.stdout).toContain(shown);
    expect(freed.stdout + held.stderr).not.toContain("\u001b");
    expect(await world.zoneform("state", "rm", VIOLIN)).toMatchObject({ code: 0 });
  });
});

test("every state command has help with an example", async () => {
  const world = await freshWorld();
  for (const name of ["list", "show", "mv", "rm", "pull", "push", "unlock", "doctor", "repair"]) {
    const { code, stdout } = await world.zoneform("state", name, "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`\\nExamples?:\\n {2}\\$ zoneform state ${name}`));
  }
});
