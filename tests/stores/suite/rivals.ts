import { describe, expect, test } from "vitest";
import { realClock } from "../../../lib/real/clock.ts";
import type { Clock } from "../../../lib/core/clock.ts";
import { type Lease, Locked, StoreConflict } from "../../../lib/state/lock.ts";
import type { ProjectStore } from "../../../lib/state/zone/store.ts";
import { STORES_FULL } from "../../support/full.ts";
import { collect, given, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";

const [RACERS, WRITERS] = [16, 8];
const [RACES_FULL, COUNTS_FULL] = [1000, 1000];
/** Only ends what hangs: 8,000 turns take their time. */
const MOST_MILLISECONDS = 3_600_000;
const YEAR_MILLISECONDS = 365 * 86_400_000;

/** The lock, between many and at any time. With the large counts, a store is asked only for a share of the races. */
export function describeRivals(name: string, make: MakeStore, share: number): void {
  const races = STORES_FULL ? RACES_FULL * share : 8;
  const counts = STORES_FULL ? COUNTS_FULL * share : 4;

  describe(`${name}: several at once`, () => {
    test(`of ${RACERS} that want the lock at the same moment, one gets it`, async () => {
      const { open } = await make();
      const racers = Array.from({ length: RACERS }, () => open());
      for (let round = 0; round < races; round += 1) {
        const tries = await Promise.all(racers.map((racer) => tryLock(racer)));
        const winners = tries.flatMap((found) => (found instanceof Locked ? [] : [found]));
        expect(winners).toHaveLength(1);
        for (const winner of winners) await winner.release();
      }
    });

    test(
      `${WRITERS} writers that each add one ${counts} times count to ${WRITERS * counts}`,
      async () => {
        const { open, start, store } = await make();
        const count = { zone: ZONE, holder: { ...HOLDER }, times: counts };
        await Promise.all(
          Array.from({ length: WRITERS }, async () => {
            if (start) expect(await start().ask("count", count)).toEqual({ value: null });
            else await countIn(open(), counts);
          }),
        );
        expect(await numberIn(store)).toBe(WRITERS * counts);
      },
      MOST_MILLISECONDS,
    );

    test("holders whose clocks are a year apart exclude each other like all others", async () => {
      const { open } = await make();
      const [early, late] = [open(shifted(-YEAR_MILLISECONDS)), open(shifted(YEAR_MILLISECONDS))];
      for (const [first, second] of [
        [early, late],
        [late, early],
      ] as const) {
        const lease = await first.lock(ZONE, HOLDER, 0);
        await expect(second.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
        const waiting = second.lock(ZONE, HOLDER, 600_000);
        await lease.release();
        const next = await waiting;
        expect(next.fence).toBeGreaterThan(lease.fence);
        await expect(first.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
        await next.release();
      }
    });
  });
}

async function tryLock(store: ProjectStore): Promise<Lease | Locked> {
  try {
    return await store.lock(ZONE, HOLDER, 0);
  } catch (thrown) {
    if (thrown instanceof Locked) return thrown;
    throw thrown;
  }
}

async function countIn(store: ProjectStore, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const lease = await store.lock(ZONE, HOLDER, 600_000);
    const found = (await store.view(ZONE)).state;
    await store.write(ZONE, lease, found?.version, given([String((await numberIn(store)) + 1)]));
    await lease.release();
  }
}

async function numberIn(store: ProjectStore): Promise<number> {
  const found = (await store.view(ZONE)).state;
  return found ? Number((await collect(found.lines))[0]) : 0;
}

function shifted(byMilliseconds: number): Clock {
  return { ...realClock, now: () => realClock.now() + byMilliseconds };
}
