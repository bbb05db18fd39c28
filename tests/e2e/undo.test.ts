import { describe, expect, test } from "vitest";
import { appliedWorlds, DEV, type World } from "../support/project.ts";
import { at } from "../support/emulator.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();
const ZONE = ["--zone", "saas.dev"] as const;
const VIOLIN = "lessons.violin-academy.de";
/** Less than one of the hostnames. */
const LIMIT = 'deletion_limits: { custom_hostname: { percent: "5%" } }';

/** Applies a change of one hostname's metadata; gives the id of the run. */
async function changed(world: World): Promise<string> {
  await world.edit("data/customers.csv", `${VIOLIN},bronze`, `${VIOLIN},silver`);
  expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
  const [, run = ""] = /^(\S{36}) {2}saas\.dev .* apply /m.exec((await world.zoneform("undo", "--list")).stdout) ?? [];
  return run;
}

function tier(world: World): unknown {
  return Object(Object(world.hostname(DEV, VIOLIN))["custom_metadata"])["tier"];
}

describe("undo", () => {
  test("lists the runs, the newest first", async () => {
    const world = await appliedWorld();
    const first = (await world.zoneform("undo", "--list", ...ZONE)).stdout.split("\n");
    expect(first[0]).toMatch(/^run +zone +began +operation +changes +approved$/);
    expect(first).toHaveLength(3);
    const run = await changed(world);
    const { code, stdout } = await world.zoneform("undo", "--list", ...ZONE);
    expect(code).toBe(0);
    expect(stdout.split("\n")[1]).toMatch(new RegExp(`^${run} .* 1  \\S`));
  });

  test("restores what was there before the run, and says that the YAML still declares it", async () => {
    const world = await appliedWorld();
    const before = world.hostname(DEV, VIOLIN);
    const was = tier(world);
    const run = await changed(world);
    expect(tier(world)).toBe("silver");
    world.emulator.requests.reset();

    const asked = await world.zoneform("undo", run);
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain("cannot ask for approval of the undo");
    expect(world.writes()).toEqual({});

    const ended = await world.zoneform("undo", run, "--auto-approve");
    expect(ended.code).toBe(0);
    expect(flat(ended.stdout)).toContain(`the YAML still declares what run ${run} did to custom_hostname["${VIOLIN}"]`);
    expect(tier(world)).toBe(was);
    expect(world.hostname(DEV, VIOLIN)).toEqual(before);
    expect(world.writes()).toEqual({ "PATCH /zones/:zone/custom_hostnames/:id": 1 });
    // As it said: the next plan does it again.
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 2 });
    expect((await world.zoneform("undo", "--list", ...ZONE)).stdout.split("\n")[1]).toContain(" undo ");
  });

  test("right after an apply says that it is not done yet and exits 6, and the same command does it a minute later", async () => {
    const world = await appliedWorld();
    const [from, to] = ['min_tls_version: "1.0"', 'min_tls_version: "1.1"'];
    await world.edit("zones/saas-dev.yaml", from, to);
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    const tls = (): unknown => at(world.hostname(DEV, "pos.old-mill-bakery.com"), "ssl.settings.min_tls_version");
    const soon = await world.zoneform("undo", "last", "--auto-approve");
    expect(soon.code).toBe(6);
    expect(flat(soon.stdout)).toContain(
      "not undone yet: Cloudflare is still deploying this hostname; run the same command again in a minute",
    );
    expect(soon.stdout).not.toMatch(/later run|without a new approval|applied once/);
    const [, again = ""] = /^To resume:\n {2}zoneform (undo .+)$/m.exec(soon.stdout) ?? [];
    expect(tls()).toBe("1.1");

    world.emulator.advance(600_000);
    expect(await world.zoneform(...again.split(" "))).toMatchObject({ code: 0 });
    expect(tls()).toBe("1.0");
  });

  test("as undo last goes on with the same run after a part of it had to wait, and takes no undo back", async () => {
    const world = await appliedWorld();
    const was = tier(world);
    await world.edit("zones/saas-dev.yaml", 'min_tls_version: "1.0"', 'min_tls_version: "1.1"');
    await changed(world);
    const tls = (): unknown => at(world.hostname(DEV, "pos.old-mill-bakery.com"), "ssl.settings.min_tls_version");
    expect(await world.zoneform("undo", "last", "--auto-approve")).toMatchObject({ code: 6 });
    expect([tier(world), tls()]).toEqual([was, "1.1"]);
    world.emulator.advance(600_000);
    expect(await world.zoneform("undo", "last", "--auto-approve")).toMatchObject({ code: 0 });
    expect([tier(world), tls()]).toEqual([was, "1.0"]);
  });

  test("of a run that was undone has nothing to do", async () => {
    const world = await appliedWorld();
    const run = await changed(world);
    await world.zoneform("undo", run, "--auto-approve");
    world.emulator.requests.reset();
    expect(await world.zoneform("undo", run, "--auto-approve")).toMatchObject({ code: 0 });
    expect(world.writes()).toEqual({});
  });

  test("leaves what changed since as it is, and exits 5", async () => {
    const world = await appliedWorld();
    const run = await changed(world);
    const { id } = Object(world.hostname(DEV, VIOLIN));
    world.dashboard(DEV, "PATCH", `custom_hostnames/${id}`, { custom_metadata: { tier: "theirs" } });
    world.emulator.requests.reset();
    const ended = await world.zoneform("undo", run, "--auto-approve");
    expect(ended.code).toBe(5);
    expect(flat(ended.stdout)).toContain("it was changed since the run");
    expect(tier(world)).toBe("theirs");
    expect(world.writes()).toEqual({});
  });

  test("can be saved, reviewed, and applied: exactly that, and nothing else that the YAML declares", async () => {
    const world = await appliedWorld();
    const was = tier(world);
    const run = await changed(world);
    const saved = await world.zoneform("undo", run, "--out", "undo.zfplan");
    expect(saved).toMatchObject({ code: 0, stderr: "saved the plan to undo.zfplan\n" });
    expect(tier(world)).toBe("silver");
    world.emulator.requests.reset();
    expect(await world.zoneform("apply", "undo.zfplan")).toMatchObject({ code: 0 });
    expect(tier(world)).toBe(was);
    expect(world.writes()).toEqual({ "PATCH /zones/:zone/custom_hostnames/:id": 1 });
  });

  test("that deletes more than a limit allows is refused, and the printed command applies exactly that", async () => {
    const world = await appliedWorld();
    await world.edit("zones/saas-dev.yaml", "custom_hostnames:", `${LIMIT}\ncustom_hostnames:`);
    await world.edit("data/customers.csv", /$/, "one.more-customer.net,bronze,,\n");
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    const refused = await world.zoneform("undo", "last", "--auto-approve");
    expect(refused.code).toBe(4);
    expect(world.hostname(DEV, "one.more-customer.net")).not.toBeNull();
    const [, said = ""] = /^ +zoneform (undo \S+ --approve zf1:\w{64})$/m.exec(refused.stdout) ?? [];
    world.emulator.requests.reset();
    expect(await world.zoneform(...said.split(" "))).toMatchObject({ code: 0 });
    expect(world.hostname(DEV, "one.more-customer.net")).toBeNull();
    expect(world.writes()).toEqual({ "DELETE /zones/:zone/custom_hostnames/:id": 1 });
  });

  test("with the hash of another undo is refused, and nothing is written", async () => {
    const world = await appliedWorld();
    const run = await changed(world);
    world.emulator.requests.reset();
    const ended = await world.zoneform("undo", run, "--approve", `zf1:${"0".repeat(64)}`);
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain("the plan has changed: its hash is ");
    expect(world.writes()).toEqual({});
  });

  test("after a kill leaves the run before it alone, until an apply has finished the killed one", async () => {
    const world = await appliedWorld();
    const run = await changed(world);
    const fault = { kind: "slow", milliseconds: 1_000 } as const;
    world.emulator.faults.order({ fault, method: "PATCH", path: "/zones/*/custom_hostnames/*", rate: 1 });
    await world.edit("data/customers.csv", `${VIOLIN},silver`, `${VIOLIN},platinum`);
    world.emulator.requests.reset();
    const running = world.start("apply", "--auto-approve");
    await world.asked("PATCH /zones/:zone/custom_hostnames/:id", 1);
    running.kill("SIGKILL");
    await running.ended;
    world.emulator.faults.clear();
    const refused = await world.zoneform("undo", "last", "--auto-approve");
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    const [, killed = ""] = /run (\S+) is unfinished in saas\.dev/.exec(flat(refused.stderr)) ?? [];
    expect(killed).not.toBe(run);
    expect(flat(refused.stderr)).toContain("finish it with zoneform apply");

    // Also where the YAML and live were put back meanwhile, so that there is nothing left to change.
    await world.edit("data/customers.csv", `${VIOLIN},platinum`, `${VIOLIN},silver`);
    const { id } = Object(world.hostname(DEV, VIOLIN));
    world.dashboard(DEV, "PATCH", `custom_hostnames/${id}`, { custom_metadata: { tier: "silver" } });
    expect(await world.zoneform("plan", "--detailed-exitcode", ...ZONE)).toMatchObject({ code: 0 });
    expect(await world.zoneform("apply", "--auto-approve")).toMatchObject({ code: 0 });
    const listed = (await world.zoneform("undo", "--list", ...ZONE)).stdout.split("\n");
    expect([listed[1], listed[2]]).toEqual([expect.stringContaining(killed), expect.stringContaining(run)]);
  });

  test("of an unknown run, or of none, is an error with what to do", async () => {
    const world = await appliedWorld();
    for (const args of [["undo"], ["undo", "0123456789"]]) {
      const ended = await world.zoneform(...args);
      expect([ended.code, ended.stdout]).toEqual([1, ""]);
      expect(ended.stderr).toContain("zoneform undo --list");
    }
  });
});
