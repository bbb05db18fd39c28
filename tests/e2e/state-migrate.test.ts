import { cp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { zoneId } from "../../lib/core/brand.ts";
import { realClock, realRandom, realSteadyClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { identity } from "../../lib/real/identity.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { HOLDER } from "../support/state-world.ts";
import { APP, appliedWorlds, DEV } from "../support/project.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { serverAddress } from "../support/postgres-stores.ts";
import { flat } from "../support/text.ts";

const appliedWorld = appliedWorlds();

test("state migrate moves all states, and the old place names the new one from then on", async () => {
  const world = await appliedWorld();
  const next = join(world.folder, "elsewhere");
  const before = await world.states();
  const { stdout: pulled } = await world.zoneform("state", "pull", "--zone", "saas.dev");
  world.emulator.requests.reset();

  const dry = await world.zoneform("state", "migrate", "--to", next, "--dry-run");
  expect(dry, dry.stderr).toMatchObject({ code: 0 });
  expect(dry.stdout).toContain(
    `would move the states of project saas-edge from ${world.folder}/.zoneform to ${next}:\n`,
  );
  expect(await readdir(world.folder)).not.toContain("elsewhere");
  expect(await world.states()).toEqual(before);

  const moved = await world.zoneform("state", "migrate", "--to", next);
  expect(moved, moved.stderr).toMatchObject({ code: 0 });
  expect(moved.stdout).toContain(`moved the states of project saas-edge from ${world.folder}/.zoneform to ${next}:\n`);
  expect(await world.states()).toMatchObject(before);
  expect(world.emulator.requests.counts()).toEqual({});

  for (const command of [
    ["plan"],
    ["drift"],
    ["state", "list"],
    ["state", "rm", "saas.dev/total_tls"],
    ["apply", "--auto-approve"],
  ]) {
    const refused = await world.zoneform(...command);
    expect(refused.code, command.join(" ")).toBe(1);
    expect(flat(refused.stdout + refused.stderr), command.join(" ")).toContain(
      `the states were moved from ${world.folder}/.zoneform to ${next} [state-moved]`,
    );
  }
  const there = { ZONEFORM_STATE: next };
  expect((await world.zoneformWith(there, "state", "pull", "--zone", "saas.dev")).stdout).toBe(pulled);
  expect(await world.zoneformWith(there, "plan", "--detailed-exitcode", "--zone", DEV)).toMatchObject({ code: 0 });
  const again = await world.zoneform("state", "migrate", "--to", next);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("saas.dev: moved before") });
  const elsewhere = await world.zoneform("state", "migrate", "--to", join(world.folder, "third"));
  expect(elsewhere).toMatchObject({ code: 4, stdout: "" });
  expect(flat(elsewhere.stderr)).toContain(`the states were moved to ${next}`);
});

test.skipIf(NO_POSTGRES)(
  `the address of the new place names its schema, and two schemas of a database are two places${NO_POSTGRES ?? ""}`,
  async () => {
    const world = await appliedWorld();
    const server = await serverAddress();
    const names = [1, 2].map(() => `s_${randomUUID().replaceAll("-", "")}`);
    const [first = "", second = ""] = names.map((name) => `${server}?schema=${name}`);
    const { stdout: pulled } = await world.zoneform("state", "pull", "--zone", "saas.dev");
    expect(await world.zoneform("state", "migrate", "--to", first)).toMatchObject({ code: 0 });
    // What the project file says of its present place says nothing about the next one.
    await world.edit("zoneform.yaml", /^/, `state: { engine: postgres, schema: ${names[0]} }\n`);
    const at = (address: string, ...args: readonly string[]): ReturnType<typeof world.zoneform> =>
      world.zoneformWith({ ZONEFORM_STATE: address }, ...args);
    const moved = await at(server, "state", "migrate", "--to", second);
    expect(moved, moved.stderr).toMatchObject({ code: 0 });
    expect(moved.stdout).toContain(`?schema=${names[0]} to postgres://`);
    const refused = await at(first, "plan");
    expect([refused.code, flat(refused.stderr)]).toEqual([1, expect.stringContaining("[state-moved]")]);
    const both = await at(second, "plan");
    expect([both.code, flat(both.stderr)]).toEqual([1, expect.stringContaining("[state-engine]")]);
    await world.edit("zoneform.yaml", names[0] ?? "", names[1] ?? "");
    expect((await at(server, "state", "pull", "--zone", "saas.dev")).stdout).toBe(pulled);
  },
);

test("state rm --zone --force removes what a move brought whose old place is gone, and nothing that was moved away", async () => {
  const world = await appliedWorld();
  const [next, third] = [join(world.folder, "elsewhere"), join(world.folder, "third")];
  const there = { ZONEFORM_STATE: next };
  const remove = ["state", "rm", "--zone", "saas.dev", "--force", "--auto-approve"];
  expect(await world.zoneform("state", "migrate", "--to", next)).toMatchObject({ code: 0 });
  const away = await world.zoneform(...remove);
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining("[state-moved]")]);
  // The move to the third place was interrupted, and the one that it came from is lost.
  await cp(next, third, { recursive: true });
  await writeFile(join(third, "_claims/claims"), arriving(next, [DEV, APP, "f".repeat(32)]));
  await rm(next, { recursive: true });
  there.ZONEFORM_STATE = third;
  const stuck = await world.zoneformWith(there, "plan");
  expect(flat(stuck.stderr)).toContain("zoneform state rm --zone ZONE --force");
  for (const zone of ["saas.dev", "saas-app.dev"]) {
    const removed = await world.zoneformWith(there, "state", "rm", "--zone", zone, "--force", "--auto-approve");
    expect(removed, removed.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("copy") });
  }
  expect(await world.zoneformWith(there, "apply", "--auto-approve")).toMatchObject({ code: 0 });
});

test("a move that has to wait for a run leaves each zone at one place, and the next one completes it", async () => {
  const world = await appliedWorld();
  const next = join(world.folder, "elsewhere");
  const parts = { identity: identity(), clock: realClock, steady: realSteadyClock, random: realRandom };
  const [first, second] = [DEV, APP].sort();
  const store = localStores(disk("refuse"), join(world.folder, ".zoneform"), parts).of("saas-edge");
  const lease = await store.lock(zoneId(second ?? ""), HOLDER, 0);
  const stopped = await world.zoneform("state", "migrate", "--to", next);
  expect(stopped).toMatchObject({ code: 7, stdout: expect.stringContaining("moved 1 of 2 zones") });
  const plan = (zone = ""): ReturnType<typeof world.zoneform> => world.zoneform("plan", "--zone", zone);
  expect(flat((await plan(first)).stderr)).toContain("[state-moved]");
  expect(await plan(second)).toMatchObject({ code: 0 });
  const there = { ZONEFORM_STATE: next };
  expect(await world.zoneformWith(there, "plan", "--zone", first ?? "")).toMatchObject({ code: 0 });
  const waiting = await world.zoneformWith(there, "plan", "--zone", second ?? "");
  expect(flat(waiting.stderr)).toContain("run zoneform state migrate --to again");
  await lease.release();
  expect(await world.zoneform("state", "migrate", "--to", next)).toMatchObject({ code: 0 });
  expect(await world.zoneformWith(there, "plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
});

/** The mark of a move that was not completed. */
function arriving(from: string, ids: readonly string[]): string {
  const zones = ids.map((zone) => ({ zone }));
  const moving = { project: "saas-edge", direction: "here", other: `the folder ${from}`, zones };
  return JSON.stringify({ moves: { format: "zoneform-moves", version: 1, projects: [moving] } });
}
