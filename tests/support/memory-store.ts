import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { ZoneId } from "../../lib/core/brand.ts";
import type { Clock } from "../../lib/core/clock.ts";
import { runningDigest } from "../../lib/core/digest.ts";
import { StateError } from "../../lib/state/error.ts";
import { checkRecordName } from "../../lib/state/record-name.ts";
import { type Lease, Locked, type LockHolder, StoreConflict, type StateStore } from "../../lib/state/store.ts";

const LOOK_AGAIN_MILLISECONDS = 5;

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (delayMilliseconds, signal) => setTimeout(delayMilliseconds, undefined, signal ? { signal } : {}),
};

interface Cell {
  snapshot?: { readonly lines: readonly string[]; readonly version: string };
  journal: string[];
  readonly kept: Map<string, readonly string[]>;
  observations: readonly string[];
  fence: number;
  holder?: LockHolder;
}

/**
 * A store that lives as long as the test: for tests that make many states, and as a second implementation of the
 * promises.
 */
export function memoryStore(clock: Clock = systemClock): StateStore {
  const cells = new Map<ZoneId, Cell>();

  function cellOf(zone: ZoneId): Cell {
    const cell = cells.get(zone) ?? { journal: [], kept: new Map(), observations: [], fence: 0 };
    cells.set(zone, cell);
    return cell;
  }

  function checkLease(cell: Cell, lease: Lease): void {
    if (cell.holder?.id !== lease.id) throw new StoreConflict("the lock has passed on");
  }

  async function lock(
    zone: ZoneId,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const cell = cellOf(zone);
    const deadline = clock.now() + waitMilliseconds;
    while (cell.holder) {
      if (clock.now() >= deadline) throw new Locked(`locked by ${cell.holder.who}`, cell.holder, undefined);
      await clock.sleep(LOOK_AGAIN_MILLISECONDS, signal);
    }
    return give(cell, { ...holder, id: randomUUID() });
  }

  return {
    read: async (zone) => {
      const { snapshot } = cellOf(zone);
      return snapshot && { lines: stream(snapshot.lines), version: snapshot.version };
    },
    write: async (zone, lease, expected, lines) => {
      const cell = cellOf(zone);
      const taken: string[] = [];
      for await (const line of lines) taken.push(line);
      checkLease(cell, lease);
      if (cell.snapshot?.version !== expected) throw new StoreConflict("the snapshot was replaced");
      cell.snapshot = { lines: taken, version: versionOf(taken) };
      cell.journal = [];
      return cell.snapshot.version;
    },
    append: async (zone, lease, lines) => {
      checkLease(cellOf(zone), lease);
      cellOf(zone).journal.push(...lines);
    },
    checkHeld: async (zone, lease) => checkLease(cellOf(zone), lease),
    journal: (zone) => stream([...cellOf(zone).journal]),
    keep: async (zone, lease, name, lines) => {
      checkRecordName(name);
      const taken: string[] = [];
      for await (const line of lines) taken.push(line);
      checkLease(cellOf(zone), lease);
      cellOf(zone).kept.set(name, taken);
    },
    kept: async (zone, name) => {
      checkRecordName(name);
      const lines = cellOf(zone).kept.get(name);
      return lines && stream(lines);
    },
    names: async (zone) => [...cellOf(zone).kept.keys()].sort(),
    discard: async (zone, lease, name) => {
      checkRecordName(name);
      checkLease(cellOf(zone), lease);
      cellOf(zone).kept.delete(name);
    },
    observe: async (zone, lines) => {
      const cell = cellOf(zone);
      cell.observations = [...cell.observations, ...lines];
    },
    observations: (zone) => stream(cellOf(zone).observations),
    condense: async (zone, keep) => {
      const cell = cellOf(zone);
      const before = cell.observations;
      const kept: string[] = [];
      for await (const line of keep(stream(before))) kept.push(line);
      cell.observations = [...kept, ...cell.observations.slice(before.length)];
    },
    lock,
    holding: async (zone) => {
      const { holder } = cellOf(zone);
      return holder && { unlockId: holder.id, holder, isAlive: undefined };
    },
    taken: async () => undefined,
    unlock: async (zone, id) => {
      const cell = cellOf(zone);
      if (cell.holder?.id !== id) throw new StateError({ code: "not-unlocked", message: "not locked under this id" });
      delete cell.holder;
    },
    backups: async () => [],
    zones: async () => [...cells].flatMap(([zone, { snapshot }]) => (snapshot ? [zone] : [])).sort(),
    checkWritable: async () => undefined,
    describe: (zone, part = "state") => `memory:${zone}.${part}`,
  };
}

function give(cell: Cell, holder: LockHolder): Lease {
  cell.holder = holder;
  cell.fence += 1;
  const release = async (): Promise<void> => {
    if (cell.holder?.id === holder.id) delete cell.holder;
  };
  return { id: holder.id, fence: cell.fence, release };
}

function versionOf(lines: readonly string[]): string {
  const digest = runningDigest();
  for (const line of lines) digest.add(`${line}\n`);
  return digest.hex();
}

async function* stream(lines: readonly string[]): AsyncIterable<string> {
  yield* lines;
}
