import { expect, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import { ENGINES } from "../../lib/real/engines.ts";
import { type Engine, STATE } from "../../lib/state/engine.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import { type StateStores, zoneStores } from "../../lib/state/stores.ts";
import { PLACES } from "../support/places.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { collect, given, HOLDER, random, ZONE } from "../support/state-world.ts";

const KEY = { project: "edge", zone: ZONE };

async function inMemory(): Promise<() => StateStores> {
  const shared = memory();
  return () => zoneStores(shared.open({ clock: realClock, random }), { clock: realClock, random });
}

/** The engine that wrappers get, spread as they do. */
function spreadEngine(stores: StateStores): Engine {
  const engines: Engine[] = [];
  stores.over((engine) => {
    engines.push(engine);
    return engine;
  });
  const [engine] = engines;
  if (!engine) throw new Error("the stores have no engine");
  return { ...engine };
}

test("every engine has a place in these tests", () => {
  expect(Object.keys(PLACES)).toHaveLength(Object.keys(ENGINES).length);
});

for (const [name, open] of Object.entries({ ...PLACES, memory: inMemory })) {
  const missing = name === "PostgreSQL" ? NO_POSTGRES : undefined;
  test.skipIf(missing)(
    `an engine, its lease and its parts work when they are spread and called without them (${name})${missing ?? ""}`,
    async () => {
      const { zones, view, body, journal, commit, append, lock, unlock, ...rest } = spreadEngine((await open())());
      const { holding, inquire = holding, shared, check, describe, close, sightings, files } = rest;

      const { lease } = await lock(KEY, HOLDER, 0);
      const { release, ...held } = { ...lease };
      const holder = { ...held, release };
      await check(KEY, 100);
      await append(KEY, holder, ["line"]);
      expect(await collect(journal(KEY, await view(KEY)))).toEqual(["line"]);
      const { entries } = await commit(KEY, holder, { put: new Map([[STATE, given(["one", "two"])]]) });
      for (const entry of entries) expect(await collect(body(KEY, entry))).toEqual(["one", "two"]);
      expect(await zones()).toMatchObject([KEY]);

      const { get, replace } = { ...shared("words") };
      expect(await replace(undefined, '"text"')).toBe(true);
      expect(await get()).toMatchObject({ text: '"text"' });

      if (sightings) {
        const { lines, bytes, add, condense } = { ...sightings };
        await add(KEY, ["seen", "again"]);
        await condense(KEY, () => given(["seen"]));
        expect([await collect(lines(KEY)), (await bytes(KEY)) > 0]).toEqual([["seen"], true]);
      }
      if (files) {
        const { list, warnings, looseLines, tail } = { ...files };
        expect((await list(KEY)).map(({ role }) => role)).toContain(STATE);
        expect([await warnings(KEY), await tail(KEY)]).toEqual([[], ""]);
        expect(await collect(looseLines(KEY, STATE))).toEqual(["one", "two"]);
      }

      expect([await holding(KEY), await inquire(KEY)]).toMatchObject([{ unlockId: lease.id }, { unlockId: lease.id }]);
      await release();
      const next = await lock(KEY, HOLDER, 60_000);
      await unlock(KEY, next.lease.id);
      expect(await holding(KEY)).toBeUndefined();
      expect(describe()).not.toBe(describe(KEY));
      await close();
    },
  );
}
