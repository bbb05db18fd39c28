import type { Backoff, Clock, Random } from "../../lib/core/clock.ts";
import { collected, streamed } from "../../lib/core/lists.ts";
import {
  type Changes,
  type Engine,
  JOURNAL,
  type Shared,
  type Sightings,
  STATE,
  type TakenLock,
  type ZoneKey,
} from "../../lib/state/engine.ts";
import { memory } from "../../lib/state/engines/memory.ts";
import { placeError, type StateError } from "../../lib/state/error.ts";
import { givenBack } from "../../lib/state/engines/lease-sessions.ts";
import { type Lease, Locked } from "../../lib/state/lock.ts";
import { type Turn, waitTurn } from "../../lib/state/engines/waiting.ts";
import { steadyAs } from "./state-world.ts";

/**
 * What the network does to one call. `dropped`: the connection breaks before the call arrives. `lost-reply`: it breaks after the
 * call took effect. In both cases the process connects again. `gone` and `gone-after` are the same, but the server stays
 * unreachable until the process gives up.
 */
export type CallFault = "dropped" | "lost-reply" | "gone" | "gone-after";

/** What a process works with, and its network to the server. */
export interface Client {
  readonly clock: Clock;
  readonly random: Random;
  /** Decides what happens to each call that changes something; undefined for no fault. */
  readonly fault?: (operation: string) => CallFault | undefined;
  /** Brings a call to the server, to change something or to look; at once when absent. */
  readonly carry?: <T>(call: "change" | "look", act: () => Promise<T>) => Promise<T>;
  /** Gets the lines that go over the network. */
  readonly hear?: (lines: readonly string[]) => void;
}

/** A process that uses the server. */
export interface ServedProcess {
  readonly engine: Engine;
  /**
   * Ends it like `kill -9`. The server notices that at once, or with `later` only when `notice` is called, as if the machine had
   * lost its network.
   */
  die(notice?: "at once" | "later"): void;
  notice(): void;
  /** Ends the connection from the server's side. The process lives, and connects again with its next call. */
  disconnect(): void;
}

/** The engine in memory as a server on a network. It takes a process for alive as long as its connection is open. */
export interface ServedMemory {
  start(client: Client): ServedProcess;
  /** The stored lines of a part; undefined if there never were any. */
  linesOf(key: ZoneKey, part: typeof STATE | typeof JOURNAL): readonly string[] | undefined;
  /** Ends every connection, as a restart of the server does. */
  restart(): void;
}

/** A connection on which a lock was taken, as the server sees it. Once it is closed, the next process may take the lock. */
interface Session {
  isOpen: boolean;
}

const LOOKS: Backoff = { firstMilliseconds: 100, longestMilliseconds: 100 };

/** Creates an empty server with this clock. */
export function servedMemory(clock: Clock): ServedMemory {
  const server = memory();
  /** The sessions, by the ids of their leases. */
  const sessions = new Map<string, Session>();
  const parts = new Map<string, readonly string[]>();
  const partOf = ({ project, zone }: ZoneKey, part: string): string => JSON.stringify([project, zone, part]);

  function start(client: Client): ServedProcess {
    const { random, fault = () => undefined, carry = async (_call, act) => act(), hear = () => undefined } = client;
    const engine = server.open({ clock, random });
    /** The leases of this process. A lost connection does not end them. */
    const own = new Map<string, Session>();

    function disconnect(): void {
      for (const session of own.values()) session.isOpen = false;
    }

    let isOver = false;
    /** The server notices that the process is dead, so it can use none of its leases again. */
    const notice = (): void => {
      isOver = true;
      disconnect();
      own.clear();
    };

    function isAlive(id: string | undefined): boolean {
      return id === undefined || own.has(id) || sessions.get(id)?.isOpen === true;
    }

    /** Makes a call under a lease, with what the network does to it. */
    async function fenced<T>(
      operation: "append" | "check" | "commit",
      key: ZoneKey,
      lease: Lease,
      act: () => Promise<T>,
    ): Promise<T> {
      const session = own.get(lease.id);
      if (!session) throw givenBack(key.zone);
      const comeBack = async (): Promise<void> => {
        await engine.append(key, lease, []);
        session.isOpen = true;
      };
      const happens = fault(operation);
      if (happens === "dropped" || happens === "gone") await carry("change", async () => disconnect());
      if (happens === "gone") throw unreachable();
      const result = await carry(operation === "check" ? "look" : "change", async () => {
        await comeBack();
        const done = await act();
        if (happens === "lost-reply" || happens === "gone-after") disconnect();
        return done;
      });
      if (happens === "gone-after") throw unreachable();
      // Another process may have taken the lock before this one is connected again.
      if (happens === "lost-reply") await carry("look", comeBack);
      return result;
    }

    /** Makes a call without a lock. Only `gone` and `gone-after` show: after other faults the call is repeated, which changes nothing. */
    async function unfenced<T>(operation: string, act: (happens: CallFault | undefined) => Promise<T>): Promise<T> {
      const happens = fault(operation);
      if (happens === "gone") throw unreachable();
      const result = await carry("change", () => act(happens));
      if (happens === "gone-after") throw unreachable();
      return result;
    }

    async function* looked(lines: () => AsyncIterable<string>): AsyncIterable<string> {
      yield* await carry("look", () => collected(lines()));
    }

    async function heard(lines: AsyncIterable<string>): Promise<readonly string[]> {
      const all = await collected(lines);
      hear(all);
      return all;
    }

    async function commit(key: ZoneKey, lease: Lease, changes: Changes): ReturnType<Engine["commit"]> {
      const put = new Map<string, readonly string[]>();
      for (const [name, lines] of changes.put ?? []) put.set(name, await heard(lines));
      const journal = changes.journal && (await heard(changes.journal));
      return fenced("commit", key, lease, async () => {
        const view = await engine.commit(key, lease, {
          ...changes,
          put: new Map([...put].map(([name, lines]) => [name, streamed(lines)])),
          ...(journal ? { journal: streamed(journal) } : {}),
        });
        if (changes.remove?.includes(STATE)) parts.delete(partOf(key, STATE));
        const state = put.get(STATE);
        if (state) parts.set(partOf(key, STATE), state);
        if (journal) parts.set(partOf(key, JOURNAL), journal);
        return view;
      });
    }

    async function append(key: ZoneKey, lease: Lease, lines: readonly string[]): Promise<void> {
      hear(lines);
      await fenced(lines.length > 0 ? "append" : "check", key, lease, async () => {
        await engine.append(key, lease, lines);
        parts.set(partOf(key, JOURNAL), [...(parts.get(partOf(key, JOURNAL)) ?? []), ...lines]);
      });
    }

    /** Tries to take the lock, also from a process whose connection is lost. */
    async function attempt(key: ZoneKey, holder: Parameters<Engine["lock"]>[1]): Promise<Turn<TakenLock>> {
      const found = (await engine.holding(key))?.unlockId;
      // An error here means that the lock was freed just before, by its holder or by another process.
      if (found !== undefined && !isAlive(found)) await engine.unlock(key, found).catch(() => undefined);
      try {
        return { taken: await engine.lock(key, holder, 0) };
      } catch (thrown) {
        if (thrown instanceof Locked) return { refusal: () => thrown };
        throw thrown;
      }
    }

    async function lock(
      key: ZoneKey,
      holder: Parameters<Engine["lock"]>[1],
      waitMilliseconds: number,
      signal?: AbortSignal,
    ): Promise<TakenLock> {
      signal?.throwIfAborted();
      const steady = steadyAs(client.clock);
      const waiting = { steady, random, backoff: LOOKS, waitMilliseconds, signal };
      const { lease, view } = await waitTurn(waiting, () =>
        unfenced("lock", async (happens) => {
          const turn = await attempt(key, holder);
          if ("taken" in turn) {
            // If the session ended before the reply arrived, the process does not have the lease.
            const session = { isOpen: happens !== "gone-after" && !isOver };
            sessions.set(turn.taken.lease.id, session);
            if (session.isOpen) own.set(turn.taken.lease.id, session);
          }
          return turn;
        }),
      );
      const release = (): Promise<void> =>
        carry("change", async () => {
          if (!own.delete(lease.id)) return;
          sessions.delete(lease.id);
          await lease.release();
        });
      return { lease: { ...lease, release }, view };
    }

    const seen = engine.sightings;
    const sightings: Sightings | undefined = seen && {
      lines: (key) => looked(() => seen.lines(key)),
      bytes: (key) => carry("look", () => seen.bytes(key)),
      add: async (key, lines) => {
        hear(lines);
        // After a lost reply the process adds the lines again.
        await unfenced("observe", (happens) => seen.add(key, happens === "lost-reply" ? [...lines, ...lines] : lines));
      },
      condense: (key, keep) =>
        unfenced("condense", async (happens) => {
          // This call is not repeated. The lines stay until the next time.
          if (happens === "dropped") throw unreachable();
          await seen.condense(key, keep);
          if (happens === "lost-reply") throw unreachable();
        }),
    };

    function shared(name: string): Shared {
      const text = engine.shared(name);
      return {
        get: (signal) => carry("look", () => text.get(signal)),
        replace: (tag, next, signal) => unfenced("replace", () => text.replace(tag, next, signal)),
      };
    }

    return {
      engine: {
        zones: () => carry("look", () => engine.zones()),
        view: (key) => carry("look", () => engine.view(key)),
        body: (key, entry) => looked(() => engine.body(key, entry)),
        journal: (key, view) => looked(() => engine.journal(key, view)),
        commit,
        append,
        lock,
        holding: (key) =>
          carry("look", async () => {
            const found = await engine.holding(key);
            return found && { ...found, isAlive: isAlive(found.unlockId) };
          }),
        unlock: (key, id) => unfenced("unlock", () => engine.unlock(key, id)),
        ...(sightings ? { sightings } : {}),
        shared,
        check: async () => undefined,
        describe: (key, name) => engine.describe(key, name),
        close: async () => notice(),
      },
      die: (when = "at once") => {
        if (when === "at once") notice();
      },
      notice,
      disconnect,
    };
  }

  return {
    start,
    linesOf: (key, part) => parts.get(partOf(key, part)),
    restart: () => {
      for (const session of sessions.values()) session.isOpen = false;
    },
  };
}

/** The error if the server stays unreachable. */
function unreachable(): StateError {
  return placeError({ code: "state-unreachable", message: "the states at memory cannot be reached" });
}
