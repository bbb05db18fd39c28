import { expect, test } from "vitest";
import type { Bucket } from "../../lib/state/engines/s3/bucket.ts";
import { bucketStores } from "../../lib/state/engines/s3/stores.ts";
import { realClock, realSteadyClock } from "../../lib/real/clock.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { collect, given, HOLDER, random, ZONE } from "../support/state-world.ts";

/** Too long for the head itself. */
const STATE = "state".repeat(1000);

test("a part of a state and an object of the journal are read once, where ETags are no digests", async () => {
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
  gets.length = 0;
  const stored = await store.read(ZONE);
  expect(stored && (await collect(stored.lines))).toEqual([STATE]);
  expect(await collect(store.journal(ZONE))).toEqual(["line"]);
  const counts = (part: string): number => gets.filter((key) => key.includes(part)).length;
  expect([counts("/bodies/"), counts("/journal/")]).toEqual([1, 2]);
  expect(counts("/head")).toBe(4);
  await lease.release();
});
