import { appendFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { disk } from "../../lib/real/disk.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { localStores } from "../../lib/state/local/stores.ts";
import type { Claims } from "../../lib/state/claims.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { temporaryFolder } from "../support/disk.ts";
import { processOf, random, ZONE } from "../support/state-world.ts";
import { describeClaims } from "./claims-suite.ts";
import { describeStore } from "./store-suite.ts";

// Real time, because a holder and a waiter run at the same time here; a wait takes some milliseconds.
const clock: Clock = {
  now: () => Date.now(),
  sleep: (delayMilliseconds, signal) => setTimeout(delayMilliseconds, undefined, signal ? { signal } : {}),
};

describeStore("the local store", async () => {
  const folder = `${await temporaryFolder()}/.zoneform`;
  const open = (pid: number): ProjectStore =>
    localStores(disk("refuse"), folder, { identity: processOf(pid), clock, random }).of("suite");
  const store = open(1000);
  return { store, other: open(2000), tearJournal: () => appendFile(store.describe(ZONE, "journal"), '{"crc":"12') };
});

describeClaims("the local store", async () => {
  const folder = `${await temporaryFolder()}/.zoneform`;
  let passed = 0;
  const dated: Clock = { ...clock, now: () => clock.now() + passed };
  const open = (pid: number): Claims =>
    localStores(disk("refuse"), folder, { identity: processOf(pid), clock: dated, random }).claims;
  const pass = (milliseconds: number): void => {
    passed += milliseconds;
  };
  return { claims: open(1000), other: open(2000), pass };
});
