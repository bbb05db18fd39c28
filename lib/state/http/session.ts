import { type Clock, type Random } from "../../core/clock.ts";
import { turns } from "../../core/turns.ts";
import { StoreConflict } from "../store.ts";
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
import { lockLost, notStored } from "./failure.ts";
import { type LockInfo, lookInfo } from "./lock-info.ts";
import { send } from "./send.ts";
import type { StateServer } from "./server.ts";

/** A body up to this size is read back before it is replaced: that costs less than it may save. */
const CHEAP_CHARACTERS = 1024 * 1024;

/** A lock that a run holds, and what it has stored under it. */
export interface Session {
  /** What is stored, as far as this run knows. */
  contents(): Contents;
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

/** Opens the session of a lock that was just taken. */
export async function openSession(world: SessionWorld, lock: LockInfo, signal?: AbortSignal): Promise<Session> {
  const { server, clock, random, owner, name, where } = world;
  const found = await readContents(world, signal);
  let stored: Stored<Contents> = found ?? { serial: 0, lineage: random.uuid(), write: "", body: NOTHING };
  let { serial } = stored;
  let size = found?.characters ?? 0;
  let isConfirmed = false;
  /** What is stored has to be of one of these writes: the last one that is known to have arrived, or one after it. */
  const known = new Set<string | undefined>([found?.write]);
  const inTurn = turns();

  async function check(stopped?: AbortSignal): Promise<void> {
    const look = lookInfo(random.uuid(), name, clock.now());
    const answer = await server.lock(name, look, stopped);
    if (answer === "taken") {
      await server.unlock(name, look);
      throw lockLost(where);
    }
    if (answer.holder?.id === lock.id) return;
    if (answer.holder !== undefined) throw lockLost(where);
    // The server does not say whose lock it is: whoever takes it writes that down first.
    await checkStored(stopped);
  }

  async function checkStored(stopped?: AbortSignal): Promise<void> {
    const now = await readContents(world, stopped);
    if (!known.has(now?.write)) throw new StoreConflict(`somebody else replaced what is stored at ${where}`);
  }

  async function write<T>(change: (contents: Contents) => Changed<T>, stopped?: AbortSignal): Promise<T> {
    await check(stopped);
    if (size <= CHEAP_CHARACTERS) await checkStored(stopped);
    const { contents, result } = change(stored.body);
    serial += 1;
    const next = { serial, lineage: stored.lineage, write: random.uuid(), body: contents };
    const body = encodeStored("zone", { ...next, body: encodeContents(owner, contents) });
    known.add(next.write);
    const isStored = async (): Promise<boolean> => (await readContents(world, stopped))?.write === next.write;
    const sending = { name, where, lockId: lock.id, body, isStored, check: () => check(stopped), signal: stopped };
    await send(server, sending);
    known.clear();
    known.add(next.write);
    stored = next;
    size = body.length;
    if (!isConfirmed) await confirm(stopped);
    return result;
  }

  /** Some servers, or caches in front of them, answer that they stored what they do not give back. */
  async function confirm(stopped?: AbortSignal): Promise<void> {
    if ((await readContents(world, stopped))?.write !== stored.write) throw notStored(where);
    isConfirmed = true;
  }

  return {
    contents: () => stored.body,
    check,
    write: (change, stopped) => inTurn(() => write(change, stopped)),
    confirm: () => inTurn(() => confirm()),
  };
}
