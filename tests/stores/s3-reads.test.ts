import { expect, test } from "vitest";
import type { Bucket } from "../../lib/state/engines/s3/bucket.ts";
import { bucketStores } from "../../lib/state/engines/s3/engine.ts";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { collect, given, HOLDER, random, ZONE } from "../support/state-world.ts";

/** Too long for the head itself. */
const STATE = "state".repeat(1000);

test("a part of a state and an object of the journal are read once, even if ETags are no digests", async () => {
  const gets: string[] = [];
  const memory = memoryBucket().open({
    fault: (operation, key) => {
      if (operation === "get") gets.push(key);
      return undefined;
    },
  });
  // As with encryption by a key of AWS's: tags say nothing of the bytes.
  const bucket: Bucket = {
    ...memory,
    get: async (key) => {
      const found = await memory.get(key);
      return found && { ...found, tag: `${found.tag}-kms` };
    },
    create: async (key, bytes) => tagged(await memory.create(key, bytes)),
    replace: async (key, tag, bytes) => tagged(await memory.replace(key, tag.replace("-kms", ""), bytes)),
  };
  const tagged = (tag: string | undefined): string | undefined => tag && `${tag}-kms`;
  const clocks = { clock: realClock, steady: realSteadyClock, random };
  const store = bucketStores(bucket, "", "s3://states", clocks).of("edge");
  const lease = await store.lock(ZONE, HOLDER, 0);
  await store.write(ZONE, lease, undefined, given([STATE]));
  await store.append(ZONE, lease, ["line"]);
  const reader = bucketStores(bucket, "", "s3://states", clocks).of("edge");
  gets.length = 0;
  const stored = (await reader.view(ZONE)).state;
  expect(stored && (await collect(stored.lines))).toEqual([STATE]);
  expect(await collect((await reader.view(ZONE)).journal())).toEqual(["line"]);
  const counts = (part: string): number => gets.filter((key) => key.includes(part)).length;
  expect([counts("/bodies/"), counts("/journal/")]).toEqual([1, 2]);
  expect(counts("/head")).toBe(4);
  await lease.release();
});

test("a holder of a lock does not read again what it added to the journal, up to a limit", async () => {
  const gets: string[] = [];
  const bucket = memoryBucket().open({
    fault: (operation, key) => {
      if (operation === "get") gets.push(key);
      return undefined;
    },
  });
  const clocks = { clock: realClock, steady: realSteadyClock, random };
  const open = (): ProjectStore => bucketStores(bucket, "", "s3://states", clocks).of("edge");
  const ofJournal = (): number => gets.splice(0).filter((key) => key.includes("/journal/")).length;
  const [store, reader] = [open(), open()];
  const before = await store.lock(ZONE, HOLDER, 0);
  await store.append(ZONE, before, ["of an earlier run"]);
  await before.release();
  const lease = await store.lock(ZONE, HOLDER, 0);
  const lines = ["of an earlier run"];
  for (let number = 0; number < 20; number += 1) {
    lines.push(`line ${number}`);
    await store.append(ZONE, lease, [`line ${number}`]);
  }
  gets.length = 0;
  expect(await collect((await store.view(ZONE)).journal())).toEqual(lines);
  expect(ofJournal()).toBe(1);
  for (let number = 0; number < 3; number += 1) {
    const large = `${number}`.repeat(2 * 1024 * 1024);
    lines.push(large);
    await store.append(ZONE, lease, [large]);
  }
  gets.length = 0;
  expect(await collect((await store.view(ZONE)).journal())).toEqual(lines);
  expect(ofJournal()).toBe(23);
  expect(await collect((await reader.view(ZONE)).journal())).toEqual(lines);
  await store.rewriteJournal(ZONE, lease, given(["another"]));
  expect(await collect((await store.view(ZONE)).journal())).toEqual(["another"]);
  await lease.release();
});
