import type { FileSystem } from "../../lib/core/file-system.ts";
import type { Random } from "../../lib/core/clock.ts";
import type { Claims } from "../../lib/state/zone/claims.ts";
import { localStores } from "../../lib/state/engines/local/engine.ts";
import type { StateStores } from "../../lib/state/stores.ts";
import { type Dice, diceOf, randomOf } from "./dice.ts";
import { type Machine, type SimProcess, STATE_FOLDER } from "./machine.ts";
import { type SimClock, steadyOf } from "./sim-clock.ts";
import type { SimDisk } from "./sim-disk.ts";
import { failure, filesOf, FOLDER, statOf, type DiskFault, type Witness } from "./sim-files.ts";

/** A process that opens the states, and what it brings along. */
export interface Opener {
  readonly process: SimProcess;
  readonly clock: SimClock;
  readonly random: Random;
  /** For the delays and faults of its calls. */
  readonly dice: Dice;
  /** Its calls of a database never fail, and it waits for a lock that a dead process still has. */
  readonly isCalm: boolean;
  readonly fault?: DiskFault | undefined;
  readonly witness: Witness;
  /** Is told when nobody writes under the lock of a zone any more; on the disk the witness sees it. */
  readonly released?: (zone: string) => void;
}

/** Where the states of a seed are kept: on the disk of the machine, or in a database. */
export interface Shelf {
  /** The path of a zone's files on the disk, without what says which one it is. */
  baseOf(zone: string): string;
  /** The place as a process uses it; it may end with each call. */
  open(opener: Opener): StateStores;
  /** The place as the next process finds it; `changed` replaces a file of the disk. Nothing can be written. */
  look(changed?: ChangedFile): StateStores;
  /** The claims of all projects, for somebody outside of every process; absent where no other project plays. */
  claims?(): Claims | undefined;
  /** Frees what no command frees but a person, as the message says. */
  freeByHand?(): void;
  /** What a power cut now would leave of a part; undefined where there is nothing. */
  durable(zone: string, part: "state" | "journal"): string | undefined;
}

/** A file as somebody could have changed it. */
export interface ChangedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The project of every seed. */
export const PROJECT = "sim";

/** States on the disk of the machine. */
export function diskShelf(machine: Machine): Shelf {
  const { disk } = machine;
  const baseOf = (zone: string): string => `${STATE_FOLDER}/${PROJECT}/${zone}`;
  return {
    baseOf,
    open: ({ process, clock, random, dice, fault, witness }) =>
      localStores(filesOf(machine, process, fault, dice, witness), STATE_FOLDER, {
        identity: process.identity,
        clock,
        steady: steadyOf(machine, process),
        random,
      }),
    look: (changed) => {
      const identity = { host: "", bootId: "", pidNamespace: "", pid: 0, startTime: "", isAlive: () => undefined };
      const clock = { now: () => machine.scheduler.now(), sleep: refuse };
      return localStores(readOnly(disk, changed), STATE_FOLDER, {
        identity,
        clock,
        steady: { ...clock, rest: refuse },
        random: randomOf(diceOf(0)),
      });
    },
    freeByHand: () => {
      for (const path of [...disk.files().keys()].filter((each) => /\/_(claims|moves)\/lock\//.test(each)))
        disk.change({ path, becomes: undefined });
    },
    durable: (zone, part) => {
      const base = baseOf(zone);
      const path = part === "state" ? `${base}.state` : journalIn(disk.durablePaths(), base);
      return path === undefined ? undefined : disk.durable(path)?.toString("utf8");
    },
  };
}

/** The journal that counts: that of the last holder of the lock. */
export function journalIn(paths: Iterable<string>, base: string): string | undefined {
  const fences = [...paths].flatMap((path) =>
    path.startsWith(`${base}.journal-`) ? (/\.journal-(\d+)$/.exec(path)?.[1] ?? []) : [],
  );
  return fences.length === 0 ? undefined : `${base}.journal-${Math.max(...fences.map(Number))}`;
}

function readOnly(disk: SimDisk, changed: ChangedFile | undefined): FileSystem {
  const read = async (path: string): Promise<Uint8Array> => {
    if (path === changed?.path) return changed.bytes;
    const file = disk.file(path);
    if (!file) throw failure("ENOENT", path);
    return file.bytes;
  };
  return {
    read,
    async *stream(path) {
      yield await read(path);
    },
    list: async (path) => disk.entries(path),
    stat: async (path) => {
      if (disk.isFolder(path)) return FOLDER;
      const file = disk.file(path);
      return file && statOf(file);
    },
    realPath: async (path) => path,
    makeDirectory: refuse,
    create: refuse,
    append: refuse,
    copy: refuse,
    rename: refuse,
    link: refuse,
    remove: refuse,
    syncDirectory: refuse,
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("an audit writes nothing"));
}
