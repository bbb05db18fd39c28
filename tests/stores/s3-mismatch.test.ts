import { describe, expect, test } from "vitest";
import { type Actor, openScene, thrownBy } from "../support/s3-scene.ts";
import { given, HOLDER, ZONE } from "../support/state-world.ts";

const WRONG = {
  diagnostic: {
    code: "state-conditions-ignored",
    message: expect.stringContaining("it refuses a write with the right If-Match"),
  },
};

/** From now on the server refuses so many times to replace anything, whatever it is. */
function refuse(actor: Actor, times: number): { readonly answers: () => number } {
  let answers = 0;
  actor.fail((operation) => (operation === "replace" && (answers += 1) <= times ? "mismatch" : undefined));
  return { answers: () => answers };
}

// A loop without a pause would never let time pass, so it has to end some time.
const MANY = 1000;

describe("a server that refuses to replace the version that it reports is found in a few requests", () => {
  test("by a holder that writes", async () => {
    const { time, process } = openScene();
    const actor = process();
    const lease = await time.until(actor.store.lock(ZONE, HOLDER, 0));
    const { answers } = refuse(actor, MANY);
    expect(await time.until(thrownBy(actor.store.keep(ZONE, lease, "run-1", given(["record"]))))).toMatchObject(WRONG);
    expect(answers()).toBeLessThan(10);
  });

  test("by a run that takes the lock", async () => {
    const { time, process } = openScene();
    const actor = process();
    await (await time.until(actor.store.lock(ZONE, HOLDER, 0))).release();
    const { answers } = refuse(actor, MANY);
    expect(await time.until(thrownBy(actor.store.lock(ZONE, HOLDER, 0)))).toMatchObject(WRONG);
    expect(answers()).toBeLessThan(10);
  });

  test("by a run that frees it", async () => {
    const { time, process } = openScene();
    const actor = process();
    const { id } = await time.until(actor.store.lock(ZONE, HOLDER, 0));
    const { answers } = refuse(actor, MANY);
    expect(await time.until(thrownBy(actor.store.unlock(ZONE, id)))).toMatchObject(WRONG);
    expect(answers()).toBeLessThan(10);
  });
});

test("a server that refuses to create what it reports as missing is found by a run that follows a dead one", async () => {
  const { time, process } = openScene();
  const [dying, next] = [process(), process()];
  await time.until(dying.store.lock(ZONE, HOLDER, 0));
  dying.stop();
  let answers = 0;
  next.fail((operation, key) =>
    operation === "create" && key.includes("/journal/") && (answers += 1) < MANY ? "mismatch" : undefined,
  );
  expect(await time.until(thrownBy(next.store.lock(ZONE, HOLDER, 75_000)))).toMatchObject({
    diagnostic: {
      code: "state-conditions-ignored",
      message: expect.stringContaining("it finds an object where there is none"),
    },
  });
  expect(answers).toBeLessThan(10);
});

test("one such response is ignored", async () => {
  const { time, process } = openScene();
  const actor = process();
  const { store } = actor;
  const lease = await time.until(store.lock(ZONE, HOLDER, 0));
  refuse(actor, 1);
  await time.until(store.keep(ZONE, lease, "run-1", given(["record"])));
  expect((await store.view(ZONE)).names).toEqual(["run-1"]);
  refuse(actor, 1);
  await time.until(store.unlock(ZONE, lease.id));
  refuse(actor, 1);
  expect((await time.until(store.lock(ZONE, HOLDER, 0))).fence).toBe(3);
});
