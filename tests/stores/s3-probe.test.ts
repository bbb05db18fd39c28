import { describe, expect, test } from "vitest";
import { StateError } from "../../lib/state/error.ts";
import { probe } from "../../lib/state/engines/s3/probe.ts";
import type { Bucket } from "../../lib/state/engines/s3/bucket.ts";
import { realSteadyClock } from "../../lib/real/clock.ts";
import { STORES_FULL } from "../support/full.ts";
import { type BucketFault, memoryBucket } from "../support/memory-bucket.ts";
import { type Quirk, startS3Server } from "../support/s3-server.ts";
import { openScene } from "../support/s3-scene.ts";
import { openS3Stores, placeOf, probeAt } from "../support/s3-stores.ts";
import { collect, given, HOLDER, ZONE } from "../support/state-world.ts";

const DAY_MILLISECONDS = 24 * 60 * 60_000;
const ROUNDS = STORES_FULL ? 100 : 5;

describe("the probe of conditional writes", () => {
  test.each<[Quirk, string]>([
    ["ignores conditions", "it ignores If-None-Match"],
    ["ignores If-Match", "it ignores If-Match"],
    ["refuses conditions", "it does not know conditional writes"],
  ])("refuses to lock on a server that %s", async (quirk, says) => {
    const server = await startS3Server(quirk);
    const store = openS3Stores(server.address()).of("edge");
    const refused = await store.lock(ZONE, HOLDER, 0).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StateError);
    expect(refused).toMatchObject({ diagnostic: { code: "state-conditions-ignored" } });
    expect(String(refused)).toContain(says);
    expect(server.keys().filter((key) => key.includes(ZONE))).toEqual([]);
  });

  test("accepts a server that compares ETags without their quotes, and everything works there", async () => {
    const server = await startS3Server("bare tags");
    const store = openS3Stores(server.address()).of("edge");
    const lease = await store.lock(ZONE, HOLDER, 0);
    const version = await store.write(ZONE, lease, undefined, given(["one"]));
    await store.write(ZONE, lease, version, given(["two"]));
    const stored = (await store.view(ZONE)).state;
    expect(stored && (await collect(stored.lines))).toEqual(["two"]);
  });

  test("is made once a day for all commands, by the clock of the server", async () => {
    const { time, process } = openScene();
    const probes = async (skewMilliseconds = 0, options: { readonly server?: string } = {}): Promise<number> => {
      const { store, writes } = process({
        ...options,
        clock: { now: () => Date.parse("2026-01-05T00:00:00Z") + skewMilliseconds, sleep: async () => undefined },
      });
      await (await time.until(store.lock(ZONE, HOLDER, 0))).release();
      return writes.filter((write) => write.includes(" _probe/")).length;
    };
    const first = await probes();
    expect(first).toBeGreaterThan(20);
    expect([await probes(), await probes(10 * DAY_MILLISECONDS), await probes(-10 * DAY_MILLISECONDS)]).toEqual([
      0, 0, 0,
    ]);
    // A copy of the bucket on another server says nothing of that server.
    expect(await probes(0, { server: "s3://states?endpoint=https://other.example" })).toBe(first);
    await probes();
    await time.pass(DAY_MILLISECONDS - 60_000);
    expect(await probes()).toBe(0);
    await time.pass(120_000);
    expect([await probes(), await probes()]).toEqual([first, 0]);
  });

  test.each(["denied", "lost"] as const)(
    "is made by each command if its result cannot be recorded (%s)",
    async (fault) => {
      const { time, process } = openScene();
      for (let command = 0; command < 2; command += 1) {
        const { store, writes, fail } = process();
        fail((operation, key) => (operation !== "get" && key === "_probe/passed" ? fault : undefined));
        await (await time.until(store.lock(ZONE, HOLDER, 0))).release();
        expect(writes.filter((write) => write.startsWith("create _probe/")).length).toBeGreaterThan(5);
      }
    },
  );

  test("is made once in a process, and leaves nothing behind but the record that the server passed", async () => {
    const server = await startS3Server();
    const store = openS3Stores(server.address()).of("edge");
    await (await store.lock(ZONE, HOLDER, 0)).release();
    const ofProbe = (request: string): boolean => request.includes(" _probe/") && !request.endsWith("/passed");
    const probes = (): number =>
      server.requests.filter((request) => ofProbe(request) && request.startsWith("PUT ")).length;
    const first = probes();
    // One object, and two rounds of two races among four.
    expect(first).toBe(5 + 2 * (4 + 1 + 4));
    // Reads: whoever is refused looks whether it was there before, and who refused an ETag is asked what there is.
    const refused = 3 + 2 * (3 + 3);
    const reads = refused + 1 + 2 + 2 * (1 + 1 + 4 + 3 + 1);
    const all = server.requests.filter(ofProbe);
    expect(all).toHaveLength(first + reads + 5);
    await (await store.lock(ZONE, HOLDER, 0)).release();
    expect(probes()).toBe(first);
    expect(server.keys().filter((key) => key.startsWith("_probe/"))).toEqual(["_probe/passed"]);
  });

  test(`of 16 creators and ${ROUNDS} rounds finds nothing on a correct server`, async () => {
    await probeAt((await startS3Server()).address(), { racers: 16, rounds: ROUNDS });
  });

  test(`of 16 creators and ${ROUNDS} rounds finds a server that fails only in a race`, async () => {
    const address = (await startS3Server("races")).address();
    await expect(probeAt(address, { racers: 16, rounds: ROUNDS })).rejects.toThrow("writers at once could");
  });

  test("finds a server that returns the ETag of one version with the bytes of another to readers in a race", async () => {
    const memory = memoryBucket();
    const bucket = memory.open();
    const tags = new Map<string, string>();
    const tearing: Bucket = {
      ...bucket,
      get: async (key) => {
        const found = await bucket.get(key);
        const torn = tags.get(key);
        return found && torn !== undefined ? { ...found, tag: torn } : found;
      },
      replace: async (key, tag, bytes) => {
        const made = await bucket.replace(key, tag, bytes);
        if (made !== undefined && !key.endsWith("/0")) tags.set(key, tag);
        return made;
      },
    };
    await expect(probe(placeOf(tearing), { racers: 4, rounds: 1 })).rejects.toThrow(
      "the ETag of one version with the bytes of another",
    );
  });

  test("does not take a lost reply for a wrong response", async () => {
    const faults: (BucketFault | undefined)[] = [];
    for (let round = 0; round < 20; round += 1) faults.push("lost-reply", undefined, "busy", "lost", undefined);
    const bucket = memoryBucket().open({
      fault: (operation) => (operation === "create" || operation === "replace" ? faults.shift() : undefined),
    });
    await probe(
      { ...placeOf(bucket), steady: { ...realSteadyClock, sleep: async () => undefined } },
      { racers: 4, rounds: 2 },
    );
    expect(faults.length).toBeLessThan(90);
  });
});
