import { describe, expect, test } from "vitest";
import { type Actor, openScene, type Scene } from "../support/s3-scene.ts";
import { collect, given, HOLDER, ZONE } from "../support/state-world.ts";

const HEAD = `edge/${ZONE}/head`;
const PATIENCE_SECONDS = 75;

/** A run like an apply: a record, an intent and its result, and the state. */
async function run({ store }: Actor, name: string): Promise<void> {
  const lease = await store.lock(ZONE, HOLDER, PATIENCE_SECONDS * 1000);
  await store.keep(ZONE, lease, "approval", given([`approval of ${name}`]));
  await store.append(ZONE, lease, [`intent of ${name}`]);
  await store.append(ZONE, lease, [`result of ${name}`]);
  const before = (await store.view(ZONE)).state;
  await store.write(ZONE, lease, before?.version, given([`{"serial":1}`, `state of ${name}`]));
  await lease.release();
}

/** A bucket that several runs used, and each version of the head that it had. */
async function used({ time, bucket, process }: Scene, runs: number): Promise<readonly Uint8Array[]> {
  const heads: Uint8Array[] = [];
  for (let number = 0; number < runs; number += 1) {
    await time.until(run(process(), `run ${number}`));
    heads.push(bucket.peek(HEAD) ?? new Uint8Array());
  }
  return heads;
}

describe("an earlier version of the head that was restored", () => {
  test.each([1, 2, 5])("of %i runs ago: the next run continues behind everything in the journal since", async (ago) => {
    const scene = openScene();
    const heads = await used(scene, 7);
    scene.bucket.tamper(HEAD, heads.at(-1 - ago) ?? new Uint8Array());
    const actor = scene.process();
    const since = [`intent of run ${7 - ago}`, `result of run ${7 - ago}`];
    const lease = await scene.time.until(actor.store.lock(ZONE, HOLDER, 0));
    expect(await collect((await actor.store.view(ZONE)).journal())).toEqual(since);
    expect((await actor.store.view(ZONE, lease)).isJournalEmpty).toBe(false);
    await scene.time.until(actor.store.append(ZONE, lease, ["mine"]));
    expect(await collect((await actor.store.view(ZONE)).journal())).toEqual([...since, "mine"]);
    await lease.release();
    await scene.time.until(run(scene.process(), "the next"));
    await scene.time.until(run(scene.process(), "the last"));
    expect((await collect((await actor.store.view(ZONE)).state?.lines ?? given([]))).at(-1)).toBe("state of the last");
  });

  test("of the middle of a run, which seems to hold the lock: the next one takes it after a minute", async () => {
    const scene = openScene();
    const first = scene.process();
    const lease = await scene.time.until(first.store.lock(ZONE, HOLDER, 0));
    await scene.time.until(first.store.append(ZONE, lease, ["intent"]));
    const held = scene.bucket.peek(HEAD) ?? new Uint8Array();
    await scene.time.until(first.store.append(ZONE, lease, ["result"]));
    await scene.time.until(lease.release());
    await used(scene, 3);
    scene.bucket.tamper(HEAD, held);
    const next = scene.process();
    const taken = await scene.time.until(next.store.lock(ZONE, HOLDER, PATIENCE_SECONDS * 1000));
    await scene.time.until(next.store.append(ZONE, taken, ["mine"]));
    const lines = ["intent", "result", "intent of run 0", "result of run 0", "mine"];
    expect(await collect((await next.store.view(ZONE)).journal())).toEqual(lines);
    await scene.time.until(taken.release());
    await scene.time.until(run(scene.process(), "the last"));
  });
});
