import { projectsIn } from "../../lib/state/stores.ts";
import { describe, expect, test } from "vitest";
import { StateError } from "../../lib/state/error.ts";
import { DEAD_AFTER_MILLISECONDS } from "../../lib/state/engines/s3/lock.ts";
import { RENEWAL_MILLISECONDS, TRUST_MILLISECONDS } from "../../lib/state/engines/s3/locked-head.ts";
import { describeHolding, type Lease, Locked, StoreConflict } from "../../lib/state/lock.ts";
import type { BucketFault } from "../support/memory-bucket.ts";
import { type Actor, openScene, type Scene, thrownBy } from "../support/s3-scene.ts";
import { collect, given, LEASED, HOLDER, ZONE } from "../support/state-world.ts";
import type { VirtualTime } from "../support/virtual-clock.ts";

const GONE = (): BucketFault => "lost";

describe("the lock in a bucket", () => {
  test("is renewed while its holder lives, so that no other run takes it", async () => {
    const { time, process } = openScene();
    const [holder, waiter] = [process(), process()];
    await time.until(holder.store.lock(ZONE, HOLDER, 0));
    const waiting = thrownBy(waiter.store.lock(ZONE, HOLDER, 10 * DEAD_AFTER_MILLISECONDS));
    const before = holder.writes.length;
    await time.pass(10 * RENEWAL_MILLISECONDS + 100);
    expect(holder.writes.length - before).toBe(10);
    expect(await time.until(waiting)).toBeInstanceOf(Locked);
  });

  test("of a dead holder is taken after a minute, not earlier", async () => {
    const { time, process } = openScene();
    const [holder, waiter] = [process(), process()];
    const dead = await time.until(holder.store.lock(ZONE, HOLDER, 0));
    holder.stop();
    const waiting = waiter.store.lock(ZONE, HOLDER, 75_000);
    await time.pass(DEAD_AFTER_MILLISECONDS - 1000);
    expect((await waiter.store.holding(ZONE))?.unlockId).toBe(dead.id);
    await time.pass(5000);
    expect((await time.until(waiting)).fence).toBe(dead.fence + 1);
  });

  test("of a holder that did not renew it for a minute counts as dead, and the next check says since when", async () => {
    const { time, process } = openScene();
    const [holder, other] = [process(), process()];
    await time.until(holder.store.lock(ZONE, HOLDER, 0));
    holder.stop();
    await time.pass(59_000);
    expect(await time.until(other.store.holding(ZONE))).toMatchObject({ isAlive: undefined });
    await time.pass(32_000);
    const found = await time.until(other.store.holding(ZONE));
    expect(found).toMatchObject({
      isAlive: false,
      renewal: { ageMilliseconds: 91_200, deadAfterMilliseconds: 60_000 },
    });
    expect(found && describeHolding(found, 0)).toContain("counts as dead, last renewed 91 s ago");
  });

  test("that was given back is free at once", async () => {
    const { time, process } = openScene();
    const [holder, waiter] = [process(), process()];
    const lease = await time.until(holder.store.lock(ZONE, HOLDER, 0));
    await lease.release();
    expect((await time.until(waiter.store.lock(ZONE, HOLDER, 0))).fence).toBe(lease.fence + 1);
  });

  test("is refused at once to a run that does not wait, if the holder renewed recently", async () => {
    const { time, process } = openScene();
    const [holder, hasty] = [process(), process()];
    await time.until(holder.store.lock(ZONE, HOLDER, 0));
    await time.pass(7000);
    const refused = await thrownBy(hasty.store.lock(ZONE, HOLDER, 0));
    expect(refused).toBeInstanceOf(Locked);
    expect(String(refused)).toContain(", last renewed 7 s ago) since ");
  });

  test("whose holder missed its renewal is watched for a minute, even by a run that does not wait", async () => {
    const { time, process } = openScene();
    const [holder, hasty] = [process(), process()];
    await time.until(holder.store.lock(ZONE, HOLDER, 0));
    holder.stop();
    await time.pass(RENEWAL_MILLISECONDS + 10_000);
    expect((await time.until(hasty.store.lock(ZONE, HOLDER, 0))).fence).toBe(2);
  });

  test("whose holder shows a sign of life after all is refused then", async () => {
    const { time, process } = openScene();
    const [holder, hasty] = [process(), process()];
    await time.until(holder.store.lock(ZONE, HOLDER, 0));
    holder.stop();
    await time.pass(RENEWAL_MILLISECONDS + 10_000);
    const waiting = thrownBy(hasty.store.lock(ZONE, HOLDER, 0));
    await time.pass(10_000);
    holder.goOn();
    expect(await time.until(waiting)).toBeInstanceOf(Locked);
  });
});

describe("a holder that slept", () => {
  async function slept(milliseconds: number): Promise<Scene & { sleeper: Actor; lease: Lease; other: Actor }> {
    const scene = openScene();
    const [sleeper, other] = [scene.process(), scene.process()];
    const lease = await scene.time.until(sleeper.store.lock(ZONE, HOLDER, 0));
    await sleeper.store.append(ZONE, lease, ["mine"]);
    sleeper.stop();
    await scene.time.pass(milliseconds);
    return { ...scene, sleeper, lease, other };
  }

  test("and was replaced writes nothing, and finds out before it sends anything", async () => {
    const { time, sleeper, lease, other } = await slept(TRUST_MILLISECONDS);
    const next = await time.until(other.store.lock(ZONE, HOLDER, 75_000));
    await other.store.append(ZONE, next, ["next"]);
    sleeper.goOn();
    const before = sleeper.writes.length;
    const { store } = sleeper;
    const late = [
      store.append(ZONE, lease, ["late"]),
      store.checkLease(ZONE, lease),
      store.write(ZONE, lease, undefined, given(["late"])),
      store.keep(ZONE, lease, "late", given(["late"])),
    ];
    for (const thrown of await time.until(Promise.all(late.map(thrownBy))))
      expect(thrown).toBeInstanceOf(StoreConflict);
    // It tried to renew, and nothing else.
    expect(new Set(sleeper.writes.slice(before))).toEqual(new Set([`replace edge/${ZONE}/head`]));
    expect(await collect((await other.store.view(ZONE)).journal())).toEqual(["mine", "next"]);
  });

  test("and was replaced a moment ago cannot append either, even if it did not check the time", async () => {
    const { time, sleeper, lease, other } = await slept(0);
    await other.store.unlock(ZONE, lease.id);
    const next = await time.until(other.store.lock(ZONE, HOLDER, 0));
    sleeper.goOn();
    expect(await thrownBy(sleeper.store.append(ZONE, lease, ["late"]))).toBeInstanceOf(StoreConflict);
    await other.store.append(ZONE, next, ["next"]);
    expect(await collect((await other.store.view(ZONE)).journal())).toEqual(["mine", "next"]);
  });

  test("and was not replaced continues", async () => {
    const { time, sleeper, lease } = await slept(10 * DEAD_AFTER_MILLISECONDS);
    sleeper.goOn();
    await time.until(sleeper.store.append(ZONE, lease, ["still mine"]));
    expect(await collect((await sleeper.store.view(ZONE)).journal())).toEqual(["mine", "still mine"]);
  });

  test("has its last append in the journal of the next holder, or fails", async () => {
    const { time, process, bucket } = openScene();
    const [dying, other] = [process(), process()];
    const lease = await time.until(dying.store.lock(ZONE, HOLDER, 0));
    await dying.store.append(ZONE, lease, ["one"]);
    // It arrives, the reply does not, and the process dies.
    dying.fail((operation) => (operation === "create" ? "lost-reply" : undefined));
    void dying.store.append(ZONE, lease, ["two"]).catch(() => undefined);
    await time.pass(0);
    dying.stop();
    const next = await time.until(other.store.lock(ZONE, HOLDER, 75_000));
    await other.store.append(ZONE, next, ["three"]);
    expect(await collect((await other.store.view(ZONE)).journal())).toEqual(["one", "two", "three"]);
    expect(bucket.keys().filter((key) => key.includes("/journal/"))).toHaveLength(4);
  });
});

describe("a holder that gave its lock back while the outcome of its last append is unknown", () => {
  test("leaves a journal that can be read, whenever the append arrives after all", async () => {
    for (const arrival of [0, 1, 2, 3]) {
      const { time, process } = openScene();
      const [first, next] = [process(), process()];
      const lease = await time.until(first.store.lock(ZONE, HOLDER, 0));
      await first.store.append(ZONE, lease, ["one"]);
      const late: (() => unknown)[] = [];
      first.hold((operation, act) => operation === "create" && late.push(act) > 0);
      expect(await time.until(thrownBy(first.store.append(ZONE, lease, ["late"])))).toBeInstanceOf(StateError);
      first.hold(undefined);
      expect(late.length).toBeGreaterThan(0);
      const arrive = (when: number): void => void (when === arrival && late.forEach((act) => act()));
      arrive(0);
      await time.until(lease.release());
      arrive(1);
      const following = await time.until(next.store.lock(ZONE, HOLDER, 0));
      arrive(2);
      await time.until(next.store.append(ZONE, following, ["two"]));
      arrive(3);
      await time.until(next.store.append(ZONE, following, ["three"]));
      expect(await collect((await next.store.view(ZONE)).journal()), `it arrived at moment ${arrival}`).toEqual(
        arrival < 2 ? ["one", "late", "two", "three"] : ["one", "two", "three"],
      );
    }
  });
});

describe("a holder whose server is unreachable", () => {
  test("gives up after the time for which its lock is trusted, and continues when the server is back", async () => {
    const { time, process } = openScene();
    const holder = process();
    const lease = await time.until(holder.store.lock(ZONE, HOLDER, 0));
    holder.fail(GONE);
    const refused = await time.until(thrownBy(holder.store.append(ZONE, lease, ["lost"])));
    expect(refused).toBeInstanceOf(StateError);
    expect(refused).toMatchObject({ diagnostic: { code: "state-unreachable" } });
    await time.pass(10 * DEAD_AFTER_MILLISECONDS);
    expect(await time.until(thrownBy(holder.store.checkLease(ZONE, lease)))).toMatchObject({
      diagnostic: { code: "state-unreachable" },
    });
    holder.fail(undefined);
    await time.until(holder.store.append(ZONE, lease, ["back"]));
    expect(await collect((await holder.store.view(ZONE)).journal())).toEqual(["back"]);
  });

  test("does not wait again for each of its writes once it has given up", async () => {
    const { time, process } = openScene();
    const holder = process();
    const lease = await time.until(holder.store.lock(ZONE, HOLDER, 0));
    holder.fail(GONE);
    await time.pass(TRUST_MILLISECONDS + 5000);
    // Nothing lets time pass here, so whatever waited would never end.
    for (const act of [
      () => holder.store.append(ZONE, lease, ["lost"]),
      () => holder.store.write(ZONE, lease, undefined, given(["lost"])),
      () => lease.release(),
    ])
      expect(await thrownBy(act())).toMatchObject({ diagnostic: { code: "state-unreachable" } });
  });

  test("whose replies are lost writes everything once", async () => {
    const { time, process } = openScene();
    const holder = process();
    const lease = await time.until(holder.store.lock(ZONE, HOLDER, 0));
    let count = 0;
    holder.fail((operation) => {
      count += 1;
      if (operation === "get" || operation === "remove" || count % 2 === 0) return undefined;
      return count % 4 === 1 ? "lost-reply" : "lost";
    });
    let version: string | undefined;
    for (let round = 0; round < 8; round += 1) {
      await time.until(holder.store.append(ZONE, lease, [`line ${round}`]));
      await time.until(holder.store.keep(ZONE, lease, `run-${round}`, given([`record ${round}`])));
      if (round % 3 === 2)
        version = await time.until(holder.store.write(ZONE, lease, version, given([`{"serial":${round}}`])));
    }
    expect(await collect((await holder.store.view(ZONE)).journal())).toEqual(["line 6", "line 7"]);
    expect((await holder.store.view(ZONE)).backups).toEqual([2]);
    expect((await holder.store.view(ZONE)).names).toHaveLength(8);
  });

  test("no longer renews its lock once its store is closed", async () => {
    const { time, process } = openScene();
    const holder = process();
    await time.until(holder.store.lock(ZONE, HOLDER, 0));
    await holder.close();
    const before = holder.writes.length;
    await time.pass(10 * RENEWAL_MILLISECONDS);
    expect(holder.writes).toHaveLength(before);
  });
});

describe("a run that waits for a lock", () => {
  const REASON = new Error("interrupted");

  const read = async ({ store }: Actor): Promise<unknown> => store.view(ZONE);
  const lockOnce = async ({ store }: Actor, time: VirtualTime): Promise<void> =>
    (await time.until(store.lock(ZONE, HOLDER, 0))).release();

  test.each<[string, RegExp, BucketFault, (actor: Actor, time: VirtualTime) => Promise<unknown>]>([
    ["while the server answers no question about conditions", /create/, "lost", read],
    ["while no question about conditions gets an answer", /create|replace|remove/, "silent", read],
    ["while the server does not say who has the lock", /get/, "lost", lockOnce],
    ["while the question who has the lock gets no answer", /get/, "silent", lockOnce],
    ["while the server does not give the lock", /replace/, "lost", lockOnce],
  ])("%s ends at once when interrupted", async (_when, gone, fault, prepare) => {
    const { time, process } = openScene();
    const actor = process();
    // It was reached before, so it is waited for.
    await prepare(actor, time);
    actor.fail((operation) => (gone.test(operation) ? fault : undefined));
    const stop = new AbortController();
    const waiting = thrownBy(actor.store.lock(ZONE, HOLDER, 600_000, stop.signal));
    let ended: unknown;
    void waiting.then((thrown) => (ended = thrown));
    await time.pass(3000);
    expect(ended).toBeUndefined();
    stop.abort(REASON);
    await time.pass(0);
    expect(ended).toBe(REASON);
  });
});

describe("an object that is no longer needed", () => {
  test("is removed after an hour, and no other object is", async () => {
    const { time, process, bucket } = openScene();
    const { store } = process();
    const lease = await time.until(store.lock(ZONE, HOLDER, 0));
    let version: string | undefined;
    // Too long for the head itself.
    const linesOf = (serial: number): readonly string[] => [JSON.stringify({ serial }), "x".repeat(3000)];
    for (let serial = 1; serial <= 10; serial += 1) {
      await store.append(ZONE, lease, [`line of ${serial}`]);
      version = await store.write(ZONE, lease, version, given(linesOf(serial)));
    }
    const stored = (): number => bucket.keys().filter((key) => key.includes("/bodies/")).length;
    expect(stored()).toBe(10);
    await time.pass(3_700_000);
    await store.write(ZONE, lease, version, given(linesOf(11)));
    // The state, five earlier ones, and the one that was replaced by this write as the oldest of them.
    expect(stored()).toBe(7);
    expect(bucket.keys().filter((key) => key.includes("/journal/"))).toEqual([]);
    for (const serial of (await store.view(ZONE)).backups)
      expect(await collect((await store.view(ZONE)).backup(serial))).toEqual(linesOf(serial));
  });

  test("an object that is missing in the middle of the journal is damage, not the end", async () => {
    const { time, process, bucket } = openScene();
    const { store } = process();
    const lease = await time.until(store.lock(ZONE, HOLDER, 0));
    for (const line of ["one", "two", "three"]) await store.append(ZONE, lease, [line]);
    await lease.release();
    bucket.tamper(bucket.keys().find((key) => key.endsWith("/journal/0-0/1")) ?? "", undefined);
    expect(await thrownBy(collect((await store.view(ZONE)).journal()))).toMatchObject({
      diagnostic: { code: "journal-damaged" },
    });
  });
});

describe("a zone that was only locked", () => {
  test("is not kept, even after another run took the lock of a dead one", async () => {
    const { time, process } = openScene();
    const [dying, other] = [process(), process()];
    await time.until(dying.store.lock(ZONE, HOLDER, 0));
    dying.stop();
    const next = await time.until(other.store.lock(ZONE, HOLDER, 75_000));
    expect(await other.store.zones()).toEqual([]);
    expect(projectsIn(await other.stores.kept())).toEqual([]);
    expect(await other.store.files(ZONE)).toEqual([]);
    await other.store.append(ZONE, next, ["a line"]);
    expect(await other.store.zones()).toEqual([ZONE]);
    expect(projectsIn(await other.stores.kept())).toEqual(["edge"]);
    expect((await other.store.files(ZONE)).map(({ role }) => role)).toEqual(["journal"]);
  });
});

describe("an object of a newer format", () => {
  async function newerThan(end: string): Promise<Actor> {
    const { time, process, bucket } = openScene();
    const actor = process();
    const lease = await time.until(actor.store.lock(ZONE, HOLDER, 0));
    await actor.store.observe(ZONE, ["seen"]);
    await actor.stores.claims.take({ project: "edge", zone: ZONE, things: [] }, LEASED);
    await lease.release();
    const key = bucket.keys().find((each) => each.endsWith(end)) ?? "";
    const text = Buffer.from(bucket.peek(key) ?? []).toString("utf8");
    bucket.tamper(key, Buffer.from(text.replace('"version":1', '"version":2')));
    expect(Buffer.from(bucket.peek(key) ?? []).toString("utf8")).toContain('"version":2');
    return actor;
  }

  test.each<[string, (actor: Actor) => Promise<unknown>]>([
    ["/head", ({ store }) => store.view(ZONE)],
    ["/head", ({ store }) => store.lock(ZONE, HOLDER, 0)],
    ["/seen", ({ store }) => collect(store.observations(ZONE))],
    ["_index", ({ store }) => store.zones()],
  ])("such as %s is no damage: it needs a newer zoneform", async (end, read) => {
    expect(await thrownBy(read(await newerThan(end)))).toMatchObject({
      diagnostic: { code: "state-newer", remedy: "use that version of zoneform or a later one" },
    });
  });
});

test("unreadable claims are damaged claims, not a damaged state", async () => {
  const { bucket, process } = openScene();
  const { stores } = process();
  for (const broken of ["{", '{"format":"zoneform-claims","version":1,"nonce":"n","claims":[{}]}']) {
    bucket.tamper("_claims", Buffer.from(broken));
    const wanted = { project: "edge", zone: ZONE, things: [] };
    for (const work of [stores.claims.list(), stores.claims.take(wanted, LEASED)])
      expect(await thrownBy(work)).toMatchObject({ diagnostic: { code: "claims-damaged" } });
  }
});

test("a journal of many lines is stored in objects of a limited size, however they were added", async () => {
  const { time, process, bucket } = openScene();
  const { store } = process();
  const lease = await time.until(store.lock(ZONE, HOLDER, 0));
  const lines = Array.from({ length: 100 }, (_none, number) => `${number} `.padEnd(50_000, "é"));
  await time.until(store.append(ZONE, lease, lines));
  const largest = (): number =>
    Math.max(...bucket.keys().map((key) => (key.includes("/journal/") ? (bucket.peek(key)?.length ?? 0) : 0)));
  expect(largest()).toBeLessThan(4.2 * 1024 * 1024);
  expect(await collect((await store.view(ZONE)).journal())).toEqual(lines);
  await time.until(store.rewriteJournal(ZONE, lease, given(lines)));
  expect(largest()).toBeLessThan(4.2 * 1024 * 1024);
  expect(await collect((await store.view(ZONE)).journal())).toEqual(lines);
});

test("the size of the observations is reported, wherever their lines are", async () => {
  const { time, process } = openScene();
  const { store } = process();
  await (await time.until(store.lock(ZONE, HOLDER, 0))).release();
  const sizes = async (): Promise<readonly number[]> =>
    (await store.files(ZONE)).flatMap(({ role, sizeBytes }) => (role === "observations" ? [sizeBytes] : []));
  expect(await sizes()).toEqual([]);
  await time.until(store.observe(ZONE, ["é".repeat(100_000)]));
  await time.until(store.observe(ZONE, ["ten bytes"]));
  expect(await sizes()).toEqual([200_011]);
  await time.until(store.observe(ZONE, ["é".repeat(100_000)]));
  expect(await sizes()).toEqual([400_012]);
});
