import { describe, expect, test } from "vitest";
import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import { bucketStores } from "../../lib/state/engines/s3/stores.ts";
import { httpStores } from "../../lib/state/engines/http/stores.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { refusingMoved } from "../../lib/state/refuse-moved.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { modelTransport, stateModel } from "../support/http-state-model.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { HOLDER, jumpingClock, random, steadyAs } from "../support/state-world.ts";

/** A place, and how many requests it has got. */
interface Counted {
  readonly stores: StateStores;
  readonly requests: () => number;
}

const PLACES: Readonly<Record<string, () => Counted>> = {
  HTTP: () => {
    let count = 0;
    const [model, clock] = [stateModel("gitlab"), jumpingClock()];
    const counting: Pick<typeof model, "handle"> = {
      handle: (request) => {
        count += 1;
        return model.handle(request);
      },
    };
    const address = "https://states.example/api/v4/projects/1/terraform/state";
    const connect = (): ReturnType<typeof modelTransport> => modelTransport(counting);
    const stores = httpStores(address, { env: {}, clock, steady: steadyAs(clock), random, connect });
    return { stores, requests: () => count };
  },
  S3: () => {
    let count = 0;
    const clock = jumpingClock();
    const bucket = memoryBucket(() => clock.now()).open();
    const counting = new Proxy(bucket, {
      get: (target, name, receiver) => {
        if (name !== "close") count += 1;
        return Reflect.get(target, name, receiver);
      },
    });
    const steady = { ...clock, rest: () => new Promise<never>(() => undefined) };
    const stores = bucketStores(counting, "", "s3://states", { clock, steady, random });
    return { stores, requests: () => count };
  },
};

function zonesOf(count: number): readonly ZoneId[] {
  return Array.from({ length: count }, (_, index) => zoneId(index.toString(16).padStart(32, "0")));
}

/** What a first apply does with its states: a plan of all zones, then each zone under its lock. */
async function firstApply({ stores, requests }: Counted, count: number): Promise<number> {
  const store = refusingMoved(stores, { clock: jumpingClock(), random }).of("edge");
  for (const zone of zonesOf(count)) expect(await loadState(store, zone)).toBeUndefined();
  for (const zone of zonesOf(count)) {
    const lease = await store.lock(zone, HOLDER, 0);
    const { state, version } = await beginState(store, lease, { id: zone, name: "saas.eu" }, random);
    await saveState(store, lease, version, state);
    await lease.release();
  }
  return requests();
}

/** A plan of zones that have a state. */
async function planAgain({ stores, requests }: Counted, count: number): Promise<number> {
  const before = requests();
  const store = refusingMoved(stores, { clock: jumpingClock(), random }).of("edge");
  for (const zone of zonesOf(count)) expect(await loadState(store, zone)).toBeDefined();
  return requests() - before;
}

describe.each(Object.entries(PLACES))("requests (%s)", (_name, open) => {
  test("a first apply of forty zones costs at most 4.4 times one of ten", async () => {
    const [few, many] = [await firstApply(open(), 10), await firstApply(open(), 40)];
    expect(many / few).toBeLessThanOrEqual(4.4);
  });

  test("whether the project moved is asked once for all zones of a plan", async () => {
    const place = open();
    await firstApply(place, 10);
    const [one, two, ten] = [await planAgain(place, 1), await planAgain(place, 2), await planAgain(place, 10)];
    expect(two).toBeLessThan(2 * one);
    expect(ten - one).toBe(9 * (two - one));
  });
});
