import { describe, expect, onTestFinished, test } from "vitest";
import { type Running, start } from "../support/command.ts";
import { declaredNames, liveNames, slow } from "../support/converging.ts";
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

describe.skipIf(NO_POSTGRES)(`two runners on one PostgreSQL server${NO_POSTGRES ?? ""}`, () => {
  test("apply two zones of one project at once, one is killed in the middle: both converge, and no limit is tripped", async () => {
    const world = await sharedWorld();
    const { emulator, asked, zoneformWith, env, writes } = world;
    slow(world, "POST", `/zones/${DEV}/custom_hostnames`, LONG_MILLISECONDS);
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
    expect(liveNames(world)).toEqual(await declaredNames(world));
  });
});
