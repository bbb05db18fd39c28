import type { Backoff, Clock, Random, SteadyClock } from "../../../core/clock.ts";
import { turns } from "../../../core/lists.ts";
import type { ZoneKey } from "../../engine.ts";
import { type LockHolder, StoreConflict } from "../../lock.ts";
import { type Turn, waitTurn } from "../waiting.ts";
import {
  type Contents,
  decodeContents,
  decodeStored,
  encodeContents,
  encodeStored,
  NOTHING,
  type Owner,
  type Stored,
} from "./document.ts";
import { lockLost, lockTaken, notStored } from "./failure.ts";
import { isLook, type LockInfo, lookInfo } from "./protocol.ts";
import type { HttpAddress } from "./address.ts";
import type { IndexState } from "./index-state.ts";
import type { StateServer } from "./server.ts";

const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 1000 };

/** How long to wait for a probing lock to go, even if the run is not to wait for locks. */
const LOOK_MILLISECONDS = 5000;

/**
 * A waiting run that gets the lock while we renew it gives it back at once. So we ask more often, and for this long.
 */
const RENEWAL_BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 100 };
const RENEWAL_MILLISECONDS = 15_000;

/** New contents, and the result for the caller. */
export interface Changed<T> {
  readonly contents: Contents;
  readonly result: T;
}

/** The state of one zone on a server, and what a session of its lock waits by. */
export interface SessionWorld {
  readonly server: StateServer;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  readonly owner: Owner;
  /** The name of the state on the server, and its address for messages. */
  readonly name: string;
  readonly where: string;
}

/** What every part of the engine needs. */
export interface Place {
  readonly address: HttpAddress;
  readonly server: StateServer;
  readonly index: IndexState;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** The sessions of the leases of this process, by `sessionName`. */
  readonly sessions: Map<string, Session>;
}

/** A zone of a project, with its name and address on the server. */
export type ZonePlace = SessionWorld & ZoneKey;

/** Where the state of a zone is. */
export function zoneOf({ address, clock, steady, random, server }: Place, { project, zone }: ZoneKey): ZonePlace {
  const name = nameOfState(project, zone);
  const owner = { project, zone };
  return { server, clock, steady, random, zone, project, name, where: address.where(name), owner };
}

/**
 * The name of a zone's state on the server: small letters, digits, hyphens and underscores, because servers refuse
 * other characters or ignore case. No two projects share a name.
 */
export function nameOfState(project: string, zone: string): string {
  const plain = project.replace(
    /[^a-z0-9-]/g,
    (other) => `_${(other.codePointAt(0) ?? 0).toString(16).padStart(2, "0")}`,
  );
  return `zoneform-${plain}-${zone}`;
}

/** How long to wait for a lock, and the error after that. */
interface Wait {
  readonly waitMilliseconds: number;
  readonly backoff?: Backoff;
  readonly refusal: (holder: LockHolder | undefined) => Error | Promise<Error>;
}

/** Waits for a lock and takes it. Throws the refusal, `StateError`, and the signal's reason. */
export async function take(
  { server, steady, random, name }: Pick<SessionWorld, "server" | "steady" | "random" | "name">,
  info: LockInfo,
  { waitMilliseconds, backoff = BACKOFF, refusal }: Wait,
  signal?: AbortSignal,
): Promise<void> {
  await waitTurn({ steady, random, backoff, waitMilliseconds, signal }, async (): Promise<Turn<true>> => {
    const answer = await server.lock(name, info, signal);
    if (answer === "taken") return { taken: true };
    const { holder } = answer;
    return { refusal: () => refusal(holder), leastMilliseconds: isLook(holder?.id) ? LOOK_MILLISECONDS : 0 };
  });
}

/** Reads what is stored for a zone. Throws `StateError`. */
export async function readContents(
  { server, owner, name, where }: Pick<SessionWorld, "server" | "owner" | "name" | "where">,
  signal?: AbortSignal,
): Promise<Stored<Contents> | undefined> {
  const body = await server.read(name, signal);
  if (body === undefined) return undefined;
  const stored = decodeStored("zone", body, where);
  return { ...stored, body: decodeContents(owner, stored.body, where) };
}

/** Opens the session of a lock that was just taken. `lockOf` makes a lock of the same holder with another id. */
export async function openSession(
  world: SessionWorld,
  taken: LockInfo,
  lockOf: (id: string) => LockInfo,
  signal?: AbortSignal,
): Promise<Session> {
  return new Session(world, taken, lockOf, await readContents(world, signal));
}

/** A lock that a run holds, and what it has stored under it. */
export class Session {
  readonly #world: SessionWorld;
  readonly #lockOf: (id: string) => LockInfo;
  readonly #inTurn = turns();
  /** Nothing else may ask for the lock while it is free for an instant. */
  readonly #aboutLock = turns();
  /** The stored contents have to be from one of these writes: the last one known to have arrived, or a later one. */
  readonly #known: Set<string | undefined>;
  #lock: LockInfo;
  #stored: Stored<Contents>;
  /** Rises with each attempt to write, even if it fails. */
  #serial: number;
  #isConfirmed = false;

  constructor(
    world: SessionWorld,
    taken: LockInfo,
    lockOf: (id: string) => LockInfo,
    found: Stored<Contents> | undefined,
  ) {
    this.#world = world;
    this.#lockOf = lockOf;
    this.#lock = taken;
    this.#stored = found ?? { serial: 0, lineage: world.random.uuid(), write: "", body: NOTHING };
    this.#serial = this.#stored.serial;
    this.#known = new Set([found?.write]);
  }

  /** The stored contents, as far as this run knows. */
  contents(): Contents {
    return this.#stored.body;
  }

  /** The id of the write that stored them. */
  lastWrite(): string {
    return this.#stored.write;
  }

  /** The lock as it is held now. It gets another id after a write that may arrive late. */
  lock(): LockInfo {
    return this.#lock;
  }

  /**
   * Whether the server was seen to enforce this lock: it gave it to nobody else, and refused a write under another id.
   * Then a write itself finds out whether the lock is still ours.
   */
  isStrict(): boolean {
    return this.#stored.body.strictAt === this.#world.where;
  }

  /** Throws `StoreConflict` unless the lock was ours at some moment after the call. */
  check(signal?: AbortSignal): Promise<void> {
    return this.#aboutLock(() => this.#look(signal));
  }

  /** Throws `StateError` if the server does not return what was written last. */
  confirm(): Promise<void> {
    return this.#inTurn(() => this.#confirm());
  }

  /**
   * Replaces the contents by the result of `change`, if the lock is still ours; calls run one after the other. Throws
   * `StoreConflict` if the lock is lost, `StateError` if the server refuses the write. After the signal, the body may
   * still be stored.
   */
  write<T>(change: (contents: Contents) => Changed<T>, signal?: AbortSignal): Promise<T> {
    return this.#inTurn(() => this.#replace(change, signal));
  }

  /** The protocol only shows the holder of a lock to a client that tries to take it. */
  async #look(signal?: AbortSignal): Promise<void> {
    const { server, clock, random, name, where } = this.#world;
    const info = lookInfo(random.uuid(), name, clock.now());
    const answer = await server.lock(name, info, signal);
    if (answer === "taken") {
      await server.unlock(name, info);
      throw lockLost(where);
    }
    const { holder } = answer;
    if (holder !== undefined && holder.id !== this.#lock.id) throw lockLost(where);
    // The server does not say who holds the lock. A new holder would have recorded itself in the state first.
    if (holder === undefined) await this.#checkStored(signal);
  }

  async #checkStored(signal?: AbortSignal): Promise<void> {
    const { where } = this.#world;
    const now = await readContents(this.#world, signal);
    if (!this.#known.has(now?.write))
      throw new StoreConflict(`what is stored at ${where} is not what this run stored last`);
  }

  async #replace<T>(change: (contents: Contents) => Changed<T>, signal?: AbortSignal): Promise<T> {
    // Nothing is written yet, so the lock was just taken.
    const isFirst = !this.#isConfirmed;
    if (!isFirst && !this.isStrict()) await this.check(signal);
    const { contents, result } = change(this.#stored.body);
    this.#serial += 1;
    const next = { ...this.#stored, serial: this.#serial, body: contents };
    await (isFirst && !this.isStrict() ? this.#provoke(next, signal) : this.#store(next, signal));
    if (isFirst) await this.#confirm(signal);
    return result;
  }

  /**
   * Sends the first write of a run under an id that does not hold the lock. A server that accepts it checks no ids, and
   * has stored the write. One that refuses it gets the write again under the right id, with a note that it enforces
   * locks.
   */
  async #provoke(next: Stored<Contents>, signal?: AbortSignal): Promise<void> {
    const { server, random, clock, name, where } = this.#world;
    const other = lookInfo(random.uuid(), name, clock.now());
    const tried = { ...next, write: random.uuid() };
    this.#known.add(tried.write);
    const outcome = await server.provoke(name, other.id, this.#encoded(tried));
    if (outcome === "written") return this.#settle(tried);
    const strictAt = outcome === "refused" ? where : undefined;
    await this.#store({ ...next, body: { ...next.body, strictAt } }, signal);
  }

  #encoded(next: Stored<Contents>): string {
    return encodeStored("zone", { ...next, body: encodeContents(this.#world.owner, next.body) });
  }

  #settle(stored: Stored<Contents>): void {
    this.#known.clear();
    this.#known.add(stored.write);
    this.#stored = stored;
  }

  /** Sends contents until the server is known to have stored them. */
  async #store(contents: Stored<Contents>, signal?: AbortSignal): Promise<void> {
    const { server, random, name, where } = this.#world;
    let next = contents;
    const attempt = (): { readonly lockId: string; readonly body: string } => {
      // If two attempts had the same write id, we could not tell which of them arrived.
      next = { ...next, write: random.uuid() };
      this.#known.add(next.write);
      return { lockId: this.#lock.id, body: this.#encoded(next) };
    };
    await server.store(
      { name, where, signal },
      {
        attempt,
        isStored: async () => (await readContents(this.#world, signal))?.write === next.write,
        again: async (mayArrive) => {
          if (!mayArrive) return this.check(signal);
          const before = this.#lock.id;
          await this.#aboutLock(() => this.#renew(signal));
          next = { ...next, body: lockedUnder(next.body, before, this.#lock.id) };
        },
      },
    );
    this.#settle(next);
  }

  /**
   * Renews the lock under another id, so that a server that checks ids refuses a late write under the old one. A
   * waiting run may get the lock in between. If that is Zoneform, it sees that this run is not over, and gives the lock
   * back.
   */
  async #renew(signal?: AbortSignal): Promise<void> {
    const { server, random, name, where } = this.#world;
    if (!(await server.unlock(name, this.#lock))) throw lockLost(where);
    const next = this.#lockOf(random.uuid());
    const wait = { waitMilliseconds: RENEWAL_MILLISECONDS, backoff: RENEWAL_BACKOFF, refusal: () => lockTaken(where) };
    await take(this.#world, next, wait, signal);
    this.#lock = next;
    try {
      await this.#checkStored(signal);
    } catch (thrown) {
      await server.unlock(name, next).catch(() => false);
      throw thrown;
    }
  }

  /** Some servers, or caches in front of them, confirm a write and then do not return it. */
  async #confirm(signal?: AbortSignal): Promise<void> {
    if ((await readContents(this.#world, signal))?.write !== this.#stored.write) throw notStored(this.#world.where);
    this.#isConfirmed = true;
  }
}

/** The contents, with the id under which their holder has the lock now. */
function lockedUnder(contents: Contents, before: string, id: string): Contents {
  const { holder } = contents;
  return holder?.id === before ? { ...contents, holder: { ...holder, id } } : contents;
}
