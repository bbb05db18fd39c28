import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_POSTGRES, type PostgresServer, startServer } from "../support/postgres-server.ts";
import { freshWorld } from "../support/project.ts";
import { liveNames, slow } from "../support/converging.ts";
import { STORES_FULL } from "../support/full.ts";
import { random } from "../support/state-world.ts";

const APPLIES = STORES_FULL ? 50 : 1;
const CREATES = "POST /zones/:zone/custom_hostnames";
/** How many hostnames of the first zone the example creates. */
const HOSTNAMES = 14;
/** Enough for the server to be away while creates are under way. */
const CREATE_MILLISECONDS = 100;

describe.skipIf(NO_POSTGRES)(`the server of the states restarts in the middle of an apply${NO_POSTGRES ?? ""}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startServer({ settings: { fsync: "on" } });
  });

  afterAll(async () => {
    await server.remove();
  });

  test.each(Array.from({ length: APPLIES }, (_, index) => 1 + (index % HOSTNAMES)))(
    "after %i creates: the same run continues, and nothing is lost or doubled",
    async (creates) => {
      const world = await freshWorld();
      const state = { ZONEFORM_STATE: `${server.address()}?schema=restart_${random.uuid().replaceAll("-", "_")}` };
      slow(world, "POST", "/zones/*/custom_hostnames", CREATE_MILLISECONDS);
      const applied = world.zoneformWith(state, "apply", "--auto-approve", "--parallelism", "2");
      await world.asked(CREATES, creates);
      await server.stop(creates % 2 === 0 ? "fast" : "immediate");
      await server.start();
      const { code, stderr } = await applied;
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(await world.zoneformWith(state, "plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
      expect(new Set(liveNames(world)).size).toBe(liveNames(world).length);
      expect(world.writes()[CREATES]).toBe(HOSTNAMES);
    },
  );
});
