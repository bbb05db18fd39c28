import { appendFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { disk } from "../../lib/real/disk.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { localStore } from "../../lib/state/local/store.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { temporaryFolder } from "../support/disk.ts";
import { processOf, random, ZONE } from "../support/state-world.ts";
import { describeStore } from "./suite.ts";

// Real time, because a holder and a waiter run at the same time here; a wait takes some milliseconds.
const clock: Clock = {
  now: () => Date.now(),
  sleep: (delayMilliseconds, signal) => setTimeout(delayMilliseconds, undefined, signal ? { signal } : {}),
};

describeStore("the local store", async () => {
  const folder = `${await temporaryFolder()}/.zoneform`;
  const open = (pid: number): ProjectStore =>
    localStore(disk("refuse"), folder, { identity: processOf(pid), clock, random });
  const store = open(1000);
  return { store, other: open(2000), tearJournal: () => appendFile(store.describe(ZONE, "journal"), '{"crc":"12') };
});
