import { describe, expect, test } from "vitest";
import type { Lease } from "../../lib/state/lock.ts";
import type { BucketFault, BucketRequest, MemoryBucket } from "../support/memory-bucket.ts";
import { type Actor, openScene, type Scene, thrownBy } from "../support/s3-scene.ts";
import { collect, given, HOLDER, ZONE } from "../support/state-world.ts";

const HOUR_AND_MORE = 3_700_000;

/** A line that is too long for the head itself. */
const long = (text: string): string => text.padEnd(3000, "x");

const keysWith = (bucket: MemoryBucket, part: string): readonly string[] =>
  bucket.keys().filter((key) => key.includes(part));

/** What becomes of each delete. */
const deletes =
  (fault: BucketFault) =>
  (operation: BucketRequest[0]): BucketFault | undefined =>
    operation === "remove" ? fault : undefined;

/** A holder with so many replaced records, each of them an object that is due for removal. */
async function withReplaced(count: number): Promise<Scene & { actor: Actor; lease: Lease }> {
  const scene = openScene();
  const actor = scene.process();
  const lease = await scene.time.until(actor.store.lock(ZONE, HOLDER, 0));
  for (let round = 0; round <= count; round += 1)
    await actor.store.keep(ZONE, lease, "run", given([long(`round ${round}`)]));
  expect(keysWith(scene.bucket, "/bodies/")).toHaveLength(count + 1);
  await scene.time.pass(HOUR_AND_MORE);
  return { ...scene, actor, lease };
}

describe("an object that no process needs any more", () => {
  test.each<BucketFault>(["lost", "denied", "busy"])("is deleted later if its delete fails: %s", async (fault) => {
    const { time, bucket, actor, lease } = await withReplaced(12);
    let deletions = 0;
    // Only some of them fail.
    actor.fail((operation) => (operation === "remove" && (deletions += 1) % 3 === 0 ? fault : undefined));
    for (let round = 0; round < 3; round += 1)
      await time.until(actor.store.keep(ZONE, lease, "other", given([long(`round ${round}`)])));
    expect(keysWith(bucket, "/bodies/").length).toBeGreaterThan(4);
    actor.fail(undefined);
    await time.pass(HOUR_AND_MORE);
    await time.until(actor.store.discard(ZONE, lease, "other"));
    // The two records, as they were last: one of them was discarded just now.
    expect(keysWith(bucket, "/bodies/")).toHaveLength(2);
  });

  test("is not waited for if the server does not respond", async () => {
    const { time, actor, lease } = await withReplaced(150);
    actor.fail(deletes("lost"));
    const before = actor.writes.length;
    await time.until(actor.store.keep(ZONE, lease, "run", given([long("last")])));
    expect(actor.writes.slice(before).filter((write) => write.startsWith("remove")).length).toBeLessThanOrEqual(8);
  });

  test("delays a write by a few seconds at most if deletes are slow", async () => {
    const { time, bucket, actor, lease } = await withReplaced(150);
    actor.slow((operation) => (operation === "remove" ? 500 : 0));
    let isWritten = false;
    void actor.store.keep(ZONE, lease, "run", given([long("last")])).then(() => (isWritten = true));
    await time.pass(4000);
    expect(isWritten).toBe(true);
    // What was deleted is forgotten, and the rest is deleted by the writes that follow.
    for (let round = 0; round < 10; round += 1)
      await time.until(actor.store.keep(ZONE, lease, "run", given([long(`last ${round}`)])));
    expect(keysWith(bucket, "/bodies/")).toHaveLength(12);
  });
});

test("the clock of a runner decides nothing: an object that was just replaced stays for its readers", async () => {
  const { time, process, bucket } = openScene();
  const first = process();
  const fast = process({ clock: { now: () => Date.parse("2026-03-01T13:30:00Z"), sleep: async () => undefined } });
  const lease = await time.until(first.store.lock(ZONE, HOLDER, 0));
  await time.until(first.store.keep(ZONE, lease, "run", given([long("old")])));
  const reading = (await first.store.view(ZONE)).kept("run");
  await time.until(first.store.keep(ZONE, lease, "run", given([long("new")])));
  await time.until(lease.release());
  const next = await time.until(fast.store.lock(ZONE, HOLDER, 0));
  await time.until(fast.store.keep(ZONE, next, "other", given([long("other")])));
  expect(reading && (await collect(reading))).toEqual([long("old")]);
  expect(keysWith(bucket, "/bodies/")).toHaveLength(3);
});

test("a role that may not delete is refused before anything is changed", async () => {
  const { time, process } = openScene();
  const actor = process();
  actor.fail((operation, key) => (operation === "remove" && !key.startsWith("_probe/") ? "denied" : undefined));
  expect(await time.until(thrownBy(actor.store.checkWritable(ZONE, 1000)))).toMatchObject({
    diagnostic: { code: "state-denied" },
  });
});

test("observations are not lost if their reply was lost and another process continued from there", async () => {
  const { time, process } = openScene();
  const [one, other] = [process(), process()];
  await time.until(other.store.observe(ZONE, ["early"]));
  let replies = 0;
  one.fail((operation) => (operation === "replace" && (replies += 1) === 1 ? "lost-reply" : undefined));
  const many = "x".repeat(200_000);
  const observed = one.store.observe(ZONE, [many]);
  await time.pass(0);
  await time.until(other.store.observe(ZONE, ["late"]));
  await time.until(observed);
  // Lines may be there twice, but none is lost.
  expect(new Set(await collect(one.store.observations(ZONE)))).toEqual(new Set(["early", many, "late"]));
});
