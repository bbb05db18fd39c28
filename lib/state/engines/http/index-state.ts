import { problem } from "../../../core/diagnostic.ts";
import {
  type Backoff,
  type Clock,
  elapsedSince,
  type Moment,
  momentOf,
  type Random,
  type SteadyClock,
} from "../../../core/clock.ts";
import { isHexId, zoneId } from "../../../core/brand.ts";
import { objects, text } from "../../../core/decode.ts";
import type { JsonObject } from "../../../core/json.ts";
import { turns } from "../../../core/lists.ts";
import type { ZoneKey } from "../../engine.ts";
import { StateError } from "../../error.ts";
import { describeHolding, type LockHolder, StoreConflict } from "../../lock.ts";
import { decodeStored, encodeStored, readWhole, type Stored } from "./document.ts";
import { unreachable } from "./failure.ts";
import { infoOf, unlockInfo } from "./protocol.ts";
import { waitTurn } from "../waiting.ts";
import type { StateServer } from "./server.ts";

/** What the protocol cannot list: the zones that have a state, and the shared texts by name. */
export interface Index {
  readonly zones: readonly ZoneKey[];
  readonly texts: ReadonlyMap<string, { readonly text: string; readonly tag: string }>;
}

/** The list, kept in a state of its own with its own lock. */
export interface IndexState {
  read(): Promise<Index>;
  /** Replaces the list by the result of `change`; undefined changes nothing. Throws `StateError`. */
  change(change: (index: Index) => Index | undefined, signal?: AbortSignal): Promise<void>;
}

/** What `indexState` needs: the server, the state that holds the list, two clocks and randomness. */
export interface IndexWorld {
  readonly server: StateServer;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly name: string;
  readonly where: string;
}

/** A process that changes the list finishes or gives up within this time. */
const CHANGE_MILLISECONDS = 30_000;

/** If one holder keeps the lock this long, by the steady clock of the waiting process, its process is dead. */
const DEAD_MILLISECONDS = 90_000;

/** How long to wait in all. */
const PATIENCE_MILLISECONDS = 300_000;

const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 1000 };

const EMPTY: Index = { zones: [], texts: new Map() };

/** Opens the list; reads it on first use. */
export function indexState({ server, clock, steady, random, name, where }: IndexWorld): IndexState {
  /** Calls within this process take turns, so they never compete for the lock. */
  const inTurn = turns();

  async function stored(): Promise<Stored<Index> | undefined> {
    const body = await server.read(name);
    if (body === undefined) return undefined;
    const found = decodeStored("index", body, where);
    return { ...found, body: readWhole(where, () => ({ zones: zonesIn(found), texts: textsIn(found) })) };
  }

  /** A change takes a moment, so a lock that stays was left by a dead process, and is freed. */
  async function lock(id: string, signal?: AbortSignal): Promise<ReturnType<typeof infoOf>> {
    const info = infoOf(holderOf(id, clock.now()), name);
    let seen: { readonly id: string | undefined; readonly since: number } | undefined;
    return waitTurn({ steady, random, backoff: BACKOFF, waitMilliseconds: PATIENCE_MILLISECONDS, signal }, async () => {
      const asked = steady.now();
      const answer = await server.lock(name, info, signal);
      if (answer === "taken") return { taken: info };
      const other = answer.holder?.id;
      // The time runs from the first response that named this holder to the last request that named it.
      if (seen === undefined || seen.id !== other) seen = { id: other, since: steady.now() };
      if (other !== undefined && asked - seen.since >= DEAD_MILLISECONDS)
        await server.unlock(name, unlockInfo(other, name));
      return { refusal: () => stillLocked(where, answer.holder, clock.now()) };
    });
  }

  async function replace(lockId: string, next: Stored<Index>, began: Moment): Promise<void> {
    const zones = next.body.zones.map(({ project, zone }) => ({ project, zone }));
    const texts = [...next.body.texts].map(([named, each]) => ({ name: named, ...each }));
    const body = encodeStored("index", { ...next, body: { zones, texts } });
    const isStored = async (): Promise<boolean> => (await stored())?.write === next.write;
    const checkTime = async (): Promise<void> => {
      if (elapsedSince(began, { steady, clock }) > CHANGE_MILLISECONDS)
        throw unreachable(where, new Error("it took too long"));
    };
    await checkTime();
    // The lock is freed right after this, so the id of a write that arrives later is no longer valid.
    await server.store({ name, where }, { attempt: () => ({ lockId, body }), isStored, again: checkTime });
  }

  return {
    read: async () => (await stored())?.body ?? EMPTY,
    change: (change, signal) => inTurn(() => changeNow(change, signal)),
  };

  async function changeNow(change: (index: Index) => Index | undefined, signal?: AbortSignal): Promise<void> {
    const id = random.uuid();
    const info = await lock(id, signal);
    const began = momentOf({ steady, clock });
    try {
      const found = (await stored()) ?? { serial: 0, lineage: random.uuid(), write: "", body: EMPTY };
      const body = change(found.body);
      if (body) await replace(id, { ...found, serial: found.serial + 1, write: random.uuid(), body }, began);
    } catch (thrown) {
      // On a conflict, the lock belongs to another process, which keeps it.
      if (!(thrown instanceof StoreConflict)) await server.unlock(name, info).catch(() => false);
      throw thrown;
    }
    await server.unlock(name, info).catch(() => false);
  }
}

function holderOf(id: string, now: number): LockHolder {
  return { id, who: "zoneform", processId: 0, operation: "list", since: new Date(now).toISOString() };
}

function zonesIn({ body }: Stored<JsonObject>): Index["zones"] {
  return objects(body, "zones").flatMap((each) => {
    const zone = text(each, "zone");
    return isHexId(zone) ? [{ project: text(each, "project"), zone: zoneId(zone) }] : [];
  });
}

function textsIn({ body }: Stored<JsonObject>): Index["texts"] {
  return new Map(
    objects(body, "texts").map((each) => [text(each, "name"), { text: text(each, "text"), tag: text(each, "tag") }]),
  );
}

function stillLocked(where: string, holder: LockHolder | undefined, now: number): StateError {
  const holding = { unlockId: holder?.id, holder, isAlive: undefined };
  const values = { what: `the list of states at ${where}`, lock: `still ${describeHolding(holding, now)}` };
  const remedy = "apply again; if no run is active, free its lock on the server's page";
  return new StateError(problem("claims-locked", values, { remedy }));
}
