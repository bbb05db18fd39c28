import { describe, expect, test } from "vitest";
import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import { bucketStores } from "../../lib/state/engines/s3/engine.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { refusingMoved } from "../../lib/state/zone/marks.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { modelTransport, stateModel } from "../support/http-state-model.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { given, HOLDER, jumpingClock, random, steadyAs } from "../support/state-world.ts";

/** A place, how many requests it has got, and which ones. */
interface Counted {
  readonly stores: StateStores;
  readonly requests: () => number;
  readonly names: readonly string[];
}

const PLACES: Readonly<Record<string, () => Counted>> = {
  HTTP: () => {
    const names: string[] = [];
    const [model, clock] = [stateModel("terraform"), jumpingClock()];
    const counting: Pick<typeof model, "handle"> = {
      handle: (request) => {
        names.push(request.body?.includes("zoneform-look-") === true ? `${request.method} to look` : request.method);
        return model.handle(request);
      },
    };
    const env = { TF_HTTP_LOCK_ADDRESS: "https://states.example/states/{state}" };
    const connect = (): ReturnType<typeof modelTransport> => modelTransport(counting);
    const stores = httpStores("https://states.example/states", {
      env,
      clock,
      steady: steadyAs(clock),
      random,
      connect,
    });
    return { stores, requests: () => names.length, names };
  },
  S3: () => {
    const names: string[] = [];
    const clock = jumpingClock();
    const bucket = memoryBucket(() => clock.now()).open();
    const counting = new Proxy(bucket, {
      get: (target, name, receiver) => {
        if (/^(get|create|replace|remove)$/.test(String(name))) names.push(String(name));
        return Reflect.get(target, name, receiver);
      },
    });
    const steady = { ...clock, rest: () => new Promise<never>(() => undefined) };
    const stores = bucketStores(counting, "", "s3://states", { clock, steady, random });
    return { stores, requests: () => names.length, names };
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
  test("a first apply of forty zones needs at most 4.4 times those of ten", async () => {
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

/** What a run asks of each step: of a zone that has a state already. */
async function stepsOfRun({ stores, names }: Counted): Promise<Readonly<Record<string, readonly string[]>>> {
  const [zone] = [zoneId("ab".repeat(16))];
  const store = stores.of("edge");
  const first = await store.lock(zone, HOLDER, 0);
  let version = await store.write(zone, first, undefined, given(["state"]));
  await first.release();
  const steps: Record<string, readonly string[]> = {};
  const step = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const before = names.length;
    const result = await act();
    steps[name] = names.slice(before);
    return result;
  };
  const lease = await step("lock", () => store.lock(zone, HOLDER, 0));
  await step("append", () => store.append(zone, lease, ["intent"]));
  await step("append again", () => store.append(zone, lease, ["result"]));
  version = await step("write", () => store.write(zone, lease, version, given(["x".repeat(10_000)])));
  await step("check", () => store.checkLease(zone, lease));
  await step("unlock", () => lease.release());
  const shared = stores.shared("things");
  await step("shared get", () => shared.get());
  await step("shared replace", () => shared.replace(undefined, "{}"));
  return steps;
}

test.each(Object.entries(PLACES))(
  "forty zones that are used for the first time at once do not compete for the list (%s)",
  async (_name, open) => {
    const cost = async (count: number): Promise<number> => {
      const { stores, requests } = open();
      const store = stores.of("edge");
      const use = async (zone: ZoneId): Promise<void> => {
        const lease = await store.lock(zone, HOLDER, 0);
        await store.write(zone, lease, undefined, given(["state"]));
        await lease.release();
      };
      await Promise.all(zonesOf(count).map(use));
      expect(await store.zones()).toHaveLength(count);
      return requests();
    };
    const [few, many] = [await cost(10), await cost(40)];
    expect(many / few).toBeLessThanOrEqual(4.4);
  },
);

const LOOK = "LOCK to look";

test.each<[string, Readonly<Record<string, readonly string[]>>]>([
  [
    "HTTP",
    {
      // The first and the last write are read back.
      lock: ["LOCK", "GET", "POST", "GET"],
      append: ["POST"],
      "append again": ["POST"],
      write: ["POST"],
      check: [LOOK],
      unlock: ["POST", "GET", "UNLOCK"],
      "shared get": ["GET"],
      "shared replace": ["LOCK", "GET", "POST", "UNLOCK"],
    },
  ],
  [
    "S3",
    {
      lock: ["get", "replace"],
      append: ["create"],
      "append again": ["create"],
      // One for the lines, one for the head.
      write: ["create", "replace"],
      check: ["get"],
      unlock: ["replace"],
      "shared get": ["get"],
      "shared replace": ["create"],
    },
  ],
])("no step of a run asks for more than it needs (%s)", async (name, expected) => {
  const open = PLACES[name];
  expect(open && (await stepsOfRun(open()))).toEqual(expected);
});
