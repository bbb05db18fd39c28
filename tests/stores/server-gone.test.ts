import { describe, expect, test } from "vitest";
import type { Clock } from "../../lib/core/clock.ts";
import { realClock } from "../../lib/real/clock.ts";
import type { Away } from "../../lib/state/engines/waiting.ts";
import { bucketStores } from "../../lib/state/engines/s3/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { clocksOf, HOLDER, jumpingClock, random, steadyAs, ZONE } from "../support/state-world.ts";

const MINUTE = 60_000;

/** Stores whose pauses take no time, on a server that a test can take away. */
interface Scene {
  readonly stores: StateStores;
  readonly setDown: (isDown: boolean) => void;
}

type Open = (clock: Clock, away: Away) => Promise<Scene>;

const SERVERS: Readonly<Record<string, Open>> = {
  PostgreSQL: async (clock, away) => {
    const address = await serverAddress();
    const { port, setDown } = await startCuttingProxy(Number(new URL(address).port));
    // A connection that is opened takes real time.
    const clocks = { clock: realClock, steady: steadyAs(clock) };
    return { stores: openStores(address.replace(/:\d+\//, `:${port}/`), { ...clocks, away }), setDown };
  },
  S3: async (clock, away) => {
    let isDown = false;
    const bucket = memoryBucket(() => clock.now()).open({ fault: () => (isDown ? "lost" : undefined) });
    const options = { ...clocksOf(clock), random, away };
    return {
      stores: bucketStores(bucket, "", "s3://states", options),
      setDown: (down) => {
        isDown = down;
      },
    };
  },
  HTTP: async (clock, away) => {
    const server = await startHttpStates();
    return {
      stores: server.open({ ...clocksOf(clock), away }),
      setDown: (isDown) => server.interfere(() => (isDown ? "cut-before" : undefined)),
    };
  },
};

describe.each(Object.entries(SERVERS))("a run whose server of %s is unreachable", (name, open) => {
  const missing = name === "PostgreSQL" ? NO_POSTGRES : undefined;

  test.skipIf(missing)(
    `says how long it tries again, and waits once, not for each thing that it does at its end${missing ?? ""}`,
    async () => {
      const clock = jumpingClock();
      const said: number[] = [];
      const { stores, setDown } = await open(clock, (left) => said.push(left));
      const store = stores.of(`p-${random.uuid()}`);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["one"]);
      expect(said).toEqual([]);
      setDown(true);
      const begin = clock.now();
      const lasting = async (work: () => Promise<unknown>): Promise<number> => {
        const before = clock.now();
        await work().catch(() => undefined);
        return clock.now() - before;
      };
      await expect(store.append(ZONE, lease, ["two"])).rejects.toMatchObject({
        diagnostic: { code: "state-unreachable" },
      });
      expect(said.length).toBeGreaterThan(0);
      expect(Math.max(...said)).toBeLessThan(MINUTE);
      expect(clock.now() - begin).toBeLessThanOrEqual(MINUTE + 1000);
      expect(await lasting(() => store.view(ZONE))).toBeLessThan(1000);
      expect(await lasting(() => lease.release())).toBeLessThan(1000);
      // Once it answers, it is waited for again.
      setDown(false);
      await store.view(ZONE);
      setDown(true);
      expect(await lasting(() => store.view(ZONE))).toBeGreaterThan(20_000);
      setDown(false);
    },
  );
});
