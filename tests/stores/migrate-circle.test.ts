import { describe, expect, test } from "vitest";
import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { Secret } from "../../lib/core/secret.ts";
import { disk } from "../../lib/real/disk.ts";
import { httpStores } from "../../lib/state/engines/http/engine.ts";
import { StateError } from "../../lib/state/error.ts";
import { loadState } from "../../lib/state/load.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import type { Migration } from "../../lib/state/upkeep/migrate.ts";
import { markOf, refusingMoved } from "../../lib/state/zone/marks.ts";
import { bucketStores } from "../../lib/state/engines/s3/engine.ts";
import { sealedStores } from "../../lib/state/zone/sealing/engine.ts";
import { type Lease, Locked } from "../../lib/state/lock.ts";
import { type StateStores, zoneStores } from "../../lib/state/stores.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { temporaryFolder } from "../support/disk.ts";
import { inFull } from "../support/full.ts";
import { modelTransport, stateModel } from "../support/http-state-model.ts";
import { memoryBucket } from "../support/memory-bucket.ts";
import { moveStates } from "../support/moving-states.ts";
import {
  clocksOf,
  LEASED,
  HOLDER,
  jumpingClock,
  processOf,
  random,
  stateOf,
  steadyAs,
  ZONE,
} from "../support/state-world.ts";
import { contentOf } from "../support/store-content.ts";
import { past } from "../support/zone-history.ts";
import { changedStore } from "../support/changed-store.ts";

const PROJECT = "edge";
const NEXT = zoneId("f".repeat(32));
const FIRST_RUN = 1000;
const NEXT_RUN = 2000;
const DEAD = new Set([FIRST_RUN]);
/** Longer than any engine takes to replace a dead holder. */
const PATIENT_MILLISECONDS = 120_000;
/** Far more than a move needs; a test that reaches it would never end. */
const MOST_STEPS = 200;

/** A process that uses a place. */
interface User {
  readonly stores: StateStores;
  /** Ends it like kill -9. */
  readonly die: () => void | Promise<void>;
}

/** A place of states, which each process opens for itself. */
type Place = (pid: number) => User;

async function folder(): Promise<Place> {
  const root = await temporaryFolder();
  return folderAt(root);
}

function folderAt(root: string): Place {
  return (pid) => {
    const options = { identity: processOf(pid, DEAD), ...clocksOf(jumpingClock()), random };
    return { stores: localStores(disk("refuse"), root, options), die: () => undefined };
  };
}

async function database(): Promise<Place> {
  const shared = memory();
  const user = { clock: jumpingClock(), random };
  return () => {
    const stores = zoneStores(shared.open(user), user);
    return { stores, die: () => stores.close() };
  };
}

async function bucket(): Promise<Place> {
  const clock: Clock = jumpingClock();
  const objects = memoryBucket(() => clock.now());
  // Nobody renews anything: no time passes but that of those who wait.
  const steady = { ...clock, rest: () => new Promise<never>(() => undefined) };
  return () => {
    const stores = bucketStores(objects.open(), "", "s3://states", { clock, steady, random });
    return { stores, die: () => stores.close() };
  };
}

async function httpServer(): Promise<Place> {
  const model = stateModel("gitlab");
  const address = "https://states.example/api/v4/projects/1/terraform/state";
  const connect = (): ReturnType<typeof modelTransport> => modelTransport(model);
  return () => {
    const clock = jumpingClock();
    const stores = httpStores(address, { env: {}, clock, steady: steadyAs(clock), random, connect });
    return { stores, die: () => undefined };
  };
}

const WORLD = { ...clocksOf(jumpingClock()), random };

const SEALING = {
  passphrase: new Secret("a passphrase that is long enough"),
  acceptsPlain: false,
  random,
  keyOf: async () => Buffer.alloc(32, 7),
};

/** Opens a place, perhaps encrypted. */
function openAt(place: Place, pid: number, isSealed: boolean): User {
  const user = place(pid);
  return isSealed ? { ...user, stores: sealedStores(user.stores, SEALING) } : user;
}

/** A state with earlier copies, a record, claims and the journal of a run that stopped. */
async function fill({ stores }: User, zone = ZONE): Promise<object> {
  const store = stores.of(PROJECT);
  const begun = stateOf(3, { zone: { id: zone, name: `${zone}.net` } });
  const killed = { run: "run-1", left: { create: [5] } };
  await past(store, [{ saved: begun }, { saved: "again" }, { saved: "again" }, killed], zone);
  await stores.claims.take({ project: PROJECT, zone, things: [{ kind: "total_tls" }] }, LEASED);
  return contentOf(store, zone);
}

function migrationOf(from: User, to: User, step: () => void = () => undefined): Migration {
  const placeOf = ({ stores }: User, mark = markOf(stores, PROJECT, WORLD)): Migration["from"] => ({
    store: stepping(stores.of(PROJECT), step),
    mark: { ...mark, change: (change, held) => around(step, () => mark.change(change, held)) },
    claims: {
      ...stores.claims,
      take: async (wanted, held) => around(step, () => stores.claims.take(wanted, held)),
      release: async (project, zone, held) => around(step, () => stores.claims.release(project, zone, held)),
    },
    name: stores.describe(),
  });
  return { project: PROJECT, from: placeOf(from), to: placeOf(to) };
}

/** Takes a step before and after a call that changes something: at each of them the process may die. */
async function around<T>(step: () => void, act: () => Promise<T>): Promise<T> {
  step();
  const result = await act();
  step();
  return result;
}

function stepping(store: ProjectStore, step: () => void): ProjectStore {
  return changedStore(store, {
    write: (zone, lease, expected, lines, beside) =>
      around(step, () => store.write(zone, lease, expected, lines, beside)),
    keep: (zone, lease, name, lines, discard) => around(step, () => store.keep(zone, lease, name, lines, discard)),
    addBackup: (zone, lease, serial, lines) => around(step, () => store.addBackup(zone, lease, serial, lines)),
    retire: (zone, lease) => around(step, () => store.retire(zone, lease)),
    discardCopy: (zone, lease, name) => around(step, () => store.discardCopy(zone, lease, name)),
    rewriteJournal: (zone, lease, lines) => around(step, () => store.rewriteJournal(zone, lease, lines)),
    observe: (zone, lines) => around(step, () => store.observe(zone, lines)),
  });
}

/** Takes the lock; where a dead process holds it for good, as a person does who read the message. */
async function lockOf(store: ProjectStore, zone: ZoneId): Promise<Lease> {
  try {
    return await store.lock(zone, HOLDER, PATIENT_MILLISECONDS);
  } catch (thrown) {
    if (!(thrown instanceof Locked)) throw thrown;
    await store.unlock(zone, thrown.holding.holder?.id ?? "");
    return store.lock(zone, HOLDER, 0);
  }
}

async function move(migration: Migration): Promise<void> {
  await moveStates(migration, lockOf);
}

describe.each([
  ["plain", false],
  ["encrypted", true],
] as const)("states that move on, %s,", (_name, isSealed) => {
  test("from a folder to a database, a bucket, an HTTP server and back are what they were, and count once", async () => {
    const places = [await folder(), await database(), await bucket(), await httpServer()];
    const [first] = places;
    const content = await fill(openAt(first ?? failed(), NEXT_RUN, isSealed));
    for (const [index, place] of places.entries()) {
      const next = places[(index + 1) % places.length] ?? failed();
      const [from, to] = [openAt(place, NEXT_RUN, isSealed), openAt(next, NEXT_RUN, isSealed)];
      await move(migrationOf(from, to));
      expect(await contentOf(to.stores.of(PROJECT))).toEqual(content);
      expect(await from.stores.claims.list()).toEqual([]);
      expect(await to.stores.claims.list()).toMatchObject([{ project: PROJECT, zone: ZONE, kind: "total_tls" }]);
      await expect(loadState(refusingMoved(from.stores, WORLD).of(PROJECT), ZONE)).rejects.toMatchObject({
        diagnostic: { code: "state-moved" },
      });
    }
  });
});

const MAKERS = {
  "a folder": folder,
  "a database": database,
  "a bucket": bucket,
  "an HTTP server": httpServer,
} as const;

const WAYS = [
  ["a folder", "a database"],
  ["a database", "a bucket"],
  ["a bucket", "an HTTP server"],
  ["an HTTP server", "a folder"],
] as const;

describe.each([false, true])("a move whose process is killed at any step (encrypted: %s)", (isSealed) => {
  test.each(WAYS)("from %s to %s loses nothing, and the next one completes it", async (oldPlace, newPlace) => {
    const seen = new Set<string>();
    let dieAt = 1;
    for (; dieAt < MOST_STEPS; dieAt += inFull(1, 3)) {
      const [from, to] = [await MAKERS[oldPlace](), await MAKERS[newPlace]()];
      const user = openAt(from, FIRST_RUN, isSealed);
      const contents = [await fill(user), await fill(user, NEXT)];
      const dying = [openAt(from, FIRST_RUN, isSealed), openAt(to, FIRST_RUN, isSealed)] as const;
      let steps = 0;
      const killed = new Error("killed");
      const step = (): void => {
        steps += 1;
        if (steps >= dieAt) throw killed;
      };
      const ended = await move(migrationOf(...dying, step)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (ended === undefined) break;
      expect(ended).toBe(killed);
      for (const { die } of dying) await die();
      const next = [openAt(from, NEXT_RUN, isSealed), openAt(to, NEXT_RUN, isSealed)] as const;
      const counting = await countingOf(next, contents);
      for (const found of counting) seen.add(found);
      // The first zone goes first, and is complete before the next one is begun.
      expect(["old old", "none old", "new old", "new none", "new new"], `step ${dieAt}`).toContain(counting.join(" "));
      const store = next[1].stores.of(PROJECT);
      await move(migrationOf(...next));
      expect([await contentOf(store), await contentOf(store, NEXT)], `step ${dieAt}`).toEqual(contents);
      expect(await next[0].stores.claims.list()).toEqual([]);
      expect(await next[1].stores.claims.list()).toHaveLength(2);
    }
    expect([...seen].sort()).toEqual(["new", "none", "old"]);
    expect(dieAt).toBeLessThan(MOST_STEPS);
    expect(dieAt).toBeGreaterThan(10);
  });
});

/** At which place each zone counts, whole: a command at the other one is told where the states are, or what to run. */
async function countingOf([from, to]: readonly [User, User], contents: readonly object[]): Promise<readonly string[]> {
  const counting: string[] = [];
  for (const [index, zone] of [ZONE, NEXT].entries()) {
    const places: string[] = [];
    for (const [name, { stores }] of [["old", from] as const, ["new", to] as const]) {
      const store = refusingMoved(stores, WORLD).of(PROJECT);
      const loaded = await loadState(store, zone).catch((thrown: unknown) => thrown);
      const refusal = { diagnostic: { code: name === "old" ? "state-moved" : "state-arriving" } };
      if (loaded instanceof StateError) expect(loaded).toMatchObject(refusal);
      else if (loaded !== undefined) {
        places.push(name);
        expect(await contentOf(stores.of(PROJECT), zone)).toEqual(contents[index]);
      }
    }
    expect(places.length).toBeLessThan(2);
    counting.push(places[0] ?? "none");
  }
  return counting;
}

function failed(): never {
  throw new Error("there is no such place");
}
