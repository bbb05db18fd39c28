import { zoneId } from "../../lib/core/brand.ts";
import { zoneStores } from "../../lib/state/stores.ts";
import { type CallFault, type Client, servedMemory } from "../support/served-memory.ts";
import { type Dice, diceOf, randomOf } from "./dice.ts";
import type { Machine, SimProcess } from "./machine.ts";
import { PROJECT, type Shelf } from "./shelf.ts";

/** A call costs a round trip. */
const SLOWEST_CALL_MILLISECONDS = 10;

/** After so long the server notices that a machine is gone: its keepalives are not answered. */
const NOTICE_MILLISECONDS = 11_000;

const FAULTS = ["dropped", "lost-reply", "gone", "gone-after"] as const satisfies readonly CallFault[];

/** How often calls fail, and how often the server restarts before one. */
interface Weather {
  readonly faultRate: number;
  readonly restartRate: number;
}

/**
 * States in a database: the stores themselves, on the engine in memory behind a network. Its connections drop, its
 * replies are lost, and it restarts, as the seed draws it.
 */
export function databaseShelf(machine: Machine, seed: number): Shelf {
  const { scheduler, trace } = machine;
  const drawn = diceOf(seed * 64 + 58);
  const weather: Weather = { faultRate: drawn.pick([0, 0.01, 0.05]), restartRate: drawn.pick([0, 0, 0.02]) };
  const server = servedMemory({ now: () => Math.floor(scheduler.now()), sleep: never });
  const somebody = {
    clock: { now: () => Math.floor(scheduler.now()), sleep: never },
    random: randomOf(drawn),
  };
  const outside = zoneStores(server.start(somebody).engine, somebody);

  function faultOf(dice: Dice): (operation: string) => CallFault | undefined {
    return (operation) => {
      if (dice.chance(weather.restartRate)) {
        trace.note("database", "restarts");
        server.restart();
      }
      const fault = dice.chance(weather.faultRate) ? dice.pick(FAULTS) : undefined;
      trace.note(`database ${operation}`, fault ?? "");
      return fault;
    };
  }

  /**
   * A process is stopped and killed where it changes something: as on the disk, what it has just read is still true when
   * it acts on it. What may come between a look at the lock and a request, nobody can prevent.
   */
  function carryOf(process: SimProcess, network: Dice): NonNullable<Client["carry"]> {
    return async <T>(call: "change" | "look", act: () => Promise<T>) => {
      const delay = network.fraction() * SLOWEST_CALL_MILLISECONDS;
      const begin = (): Begun<T> => begun(act);
      return (await (call === "look" ? scheduler.after(process, delay, begin) : process.touch(delay, begin))).result;
    };
  }

  return {
    // Nothing of the states is on the disk.
    baseOf: (zone) => `nowhere/${zone}`,
    open: ({ process, clock, random, dice, isCalm, witness, released = () => undefined }) => {
      const client = server.start({
        clock,
        random,
        carry: carryOf(process, dice),
        hear: (lines) => witness("the database", lines.join("\n")),
        ...(isCalm ? {} : { fault: faultOf(dice) }),
      });
      const isNoticedLater = dice.chance(0.3);
      const end = async (): Promise<void> => {
        await process.gone;
        client.die(isNoticedLater ? "later" : "at once");
        if (isNoticedLater) scheduler.timer({ isDead: () => false }, NOTICE_MILLISECONDS, client.notice);
      };
      void end();
      const { engine } = client;
      const patience = isCalm ? 2 * NOTICE_MILLISECONDS : 0;
      return zoneStores(
        {
          ...engine,
          lock: async (key, holder, waitMilliseconds, signal) => {
            const taken = await engine.lock(key, holder, waitMilliseconds + patience, signal);
            // The one before may have lost it with its connection, and not know yet.
            released(key.zone);
            const release = async (): Promise<void> => {
              await taken.lease.release();
              released(key.zone);
            };
            return { ...taken, lease: { ...taken.lease, release } };
          },
        },
        { clock, random },
      );
    },
    look: () => outside,
    claims: () => outside.claims,
    durable: (zone, part) => {
      const lines = server.linesOf({ project: PROJECT, zone: zoneId(zone) }, part);
      return lines && lines.length > 0 ? `${lines.join("\n")}\n` : undefined;
    },
  };
}

/** A call that was begun: what becomes of it is nobody's business any more once its process is gone. */
interface Begun<T> {
  readonly result: Promise<T>;
}

function begun<T>(act: () => Promise<T>): Begun<T> {
  const result = act();
  result.catch(() => undefined);
  return { result };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
