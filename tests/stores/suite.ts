import { createHash } from "node:crypto";
import { describe, expect, test, type TestContext } from "vitest";
import { realClock } from "../../lib/real/clock.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { type Lease, type StateStore } from "../../lib/state/store.ts";
import { Locked, StoreConflict } from "../../lib/state/store.ts";
import { StateError } from "../../lib/state/error.ts";
import { beginState, loadState, saveState } from "../../lib/state/load.ts";
import { openJournal } from "../../lib/state/open-journal.ts";
import { STORES_FULL } from "../support/full.ts";
import type { StoreProcess } from "../support/store-process.ts";
import {
  STOPPED_CLOCK,
  jumpingClock,
  addressOf,
  collect,
  given,
  HOLDER,
  hostname,
  plain,
  random,
  stateOf,
  ZONE,
} from "../support/state-world.ts";

/** A store under test. */
export interface StoreUnderTest {
  readonly store: StateStore;
  /** Another handle on the same states, like another process. */
  readonly other: StateStore;
  /** One more handle, perhaps with a clock of its own. */
  readonly open: (clock?: Clock) => StateStore;
  /** A real process that uses the same states; absent if another process cannot see them. */
  readonly start?: () => StoreProcess;
  /** Ends the journal with the beginning of a line, like a crash; absent if a store cannot be left so. */
  readonly tearJournal?: () => Promise<void>;
}

const [RACERS, WRITERS] = [16, 8];
const [RACES_FULL, COUNTS_FULL] = [1000, 1000];
const SIZES = STORES_FULL ? [0, 1, 1024 ** 2, 34_000_000] : [0, 1, 1024 ** 2];
/** Of a large snapshot in short lines: what a million hostnames take. */
const LARGE_BYTES = STORES_FULL ? 346_000_000 : 1_000_000;
/** Only ends what hangs: 8,000 turns take their time. */
const MOST_MILLISECONDS = 3_600_000;
const YEAR_MILLISECONDS = 365 * 86_400_000;

/**
 * What every store promises. Runs for each of them. With the large counts, a store whose lock takes many requests is
 * asked only for a share of the races.
 */
export function describeStore(name: string, make: () => Promise<StoreUnderTest>, share = 1): void {
  const races = STORES_FULL ? RACES_FULL * share : 8;
  const counts = STORES_FULL ? COUNTS_FULL * share : 4;

  describe(`${name}: snapshots`, () => {
    test("a zone that was never written has no snapshot and no journal", async () => {
      const { store } = await make();
      expect(await store.read(ZONE)).toBeUndefined();
      expect(await collect(store.journal(ZONE))).toEqual([]);
    });

    test("what was written is read back, line for line, under the version that the write returned", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const lines = ["first", "zweite Zeile: ä€😀", "", "last"];
      const version = await store.write(ZONE, lease, undefined, given(lines));
      const stored = await other.read(ZONE);
      expect(stored?.version).toBe(version);
      expect(stored && (await collect(stored.lines))).toEqual(lines);
    });

    test("a write over a snapshot that was not read is refused and changes nothing", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const first = await store.write(ZONE, lease, undefined, given(["one"]));
      const second = await store.write(ZONE, lease, first, given(["two"]));
      await expect(store.write(ZONE, lease, first, given(["three"]))).rejects.toThrow(StoreConflict);
      await expect(store.write(ZONE, lease, undefined, given(["three"]))).rejects.toThrow(StoreConflict);
      expect((await store.read(ZONE))?.version).toBe(second);
    });

    test("a write over a missing snapshot is refused", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(store.write(ZONE, lease, "0".repeat(64), given(["one"]))).rejects.toThrow(StoreConflict);
      expect(await store.read(ZONE)).toBeUndefined();
    });

    test("a snapshot of no lines is a snapshot, and no state", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.write(ZONE, lease, undefined, given([]));
      await expect(loadState(store, ZONE)).rejects.toThrow("the state is damaged: it is empty");
    });

    test("there is no backup of a snapshot that was never replaced", async () => {
      const { store } = await make();
      expect(await store.backups(ZONE)).toEqual([]);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.write(ZONE, lease, undefined, given(["one"]));
      expect(await store.backups(ZONE)).toEqual([]);
    });

    test("a stream of lines that fails leaves the old snapshot", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const version = await store.write(ZONE, lease, undefined, given(["one"]));
      await expect(store.write(ZONE, lease, version, failing())).rejects.toThrow("the source failed");
      expect((await store.read(ZONE))?.version).toBe(version);
    });
  });

  describe(`${name}: journal`, () => {
    test("appended lines are read in order, by everybody", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["a", "b"]);
      await store.append(ZONE, lease, ["c"]);
      expect(await collect(other.journal(ZONE))).toEqual(["a", "b", "c"]);
    });

    test("a write of the snapshot empties the journal, and the next append starts a new one", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["old"]);
      await store.write(ZONE, lease, undefined, given(["snapshot"]));
      expect(await collect(store.journal(ZONE))).toEqual([]);
      await store.append(ZONE, lease, ["new"]);
      expect(await collect(store.journal(ZONE))).toEqual(["new"]);
    });

    test("a line that a crash cut off is omitted, and the next append does not continue it", async (context) => {
      const { store, other, tearJournal } = await make();
      if (!tearJournal) {
        context.skip("this store cannot be left with a part of a line");
        return;
      }
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["whole"]);
      await tearJournal();
      expect(await collect(store.journal(ZONE))).toEqual(["whole"]);
      await other.append(ZONE, lease, ["after"]);
      expect(await collect(store.journal(ZONE))).toEqual(["whole", "after"]);
    });
  });

  describe(`${name}: the record of hostnames`, () => {
    const sorted = async (store: StateStore): Promise<readonly string[]> =>
      [...new Set(await collect(store.observations(ZONE)))].sort();

    test("is refused where nothing can be recorded, and then stays empty", async (context) => {
      const { store } = await make();
      if (!store.recordsNothing) context.skip("this store records");
      await store.observe(ZONE, []);
      await expect(store.observe(ZONE, ["seen"])).rejects.toThrow(StateError);
      await store.condense(ZONE, (lines) => lines);
      expect(await sorted(store)).toEqual([]);
    });

    /** Skips a test of what a store that records nothing cannot do. */
    const recording = async (context: TestContext): Promise<StoreUnderTest> => {
      const made = await make();
      if (made.store.recordsNothing) context.skip("this store records nothing");
      return made;
    };

    test("is empty at first, and then has what anybody added, without a lock", async (context) => {
      const { store, other } = await recording(context);
      expect(await collect(store.observations(ZONE))).toEqual([]);
      await store.lock(ZONE, HOLDER, 0);
      await other.observe(ZONE, ["one", "zwei ä€😀"]);
      await store.observe(ZONE, []);
      await store.observe(ZONE, ["three"]);
      expect(await sorted(other)).toEqual(["one", "three", "zwei ä€😀"]);
    });

    test("is no part of the snapshot, the journal or the records", async (context) => {
      const { store } = await recording(context);
      await store.observe(ZONE, ["seen"]);
      expect(await store.read(ZONE)).toBeUndefined();
      expect(await collect(store.journal(ZONE))).toEqual([]);
      expect(await store.names(ZONE)).toEqual([]);
    });

    test("outlives a new snapshot", async (context) => {
      const { store } = await recording(context);
      await store.observe(ZONE, ["seen"]);
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.write(ZONE, lease, undefined, given(["snapshot"]));
      expect(await sorted(store)).toEqual(["seen"]);
    });

    test("is condensed to what is to be kept; what others add meanwhile stays", async (context) => {
      const { store, other } = await recording(context);
      await store.observe(ZONE, ["a", "b", "c"]);
      await store.condense(ZONE, async function* (lines) {
        for await (const line of lines) {
          // Somebody who started before, and somebody who starts now.
          await other.observe(ZONE, [`beside ${line}`]);
          if (line !== "b") yield line;
        }
      });
      expect(await sorted(store)).toEqual(["a", "beside a", "beside b", "beside c", "c"]);
      await other.condense(ZONE, async function* () {
        yield "only this";
      });
      expect(await sorted(store)).toEqual(["only this"]);
    });

    test("loses nothing if several add and condense at once", async (context) => {
      const { store, other } = await recording(context);
      const everything = async function* (lines: AsyncIterable<string>): AsyncIterable<string> {
        yield* lines;
      };
      const added: string[] = [];
      const rounds = [store, other, store, other].map(async (each, who) => {
        for (let round = 0; round < 12; round += 1) {
          const lines = [`${who} ${round} first`, `${who} ${round} second`];
          await each.observe(ZONE, lines);
          added.push(...lines);
          if (round % 3 === who % 3) await each.condense(ZONE, everything);
        }
      });
      await Promise.all(rounds);
      expect(await sorted(store)).toEqual([...added].sort());
    });
  });

  describe(`${name}: records beside the state`, () => {
    test("a zone without kept records has no names and no record", async () => {
      const { store } = await make();
      expect(await store.names(ZONE)).toEqual([]);
      expect(await store.kept(ZONE, "run-1")).toBeUndefined();
    });

    test("a kept record is read back, by everybody, line for line", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const lines = ["first", "zweite Zeile: ä€😀", "", "last"];
      await store.keep(ZONE, lease, "run-2", given(lines));
      await store.keep(ZONE, lease, "run-1", given([]));
      expect(await other.names(ZONE)).toEqual(["run-1", "run-2"]);
      expect(await keptIn(other, "run-2")).toEqual(lines);
      expect(await keptIn(other, "run-1")).toEqual([]);
    });

    test("a record of the same name is replaced, and one whose stream fails leaves the old one", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.keep(ZONE, lease, "run-1", given(["old"]));
      await store.keep(ZONE, lease, "run-1", given(["new"]));
      await expect(store.keep(ZONE, lease, "run-1", failing())).rejects.toThrow("the source failed");
      expect(await store.names(ZONE)).toEqual(["run-1"]);
      expect(await keptIn(store, "run-1")).toEqual(["new"]);
    });

    test("discarding twice is discarding once, and touches nothing else", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.keep(ZONE, lease, "run-1", given(["one"]));
      await store.keep(ZONE, lease, "run-11", given(["eleven"]));
      await store.discard(ZONE, lease, "run-1");
      await store.discard(ZONE, lease, "run-1");
      expect(await store.names(ZONE)).toEqual(["run-11"]);
    });

    test("records outlive snapshots and journals, and are neither", async () => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["journal"]);
      await store.keep(ZONE, lease, "run-1", given(["record"]));
      expect(await collect(store.journal(ZONE))).toEqual(["journal"]);
      expect(await store.read(ZONE)).toBeUndefined();
      await store.write(ZONE, lease, undefined, given(["snapshot"]));
      expect(await keptIn(store, "run-1")).toEqual(["record"]);
    });

    test("an older fence may not keep or discard anything", async () => {
      const { store, other } = await make();
      const stale = await store.lock(ZONE, HOLDER, 0);
      await store.keep(ZONE, stale, "run-1", given(["mine"]));
      await other.unlock(ZONE, stale.id);
      await other.lock(ZONE, HOLDER, 0);
      await expect(store.keep(ZONE, stale, "run-1", given(["too late"]))).rejects.toThrow(StoreConflict);
      await expect(store.discard(ZONE, stale, "run-1")).rejects.toThrow(StoreConflict);
      expect(await keptIn(other, "run-1")).toEqual(["mine"]);
    });

    test.each(["", "../state", "Run", "a.b", "a/b"])("a record is never called %j", async (bad) => {
      const { store } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(store.keep(ZONE, lease, bad, given(["x"]))).rejects.toThrow(RangeError);
      await expect(store.kept(ZONE, bad)).rejects.toThrow(RangeError);
    });
  });

  describe(`${name}: lock`, () => {
    test("anybody can ask who holds it, and gets the id that frees it", async () => {
      const { store, other } = await make();
      expect(await other.holding(ZONE)).toBeUndefined();
      const lease = await store.lock(ZONE, HOLDER, 0);
      expect(await other.holding(ZONE)).toMatchObject({ unlockId: lease.id, holder: { ...HOLDER, id: lease.id } });
      await lease.release();
      expect(await other.holding(ZONE)).toBeUndefined();
    });

    test("there is one holder at a time, and others are told who it is", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const refused = await other.lock(ZONE, HOLDER, 0).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Locked);
      expect(refused).toMatchObject({ holder: { ...HOLDER, id: lease.id } });
    });

    test("a released lock is free, with a higher fence", async () => {
      const { store, other } = await make();
      const first = await store.lock(ZONE, HOLDER, 0);
      await first.release();
      await first.release();
      const second = await other.lock(ZONE, HOLDER, 0);
      expect(second.fence).toBeGreaterThan(first.fence);
    });

    test("a process that waits long enough gets it", async () => {
      const { store, other } = await make();
      const first = await store.lock(ZONE, HOLDER, 0);
      const second = other.lock(ZONE, HOLDER, 60_000);
      await first.release();
      expect((await second).fence).toBeGreaterThan(first.fence);
    });

    test("waiting can be interrupted", async () => {
      const { store, other } = await make();
      await store.lock(ZONE, HOLDER, 0);
      const signal = AbortSignal.abort(new Error("interrupted"));
      await expect(other.lock(ZONE, HOLDER, 60_000, signal)).rejects.toThrow();
    });

    test("an older fence may write nothing once a newer one was given out", async () => {
      const { store, other } = await make();
      const stale = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, stale, ["mine"]);
      await other.unlock(ZONE, stale.id);
      await other.lock(ZONE, HOLDER, 0);
      await expect(store.append(ZONE, stale, ["too late"])).rejects.toThrow(StoreConflict);
      await expect(store.write(ZONE, stale, undefined, given(["too late"]))).rejects.toThrow(StoreConflict);
      expect(await collect(store.journal(ZONE))).toEqual(["mine"]);
      expect(await store.read(ZONE)).toBeUndefined();
    });

    test("unlocking needs the exact id", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      await expect(other.unlock(ZONE, lease.id.slice(0, -1))).rejects.toThrow();
      await expect(other.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
      await other.unlock(ZONE, lease.id);
      await expect(other.lock(ZONE, HOLDER, 0)).resolves.toBeDefined();
    });
  });

  describe(`${name}: several at once`, () => {
    test(`of ${RACERS} that want the lock at the same moment one gets it`, async () => {
      const { open } = await make();
      const racers = Array.from({ length: RACERS }, () => open());
      for (let round = 0; round < races; round += 1) {
        const tries = await Promise.all(racers.map((racer) => tryLock(racer)));
        const winners = tries.flatMap((found) => (found instanceof Locked ? [] : [found]));
        expect(winners).toHaveLength(1);
        for (const winner of winners) await winner.release();
      }
    });

    test(
      `${WRITERS} writers that each add one ${counts} times count to ${WRITERS * counts}`,
      async () => {
        const { open, start, store } = await make();
        const count = { zone: ZONE, holder: { ...HOLDER }, times: counts };
        await Promise.all(
          Array.from({ length: WRITERS }, async () => {
            if (start) expect(await start().ask("count", count)).toEqual({ value: null });
            else await countIn(open(), counts);
          }),
        );
        expect(await numberIn(store)).toBe(WRITERS * counts);
      },
      MOST_MILLISECONDS,
    );

    test("holders whose clocks are a year apart exclude each other like all others", async () => {
      const { open } = await make();
      const [early, late] = [open(shifted(-YEAR_MILLISECONDS)), open(shifted(YEAR_MILLISECONDS))];
      for (const [first, second] of [
        [early, late],
        [late, early],
      ] as const) {
        const lease = await first.lock(ZONE, HOLDER, 0);
        await expect(second.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
        const waiting = second.lock(ZONE, HOLDER, 600_000);
        await lease.release();
        const next = await waiting;
        expect(next.fence).toBeGreaterThan(lease.fence);
        await expect(first.append(ZONE, lease, ["late"])).rejects.toThrow(StoreConflict);
        await next.release();
      }
    });
  });

  describe(`${name}: a holder that dies or sleeps`, () => {
    test("a killed one frees the lock, and what it appended stays", async (context) => {
      const { start, store } = await make();
      if (!start) {
        context.skip("no other process can see this store");
        return;
      }
      const holder = start();
      const { value } = await holder.ask("lock", { zone: ZONE, holder: { ...HOLDER }, waitMilliseconds: 0 });
      await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
      await holder.ask("append", { zone: ZONE, lines: ["mine"] });
      await holder.kill();
      const lease = await store.lock(ZONE, HOLDER, 600_000);
      expect(value).toMatchObject({ fence: lease.fence - 1 });
      await store.append(ZONE, lease, ["next"]);
      expect(await collect(store.journal(ZONE))).toEqual(["mine", "next"]);
    });

    test("a sleeping one keeps the lock until somebody frees it; when it wakes up it may write nothing", async (context) => {
      const { start, store, other } = await make();
      if (!start) {
        context.skip("no other process can see this store");
        return;
      }
      const holder = start();
      const { value } = await holder.ask("lock", { zone: ZONE, holder: { ...HOLDER }, waitMilliseconds: 0 });
      await holder.ask("append", { zone: ZONE, lines: ["mine"] });
      holder.stop();
      await expect(store.lock(ZONE, HOLDER, 0)).rejects.toThrow(Locked);
      const holding = await other.holding(ZONE);
      expect(value).toMatchObject({ id: holding?.unlockId });
      await other.unlock(ZONE, holding?.unlockId ?? "");
      const lease = await store.lock(ZONE, HOLDER, 0);
      await store.append(ZONE, lease, ["next"]);
      holder.goOn();
      expect(await holder.ask("append", { zone: ZONE, lines: ["late"] })).toMatchObject({ error: "StoreConflict" });
      expect(await collect(store.journal(ZONE))).toEqual(["mine", "next"]);
    });
  });

  describe(`${name}: sizes`, () => {
    test.each(SIZES)("a line of %i characters, and as many in short lines, come back as they were", async (size) => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const short = Array.from({ length: Math.ceil(size / 100) }, (_, index) => `${index}`.padEnd(99, "x"));
      const lines = ["x".repeat(size), ...short];
      await store.write(ZONE, lease, undefined, given(lines));
      await store.append(ZONE, lease, lines);
      await store.keep(ZONE, lease, "run-1", given(lines));
      const stored = await other.read(ZONE);
      expect(isSame(stored ? await collect(stored.lines) : [], lines)).toBe(true);
      expect(isSame(await collect(other.journal(ZONE)), lines)).toBe(true);
      expect(isSame(await keptIn(other, "run-1"), lines)).toBe(true);
    });
  });

  test(`${name}: a snapshot of ${LARGE_BYTES} characters in short lines goes in and out as a stream`, async () => {
    const { store, other } = await make();
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.write(ZONE, lease, undefined, shortLines(LARGE_BYTES));
    const stored = await other.read(ZONE);
    expect(stored && (await digestOf(stored.lines))).toEqual(await digestOf(shortLines(LARGE_BYTES)));
  });

  describe(`${name}: a state`, () => {
    test("what a run saved is what the next one loads", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const saved = await saveState(store, lease, undefined, stateOf(1000));
      const loaded = await loadState(other, ZONE);
      expect(loaded?.version).toBe(saved.version);
      expect(loaded && plain(loaded.state)).toEqual(plain(stateOf(1000, { serial: 4 })));
    });

    test("a killed run is continued: what is done is known, what is unfinished is pending", async () => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const begun = await beginState(store, lease, { id: ZONE, name: "saas.eu" }, random);
      const journal = await openJournal(store, ZONE, lease, {
        clock: { ...STOPPED_CLOCK, now: jumpingClock().now },
        run: "run-1",
        state: begun.state,
      });
      await journal.intend({ address: addressOf(1), action: "create", object: hostname(1) });
      journal.done({ address: addressOf(1), action: "create", object: hostname(1) });
      await journal.intend({ address: addressOf(2), action: "create", object: hostname(2) });
      const loaded = await loadState(other, ZONE);
      expect(loaded?.state.lineage).toBe(begun.state.lineage);
      expect(loaded && Object.fromEntries(loaded.state.objects)).toEqual({
        [addressOf(1)]: hostname(1),
        [addressOf(2)]: { ...hostname(2), id: "", pending: "create", since: "2026-03-01T12:00:00.000Z" },
      });
      await other.unlock(ZONE, lease.id);
      const next = await beginState(other, await other.lock(ZONE, HOLDER, 0), { id: ZONE, name: "saas.eu" }, random);
      expect(next.state.objects).toEqual(loaded?.state.objects);
      expect(await collect(other.journal(ZONE))).toEqual([]);
    });

    test("its place has a name for messages", async () => {
      const { store } = await make();
      expect(store.describe(ZONE)).toContain(ZONE);
      expect(store.describe(ZONE, "journal")).not.toBe(store.describe(ZONE));
    });
  });
}

async function keptIn(store: StateStore, name: string): Promise<readonly string[]> {
  const lines = await store.kept(ZONE, name);
  return lines ? collect(lines) : ["there is no such record"];
}

async function tryLock(store: StateStore): Promise<Lease | Locked> {
  try {
    return await store.lock(ZONE, HOLDER, 0);
  } catch (thrown) {
    if (thrown instanceof Locked) return thrown;
    throw thrown;
  }
}

async function countIn(store: StateStore, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const lease = await store.lock(ZONE, HOLDER, 600_000);
    const found = await store.read(ZONE);
    await store.write(ZONE, lease, found?.version, given([String((await numberIn(store)) + 1)]));
    await lease.release();
  }
}

async function numberIn(store: StateStore): Promise<number> {
  const found = await store.read(ZONE);
  return found ? Number((await collect(found.lines))[0]) : 0;
}

function shifted(byMilliseconds: number): Clock {
  return { ...realClock, now: () => realClock.now() + byMilliseconds };
}

async function* shortLines(characters: number): AsyncIterable<string> {
  for (let index = 0; index < characters / 100; index += 1) yield `${index}`.padEnd(99, "x");
}

async function digestOf(lines: AsyncIterable<string>): Promise<string> {
  const hash = createHash("sha256");
  for await (const line of lines) hash.update(line).update("\n");
  return hash.digest("hex");
}

/** Not by `toEqual`: a difference of megabytes helps nobody. */
function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}

async function* failing(): AsyncIterable<string> {
  yield "two";
  throw new Error("the source failed");
}
