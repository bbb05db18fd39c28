import { appendFile } from "node:fs/promises";
import { realClock } from "../../lib/real/clock.ts";
import { disk } from "../../lib/real/disk.ts";
import { identity } from "../../lib/real/identity.ts";
import { GenerationLock } from "../../lib/state/engines/local/lock.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import type { Claims } from "../../lib/state/zone/claims.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { brisk, clocksOf, HOLDER, random, ZONE } from "../support/state-world.ts";
import { startStoreProcess } from "../support/store-process.ts";
import { describeClaims } from "./claims-suite.ts";
import { describeStore } from "./suite.ts";

describeStore("the local store", async () => {
  const folder = `${await temporaryFolder()}/.zoneform`;
  const open = (clock = realClock): ProjectStore =>
    localStores(disk("refuse"), folder, { identity: identity(), ...clocksOf(clock), random }).of("suite");
  const store = open();
  return {
    store,
    other: open(),
    open,
    start: () => startStoreProcess({ folder }),
    tearJournal: () => appendFile(store.describe(ZONE, "journal"), '{"crc":"12'),
  };
});

describeClaims("the local store", async () => {
  const folder = `${await temporaryFolder()}/.zoneform`;
  let passed = 0;
  const clock = { ...brisk(realClock), now: () => realClock.now() + passed };
  const open = (): Claims =>
    localStores(disk("refuse"), folder, { identity: identity(), ...clocksOf(clock), random }).claims;
  const pass = (milliseconds: number): void => {
    passed += milliseconds;
  };
  const block = async (): Promise<void> => {
    const world = { fs: disk("refuse"), identity: identity(), ...clocksOf(clock), random };
    await new GenerationLock(world, `${folder}/_claims/lock`, "the claims").acquire(HOLDER, 0);
  };
  return { claims: open(), other: open(), pass, block };
});
