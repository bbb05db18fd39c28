import { describe, expect, test } from "vitest";
import { Secret } from "../../lib/core/secret.ts";
import { realClock } from "../../lib/real/clock.ts";
import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { deriveKey, placeKeys, rememberKeys } from "../../lib/state/zone/sealing/cipher.ts";
import { sealedStores } from "../../lib/state/zone/sealing/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { PLACES } from "../support/places.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { HOLDER, random, stateOf, ZONE } from "../support/state-world.ts";

const PASSPHRASE = new Secret("correct horse battery staple");
const ZONES: readonly ZoneId[] = Array.from({ length: 4 }, (_, index) => zoneId(index.toString(16).padStart(32, "0")));

/** A process that encrypts, and the salts with which it derived keys. */
function process(place: StateStores): { readonly stores: StateStores; readonly salts: string[] } {
  const salts: string[] = [];
  const derive = rememberKeys(async (passphrase, salt) => {
    salts.push(salt);
    return Buffer.from(`${salt} ${passphrase.reveal()}`);
  });
  const keyOf = placeKeys(place, derive, { clock: realClock, random });
  return { stores: sealedStores(place, { passphrase: PASSPHRASE, acceptsPlain: false, random, keyOf }), salts };
}

async function save(stores: StateStores, project: string, zone: ZoneId): Promise<void> {
  const store = stores.of(project);
  const lease = await store.lock(zone, HOLDER, 0);
  await saveState(store, lease, undefined, stateOf(2, { zone: { id: zone, name: "saas.eu" } }));
  await lease.release();
}

for (const [name, open] of Object.entries(PLACES)) {
  const missing = name === "PostgreSQL" ? NO_POSTGRES : undefined;
  describe.skipIf(missing)(`keys of encrypted states (${name})${missing ?? ""}`, () => {
    test("one derivation gives the key of all zones and projects of a place", async () => {
      const place = await open();
      const writer = process(place());
      for (const project of ["edge", "shop"]) for (const zone of ZONES) await save(writer.stores, project, zone);
      expect(writer.salts).toHaveLength(1);
      const reader = process(place());
      for (const project of ["edge", "shop"])
        for (const zone of ZONES)
          expect((await loadState(reader.stores.of(project), zone))?.state.objects.size).toBe(2);
      expect(reader.salts).toEqual(writer.salts);
    });

    test("two first applies at once use the same salt, and each reads what the other wrote", async () => {
      const place = await open();
      const [first, second] = [process(place()), process(place())];
      await Promise.all([save(first.stores, "edge", ZONE), save(second.stores, "shop", ZONE)]);
      expect(new Set([...first.salts, ...second.salts]).size).toBe(1);
      expect(await loadState(first.stores.of("shop"), ZONE)).toBeDefined();
      expect(await loadState(second.stores.of("edge"), ZONE)).toBeDefined();
    });

    test("a reader of an empty place derives nothing and writes nothing, and decrypts what is encrypted later", async () => {
      const place = await open();
      const reader = process(place());
      expect(await loadState(reader.stores.of("edge"), ZONE)).toBeUndefined();
      expect((await place().shared("salt").get()).text).toBeUndefined();
      await save(process(place()).stores, "edge", ZONE);
      expect(await loadState(reader.stores.of("edge"), ZONE)).toBeDefined();
    });

    test("another place has another salt", async () => {
      const [one, other] = [process((await open())()), process((await open())())];
      await save(one.stores, "edge", ZONE);
      await save(other.stores, "edge", ZONE);
      expect(one.salts).not.toEqual(other.salts);
    });

    test("without its salt, a place cannot be decrypted, and no new salt is made to read it", async () => {
      const place = await open();
      await save(process(place()).stores, "edge", ZONE);
      const emptied = {
        ...place(),
        shared: () => ({
          get: async () => ({ text: undefined, tag: undefined, now: 0 }),
          replace: () => expect.fail("it makes a salt"),
        }),
      };
      await expect(loadState(process(emptied).stores.of("edge"), ZONE)).rejects.toMatchObject({
        diagnostic: { code: "state-not-opened" },
      });
    });
  });
}

test("another salt makes another key of the same passphrase", async () => {
  expect(await deriveKey(PASSPHRASE, "a")).not.toEqual(await deriveKey(PASSPHRASE, "b"));
});
