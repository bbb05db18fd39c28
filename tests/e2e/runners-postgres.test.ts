import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Running, start } from "../support/command.ts";
import { text } from "../support/emulator.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { serverAddress } from "../support/postgres-stores.ts";
import { DEV, freshWorld, type World } from "../support/project.ts";
import { random } from "../support/state-world.ts";

const CREATES = "POST /zones/:zone/custom_hostnames";
const PATCHES = "PATCH /zones/:zone/custom_hostnames/:id";

/** Longer than any test looks on. */
const LONG_MILLISECONDS = 60_000;

/** A copy of the example for two runners, whose states are in a schema of their own. */
async function sharedWorld(): Promise<World & { env: { ZONEFORM_STATE: string } }> {
  const [world, address] = [await freshWorld(), await serverAddress()];
  const schema = `runners_${random.uuid().replaceAll("-", "_")}`;
  await world.edit("zoneform.yaml", "budget:\n", "budget:\n  runners: 2\n");
  return { ...world, env: { ZONEFORM_STATE: `${address}?schema=${schema}` } };
}

function apply({ surroundings, env }: Awaited<ReturnType<typeof sharedWorld>>, zone: string): Running {
  const command = ["apply", "--auto-approve", "--zone", zone, "--parallelism", "2", "--lock-timeout", "30"];
  const running = start(command, { ...surroundings, env: { ...surroundings.env, ...env } });
  onTestFinished(() => running.kill("SIGKILL"));
  return running;
}

function namesIn(list: unknown): string[] {
  return (Array.isArray(list) ? list : []).map((each) => text(each, "hostname")).sort();
}

/** The names that the example declares in its first zone. */
async function declaredNames(folder: string): Promise<string[]> {
  const rows = (await readFile(join(folder, "data/customers.csv"), "utf8")).trim().split("\n").slice(1);
  const entries = ["store.juniper-and-sons.com", "tenants.cloudburst-hosting.com"];
  return [...rows.map((row) => row.replace(/,.*/, "")), ...entries].sort();
}

describe.skipIf(NO_POSTGRES)(`two runners on one PostgreSQL server${NO_POSTGRES ?? ""}`, () => {
  test("apply two zones of one project at once, one is killed in the middle: both converge, and no limit is tripped", async () => {
    const world = await sharedWorld();
    const { emulator, asked, zoneformWith, env, writes, dashboard, folder } = world;
    const slow = { kind: "slow", milliseconds: LONG_MILLISECONDS } as const;
    emulator.faults.order({ fault: slow, method: "POST", path: `/zones/${DEV}/custom_hostnames`, rate: 1 });
    const dying = apply(world, "saas.dev");
    // Two creates are under way, and took effect.
    await asked(CREATES, 2);
    const living = apply(world, "saas-app.dev");
    await asked(PATCHES, 1);
    dying.kill("SIGKILL");
    expect(await dying.ended).toMatchObject({ signal: "SIGKILL" });
    expect(await living.ended).toMatchObject({ code: 0 });
    emulator.faults.clear();
    expect(await apply(world, "saas.dev").ended).toMatchObject({ code: 0 });
    expect(emulator.requests.entries().filter(({ status }) => status === 429)).toEqual([]);
    expect(await zoneformWith(env, "plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
    expect(writes()[CREATES]).toBe(14);
    expect(namesIn(dashboard(DEV, "GET", "custom_hostnames?per_page=50"))).toEqual(await declaredNames(folder));
  });
});
