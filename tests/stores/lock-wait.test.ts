import { describe, expect, test } from "vitest";
import type { Clock, SteadyClock } from "../../lib/core/clock.ts";
import { realClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { identity } from "../../lib/real/identity.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { Locked } from "../../lib/state/lock.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { startHttpStates } from "../support/http-state-server.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { clocksOf, HOLDER, jumpingClock, random, steadyAs, ZONE } from "../support/state-world.ts";

interface Clocks {
  readonly clock: Clock;
  readonly steady: SteadyClock;
}

/** Opens another handle on the same states each time. */
type Engine = () => Promise<(clocks: Clocks) => ProjectStore>;

const ENGINES: readonly (readonly [name: string, start: Engine])[] = [
  [
    "in local files",
    async () => {
      const folder = `${await temporaryFolder()}/.zoneform`;
      return (clocks) => localStores(disk("refuse"), folder, { identity: identity(), ...clocks, random }).of("suite");
    },
  ],
  [
    "on an HTTP server",
    async () => {
      const server = await startHttpStates();
      return (clocks) => server.open(clocks).of("suite");
    },
  ],
  ...(NO_POSTGRES === undefined
    ? [
        [
          "in PostgreSQL",
          async (): Promise<(clocks: Clocks) => ProjectStore> => {
            const [address, project] = [await serverAddress(), `p-${random.uuid()}`];
            return (clocks) => openStores(address, clocks).of(project);
          },
        ] as const,
      ]
    : []),
];

describe.each(ENGINES)("a run that waits for a lock %s", (_name, start) => {
  test("waits as long as it was told to, even if the clock is set back meanwhile", async () => {
    const open = await start();
    const lease = await open(clocksOf(realClock)).lock(ZONE, HOLDER, 0);
    const steady = steadyAs(jumpingClock());
    const began = steady.now();
    let asked = 0;
    const setBack: Clock = { ...realClock, now: () => steady.now() - (asked++ > 3 ? 3_600_000 : 0) };
    const waiting = open({ clock: setBack, steady }).lock(ZONE, HOLDER, 75_000);
    await expect(waiting).rejects.toThrow(Locked);
    expect(steady.now() - began).toBeLessThan(76_000);
    await lease.release();
  });
});
