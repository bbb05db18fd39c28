import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import { Secret } from "../../lib/core/secret.ts";
import { disk } from "../../lib/real/disk.ts";
import { loadState, saveState } from "../../lib/state/load.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import { moveZone, movingZones } from "../../lib/state/upkeep/move-project.ts";
import type { KeyOf } from "../../lib/state/zone/sealing/cipher.ts";
import { sealedStores } from "../../lib/state/zone/sealing/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { NO_POSTGRES } from "../support/postgres-server.ts";
import { openStores, serverAddress } from "../support/postgres-stores.ts";
import { clocksOf, HOLDER, processOf, random, stateOf, ZONE } from "../support/state-world.ts";
import { copiesOf } from "../support/store-content.ts";

/** Nobody guesses the passphrases of a test. */
const quickKey: KeyOf = async (passphrase) => createHash("sha256").update(passphrase.reveal()).digest();
const sealed = (stores: StateStores): StateStores =>
  sealedStores(stores, { passphrase: new Secret("correct horse"), acceptsPlain: false, random, keyOf: quickKey });

async function inFolder(): Promise<StateStores> {
  const root = `${await temporaryFolder()}/states`;
  return localStores(disk("refuse"), root, { identity: processOf(1), ...clocksOf(realClock), random });
}

const inDatabase = async (): Promise<StateStores> =>
  openStores(await serverAddress(), { schema: `s_${random.uuid().replaceAll("-", "")}` });

/** Saves states with 1, 2, … objects; the first has serial 4. */
async function saveStates(store: ProjectStore, count: number): Promise<void> {
  const lease = await store.lock(ZONE, HOLDER, 0);
  let saved = await saveState(store, lease, undefined, stateOf(1));
  for (let size = 2; size <= count; size += 1)
    saved = await saveState(store, lease, saved.version, stateOf(size, { serial: saved.state.serial }));
  await lease.release();
}

const PLACES = [
  { where: "in a folder", open: inFolder, reason: undefined },
  { where: "encrypted in a folder", open: async () => sealed(await inFolder()), reason: undefined },
  { where: "in a database", open: inDatabase, reason: NO_POSTGRES },
  { where: "encrypted in a database", open: async () => sealed(await inDatabase()), reason: NO_POSTGRES },
];

describe.each(PLACES)("states $where", ({ open, reason }) => {
  test.skipIf(reason)(`move to another project with their earlier copies${reason ?? ""}`, async () => {
    const stores = await open();
    const [from, to] = [stores.of("old"), stores.of("new")];
    await saveStates(from, 3);
    const [old, lease] = [await from.lock(ZONE, HOLDER, 0), await to.lock(ZONE, HOLDER, 0)];
    await moveZone({ from, to }, ZONE, { from: old, to: lease });
    expect(await copiesOf(to)).toEqual({ 4: 1, 5: 2 });
    expect((await from.view(ZONE)).backups).toEqual([]);
    // The limit of five copies holds again with the next writes.
    let loaded = await loadState(to, ZONE);
    for (let size = 4; size <= 8; size += 1) {
      await saveState(to, lease, loaded?.version, stateOf(size, { serial: loaded?.state.serial ?? 0 }));
      loaded = await loadState(to, ZONE);
    }
    expect(await copiesOf(to)).toEqual({ 6: 3, 7: 4, 8: 5, 9: 6, 10: 7 });
    expect(await movingZones({ from, to })).toEqual([]);
  });
});
