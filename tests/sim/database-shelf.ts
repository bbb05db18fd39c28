import { collected, streamed } from "../../lib/core/streams.ts";
import type { ProjectStore } from "../../lib/state/upkeep.ts";
import { type StoreFault, type StoreModel, storeModel } from "../support/store-model.ts";
import { type Dice, diceOf, randomOf } from "./dice.ts";
import type { Machine } from "./machine.ts";
import { PROJECT, type Shelf } from "./shelf.ts";
import type { Witness } from "./sim-files.ts";

/** A call costs a round trip. */
const SLOWEST_CALL_MILLISECONDS = 10;

/** After so long the server notices that a machine is gone: its keepalives are not answered. */
const NOTICE_MILLISECONDS = 11_000;

const FAULTS = ["dropped", "lost-reply", "gone", "gone-after"] as const satisfies readonly StoreFault[];

/** How often calls fail, and how often the server restarts before one. */
interface Weather {
  readonly faultRate: number;
  readonly restartRate: number;
}

/** States in a database, by its model. Its connections drop, its replies are lost, and it restarts, as the seed draws it. */
export function databaseShelf(machine: Machine, seed: number): Shelf {
  const { scheduler, trace } = machine;
  const drawn = diceOf(seed * 64 + 58);
  const weather: Weather = { faultRate: drawn.pick([0, 0.01, 0.05]), restartRate: drawn.pick([0, 0, 0.02]) };
  const clock = { now: () => Math.floor(scheduler.now()), sleep: never };
  const model: StoreModel = storeModel({ clock, random: randomOf(drawn) });

  const { claims } = model.start();

  function faultOf(dice: Dice): (operation: string) => StoreFault | undefined {
    return (operation) => {
      if (dice.chance(weather.restartRate)) {
        trace.note("database", "restarts");
        model.restart();
      }
      const fault = dice.chance(weather.faultRate) ? dice.pick(FAULTS) : undefined;
      trace.note(`database ${operation}`, fault ?? "");
      return fault;
    };
  }

  return {
    // Nothing of the states is on the disk.
    baseOf: (zone) => `nowhere/${zone}`,
    open: ({ process, clock: own, random, dice: network, isCalm, witness, released = () => undefined }) => {
      const client = model.start({ clock: own, random, ...(isCalm ? {} : { fault: faultOf(network) }) });
      const isNoticedLater = network.chance(0.3);
      const end = async (): Promise<void> => {
        await process.gone;
        if (!isNoticedLater) return client.die();
        client.die("later");
        scheduler.timer({ isDead: () => false }, NOTICE_MILLISECONDS, client.notice);
      };
      void end();
      const reach = <T>(act: () => Promise<T>): Promise<T> =>
        process.touch(network.fraction() * SLOWEST_CALL_MILLISECONDS, () => begun(act)).then(({ result }) => result);
      // A process is stopped and killed where it changes something: as on the disk, what it has just read is still true
      // when it acts on it. What may come between a look at the lock and a request, nobody can prevent.
      const look: Reach = async (act) =>
        (await scheduler.after(process, network.fraction() * SLOWEST_CALL_MILLISECONDS, () => begun(act))).result;
      const store = reaching(client.of(PROJECT), { reach, look }, witness, released);
      const patience = isCalm ? 2 * NOTICE_MILLISECONDS : 0;
      return { ...store, lock: (zone, holder, wait, signal) => store.lock(zone, holder, wait + patience, signal) };
    },
    look: () => model.start().of(PROJECT),
    claims,
    claimsOf: ({ process, dice }) => {
      const reach: Reach = async (act) =>
        (await process.touch(dice.fraction() * SLOWEST_CALL_MILLISECONDS, () => begun(act))).result;
      return {
        list: () => reach(() => claims.list()),
        take: (wanted, held) => reach(() => claims.take(wanted, held)),
        release: (project, zone, held) => reach(() => claims.release(project, zone, held)),
      };
    },
    durable: (zone, part) => {
      const lines = model.linesOf(PROJECT, zone, part);
      return lines && lines.length > 0 ? `${lines.join("\n")}\n` : undefined;
    },
  };
}

/** A call that was begun: what becomes of it is nobody's business any more once its process is gone. */
function begun<T>(act: () => Promise<T>): { readonly result: Promise<T> } {
  const result = act();
  result.catch(() => undefined);
  return { result };
}

type Reach = <T>(act: () => Promise<T>) => Promise<T>;

/** How a process reaches the server: to change something, and to look. */
interface Ways {
  readonly reach: Reach;
  readonly look: Reach;
}

/** A store each of whose calls travels to the server, and is heard there. */
function reaching(
  store: ProjectStore,
  { reach, look }: Ways,
  witness: Witness,
  released: (zone: string) => void,
): ProjectStore {
  const heard = (lines: readonly string[]): readonly string[] => {
    witness("the database", lines.join("\n"));
    return lines;
  };
  async function* travelled(lines: () => AsyncIterable<string>): AsyncIterable<string> {
    yield* await look(() => collected(lines()));
  }
  return {
    read: (zone) => look(() => store.read(zone)),
    write: async (zone, lease, expected, lines) => {
      const all = heard(await collected(lines));
      return reach(() => store.write(zone, lease, expected, streamed(all)));
    },
    append: (zone, lease, lines) => reach(() => store.append(zone, lease, heard(lines))),
    checkHeld: (zone, lease) => look(() => store.checkHeld(zone, lease)),
    journal: (zone) => travelled(() => store.journal(zone)),
    keep: async (zone, lease, name, lines) => {
      const all = heard(await collected(lines));
      return reach(() => store.keep(zone, lease, name, streamed(all)));
    },
    kept: (zone, name) => look(() => store.kept(zone, name)),
    names: (zone) => look(() => store.names(zone)),
    discard: (zone, lease, name) => reach(() => store.discard(zone, lease, name)),
    observe: (zone, lines) => reach(() => store.observe(zone, heard(lines))),
    observations: (zone) => travelled(() => store.observations(zone)),
    condense: (zone, keep) => reach(() => store.condense(zone, keep)),
    lock: async (zone, holder, waitMilliseconds, signal) => {
      const lease = await reach(() => store.lock(zone, holder, waitMilliseconds, signal));
      // The one before may have lost it with its connection, and not know yet.
      released(zone);
      const release = async (): Promise<void> => {
        await lease.release();
        released(zone);
      };
      return { ...lease, release: () => reach(release) };
    },
    holding: (zone) => look(() => store.holding(zone)),
    taken: (zone) => look(() => store.taken(zone)),
    unlock: (zone, id) => reach(() => store.unlock(zone, id)),
    checkWritable: (zone, bytes) => reach(() => store.checkWritable(zone, bytes)),
    backups: (zone) => look(() => store.backups(zone)),
    backup: (zone, serial) => travelled(() => store.backup(zone, serial)),
    addBackup: async (zone, lease, serial, lines) => {
      const all = heard(await collected(lines));
      return reach(() => store.addBackup(zone, lease, serial, streamed(all)));
    },
    zones: () => look(() => store.zones()),
    describe: (zone, part) => store.describe(zone, part),
    warnings: (zone) => look(() => store.warnings(zone)),
    files: (zone) => look(() => store.files(zone)),
    opened: (zone, lines, where) => store.opened(zone, lines, where),
    looseLines: (zone, part) => travelled(() => store.looseLines(zone, part)),
    journalTail: (zone) => look(() => store.journalTail(zone)),
    sealOf: (zone, part) => look(() => store.sealOf(zone, part)),
    setAside: (zone, lease, part) => reach(() => store.setAside(zone, lease, part)),
    copy: (zone, name) => reach(() => store.copy(zone, name)),
    discardCopy: (zone, lease, name) => reach(() => store.discardCopy(zone, lease, name)),
    retire: (zone, lease) => reach(() => store.retire(zone, lease)),
    rewriteJournal: async (zone, lease, lines) => {
      const all = heard(await collected(lines));
      return reach(() => store.rewriteJournal(zone, lease, streamed(all)));
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
