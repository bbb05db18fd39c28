import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { freshWorld } from "../support/project.ts";
import { given, HOLDER, random, ZONE } from "../support/state-world.ts";

/** The address of the server through a proxy that counts, with a schema of its own. */
async function counted(): Promise<{ readonly address: string; readonly schema: string; readonly asked: () => number }> {
  const address = await serverAddress();
  const proxy = await startCuttingProxy(Number(new URL(address).port));
  const schema = `requests_${random.uuid().replaceAll("-", "_")}`;
  return { address: address.replace(/:\d+\//, `:${proxy.port}/`), schema, asked: () => proxy.answered() };
}

test.skipIf(NO_POSTGRES)(`no step of a run asks PostgreSQL for more than it needs${NO_POSTGRES ?? ""}`, async () => {
  const { address, schema, asked } = await counted();
  const stores = openStores(address, { schema });
  const store = stores.of("edge");
  const first = await store.lock(ZONE, HOLDER, 0);
  const before = await store.write(ZONE, first, undefined, given(["state"]));
  await first.release();
  const steps: Record<string, number> = {};
  const step = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const count = asked();
    const result = await act();
    steps[name] = asked() - count;
    return result;
  };
  const lease = await step("lock", () => store.lock(ZONE, HOLDER, 0));
  await step("check of the place", () => store.checkWritable(ZONE, 1000));
  await step("append", () => store.append(ZONE, lease, ["intent"]));
  await step("record", () => store.keep(ZONE, lease, "run-1", given(["record"])));
  const small = await step("write", () => store.write(ZONE, lease, before, given(["state"])));
  await step("long write", () => store.write(ZONE, lease, small, given(["x".repeat(10_000)])));
  await step("check", () => store.checkLease(ZONE, lease));
  await step("unlock", () => lease.release());
  const shared = stores.shared("things");
  await step("shared get", () => shared.get());
  await step("shared replace", () => shared.replace(undefined, "{}"));
  expect(steps).toEqual({
    // One takes it, one looks.
    lock: 2,
    "check of the place": 1,
    append: 1,
    record: 1,
    write: 1,
    // One for each 256 kB, and one that names them.
    "long write": 2,
    check: 1,
    unlock: 1,
    "shared get": 1,
    "shared replace": 1,
  });
});

test.skipIf(NO_POSTGRES)(
  `an apply of one change asks PostgreSQL at most 20 times, a plan 7${NO_POSTGRES ?? ""}`,
  async () => {
    const { address, schema, asked } = await counted();
    const world = await freshWorld();
    await rm(join(world.folder, "zones/saas-app.yaml"));
    const run = async (...args: string[]): Promise<number> => {
      const before = asked();
      const { code, stderr } = await world.zoneformWith({ ZONEFORM_STATE: `${address}?schema=${schema}` }, ...args);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      return asked() - before;
    };
    await run("apply", "--auto-approve");
    await world.edit("data/customers.csv", "lessons.violin-academy.de,bronze", "lessons.violin-academy.de,silver");
    expect(await run("apply", "--auto-approve")).toBeLessThanOrEqual(20);
    expect(await run("plan")).toBeLessThanOrEqual(7);
  },
);
