import type { Clock, Random, SteadyClock } from "../../../core/clock.ts";
import { turns } from "../../../core/turns.ts";
import { StoreConflict } from "../../store.ts";
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
import { type LockInfo, lookInfo } from "./lock-info.ts";
import { send } from "./send.ts";
import type { StateServer } from "./server.ts";
import { take } from "./take.ts";

/** A body up to this size is read back before it is replaced: that costs less than it may save. */
const CHEAP_CHARACTERS = 1024 * 1024;

/** A lock that a run holds, and what it has stored under it. */
export interface Session {
  /** What is stored, as far as this run knows. */
  contents(): Contents;
  /** The lock as it is held now: it gets another id after a write that may arrive late. */
  lock(): LockInfo;
  /** Throws `StoreConflict` unless the lock was ours at some time after the call. */
  check(signal?: AbortSignal): Promise<void>;
  /** Throws `StateError` if the server does not give back what was written last. */
  confirm(): Promise<void>;
  /**
   * Replaces what is stored by what `change` makes of it, once nobody else has changed it; one call after the other.
   * Throws `StoreConflict` if the lock is lost, `StateError` if the server does not take it. After the signal, the body
   * may be stored all the same.
   */
  write<T>(change: (contents: Contents) => Changed<T>, signal?: AbortSignal): Promise<T>;
}

/** New contents, and what the caller gets. */
export interface Changed<T> {
  readonly contents: Contents;
  readonly result: T;
}

/** What a session needs. */
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

/** What is stored of a zone, and how long its text is. Throws `StateError`. */
export async function readContents(
  { server, owner, name, where }: Pick<SessionWorld, "server" | "owner" | "name" | "where">,
  signal?: AbortSignal,
): Promise<(Stored<Contents> & { readonly characters: number }) | undefined> {
  const body = await server.read(name, signal);
  if (body === undefined) return undefined;
  const stored = decodeStored("zone", body, where);
  return { ...stored, body: decodeContents(owner, stored.body, where), characters: body.length };
}

/** Opens the session of a lock that was just taken; `lockOf` makes a lock of the same holder with another id. */
export async function openSession(
  world: SessionWorld,
  taken: LockInfo,
  lockOf: (id: string) => LockInfo,
  signal?: AbortSignal,
): Promise<Session> {
  const { server, clock, random, owner, name, where } = world;
  let lock = taken;
  const found = await readContents(world, signal);
  let stored: Stored<Contents> = found ?? { serial: 0, lineage: random.uuid(), write: "", body: NOTHING };
  let { serial } = stored;
  let size = found?.characters ?? 0;
  let isConfirmed = false;
  /** What is stored has to be of one of these writes: the last one that is known to have arrived, or one after it. */
  const known = new Set<string | undefined>([found?.write]);
  /** Writes of this session of which an attempt may arrive late: a server that checks no id then stores it. */
  const late = new Set<string>();
  const inTurn = turns();
  /** Nobody may ask for the lock while it is free for an instant. */
  const aboutLock = turns();

  /** Returns whether the server names us as the holder. */
  async function look(stopped?: AbortSignal): Promise<boolean> {
    const info = lookInfo(random.uuid(), name, clock.now());
    const answer = await server.lock(name, info, stopped);
    if (answer === "taken") {
      await server.unlock(name, info);
      throw lockLost(where);
    }
    if (answer.holder?.id === lock.id) return true;
    if (answer.holder !== undefined) throw lockLost(where);
    // The server does not say whose lock it is: whoever takes it writes that down first.
    await checkStored(known, stopped);
    return false;
  }

  async function checkStored(writes: ReadonlySet<string | undefined>, stopped?: AbortSignal): Promise<void> {
    const now = await readContents(world, stopped);
    if (!writes.has(now?.write)) throw new StoreConflict(`what is stored at ${where} is not what this run stored last`);
  }

  /**
   * Takes the lock under another id: a server that checks it refuses what was sent under the old one and arrives late.
   * Whoever waits for the lock may get it in between.
   */
  async function renew(stopped?: AbortSignal): Promise<void> {
    if (!(await server.unlock(name, lock))) throw lockLost(where);
    const next = lockOf(random.uuid());
    await take(world, next, { waitMilliseconds: 0, refusal: () => lockTaken(where) }, stopped);
    lock = next;
    try {
      await checkStored(known, stopped);
    } catch (thrown) {
      await server.unlock(name, lock).catch(() => false);
      throw thrown;
    }
  }

  const check = (stopped?: AbortSignal): Promise<boolean> => aboutLock(() => look(stopped));

  async function write<T>(change: (contents: Contents) => Changed<T>, stopped?: AbortSignal): Promise<T> {
    const isOurs = await check(stopped);
    if (size <= CHEAP_CHARACTERS) await checkStored(isOurs ? new Set([...known, ...late]) : known, stopped);
    const { contents, result } = change(stored.body);
    serial += 1;
    let next = { serial, lineage: stored.lineage, write: random.uuid(), body: contents };
    let body = encode(next);
    known.add(next.write);
    const sendAsAnother = async (): Promise<void> => {
      late.add(next.write);
      const before = lock.id;
      await aboutLock(() => renew(stopped));
      // If two attempts were the same write, nobody could tell which of them arrived.
      next = { ...next, write: random.uuid(), body: heldUnder(next.body, before, lock.id) };
      known.add(next.write);
      body = encode(next);
    };
    await send(server, {
      name,
      where,
      lockId: () => lock.id,
      body: () => body,
      isStored: async () => (await readContents(world, stopped))?.write === next.write,
      again: async (mayArrive) => {
        if (mayArrive) await sendAsAnother();
        else await check(stopped);
      },
      signal: stopped,
    });
    known.clear();
    known.add(next.write);
    stored = next;
    size = body.length;
    if (!isConfirmed) await confirm(stopped);
    return result;
  }

  function encode(next: Stored<Contents>): string {
    return encodeStored("zone", { ...next, body: encodeContents(owner, next.body) });
  }

  /** Some servers, or caches in front of them, answer that they stored what they do not give back. */
  async function confirm(stopped?: AbortSignal): Promise<void> {
    if ((await readContents(world, stopped))?.write !== stored.write) throw notStored(where);
    isConfirmed = true;
  }

  return {
    contents: () => stored.body,
    lock: () => lock,
    check: async (stopped) => void (await check(stopped)),
    write: (change, stopped) => inTurn(() => write(change, stopped)),
    confirm: () => inTurn(() => confirm()),
  };
}

/** The contents with the id under which their holder has the lock now. */
function heldUnder(contents: Contents, before: string, id: string): Contents {
  const { holder } = contents;
  return holder?.id === before ? { ...contents, holder: { ...holder, id } } : contents;
}
