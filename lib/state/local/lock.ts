import type { Clock, Random } from "../../core/clock.ts";
import { errorCode, type FileSystem } from "../../core/file-system.ts";
import { StateError } from "../error.ts";
import { type Holding, type Lease, Locked, type LockHolder, StoreConflict, type Taken } from "../store.ts";
import { guard } from "./failure.ts";
import { claim, listGenerations, markReleased, readGeneration, sweep } from "./generations.ts";
import { ageOf } from "../holding.ts";
import { decodeGeneration, encodeGeneration, type Generation } from "./holder.ts";
import { type Identity, isAlive } from "./identity.ts";

const FIRST_DELAY_MILLISECONDS = 20;
const LONGEST_DELAY_MILLISECONDS = 1000;

/** What a lock needs of the world. */
export interface LockWorld {
  readonly fs: FileSystem;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly random: Random;
  /** The serial of the state that the lock is for, once that one would survive a power cut; undefined where there is none. */
  readonly durableSerial?: () => Promise<number | undefined>;
}

/** A lock on a folder of generation files. */
export interface Lock {
  /** Takes the lock, waiting at most so long. Throws `Locked`, `StateError`, or the signal's reason. */
  acquire(holder: Omit<LockHolder, "id">, waitMilliseconds: number, signal?: AbortSignal): Promise<Lease>;
  /** Throws `StoreConflict` where the lease is not, or no longer, the right to write. */
  check(lease: Lease): Promise<void>;
  /** Whether the lease is still the right to write. */
  isHeld(lease: Lease): Promise<boolean>;
  /** Who has it; undefined where it is free. */
  holding(): Promise<Holding | undefined>;
  /** Who took it last, and over which state. */
  taken(): Promise<Taken | undefined>;
  /** Frees it from outside; the id must be the holder's. Throws `StateError`. */
  unlock(id: string): Promise<void>;
}

/**
 * The lock of a zone's local state. Generation N+1 is taken when N was released, or when its holder is provably dead;
 * nothing that may be somebody's lock is ever removed, so two who see the same dead holder cannot both win.
 * N is the fence.
 */
export function generationLock(world: LockWorld, folder: string, name: string): Lock {
  const { fs, identity, clock, random } = world;

  async function acquire(
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const deadline = clock.now() + waitMilliseconds;
    await guard(folder, "locked", () => fs.makeDirectory(folder, 0o700));
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const found = await guard(folder, "locked", () => attemptOnce(holder));
      if ("lease" in found) return found.lease;
      const left = deadline - clock.now();
      if (left <= 0) throw new Locked(lockedMessage(name, found, folder, clock.now()), found.holder, found.isAlive);
      await clock.sleep(Math.min(left, backOff(attempt, random)), signal);
    }
  }

  async function attemptOnce(wish: Omit<LockHolder, "id">): Promise<{ lease: Lease } | Holding> {
    for (;;) {
      const { newest, isReleased } = await listGenerations(fs, folder);
      const holding = newest === 0 || isReleased ? undefined : await holderOf(newest);
      if (holding && holding.isAlive !== false) return holding;
      const lease = await take(wish, newest + 1);
      if (lease) return { lease };
    }
  }

  async function holderOf(generation: number): Promise<Holding> {
    const content = await readGeneration(fs, folder, generation);
    // Swept away since it was listed: a newer one is there.
    const unlockId = `g${generation}`;
    if (content === undefined) return { unlockId, holder: undefined, isAlive: false };
    const decoded = decodeGeneration(content);
    // A mark that cannot be read names no id: then it goes by its file.
    if (!decoded) return { unlockId, holder: undefined, isAlive: undefined };
    const { holder, mark } = decoded;
    return { unlockId: holder.id, holder, isAlive: isAlive(mark, identity) };
  }

  async function take(wish: Omit<LockHolder, "id">, generation: number): Promise<Lease | undefined> {
    const id = random.uuid();
    const content = encodeGeneration({ holder: { ...wish, id }, mark: identity, serial: await serialFor(generation) });
    if (!(await claim(fs, folder, generation, id, content))) return undefined;
    return (await isNewest(generation)) ? leaseOf(id, generation) : undefined;
  }

  /** Never lower than what the one before says, so that whoever takes the lock over an older state wipes nothing out. */
  async function serialFor(generation: number): Promise<number> {
    const found = await world.durableSerial?.();
    if (found === undefined) return 0;
    return Math.max(found, (await generationOf(generation - 1))?.serial ?? 0);
  }

  async function generationOf(number: number): Promise<Generation | undefined> {
    const content = number === 0 ? undefined : await readGeneration(fs, folder, number);
    return content === undefined ? undefined : decodeGeneration(content);
  }

  async function taken(): Promise<Taken | undefined> {
    const found = await guard(folder, "read", async () => generationOf((await listIfThere(fs, folder)).newest));
    return found && { holder: found.holder, serial: found.serial };
  }

  /** Looked at again after the claim: a claimer that slept may have taken a number that was used and swept long ago. */
  async function isNewest(generation: number): Promise<boolean> {
    try {
      const { newest } = await listGenerations(fs, folder);
      if (newest === generation) await sweep(fs, folder, generation);
      return newest === generation;
    } catch (error) {
      // The generation is ours and nobody will get its lease, so that it must not stay taken while this process lives.
      await markReleased(fs, folder, generation).catch(() => undefined);
      throw error;
    }
  }

  function leaseOf(id: string, fence: number): Lease {
    return { id, fence, release: () => guard(folder, "unlocked", () => markReleased(fs, folder, fence)) };
  }

  async function isHeld({ fence }: Lease): Promise<boolean> {
    const { newest, isReleased } = await guard(folder, "checked", () => listGenerations(fs, folder));
    return newest === fence && !isReleased;
  }

  async function check(lease: Lease): Promise<void> {
    if (await isHeld(lease)) return;
    throw new StoreConflict(`somebody released the lock of ${name} (zoneform state unlock) while this run held it`);
  }

  async function holding(): Promise<Holding | undefined> {
    const { newest, isReleased } = await guard(folder, "read", () => listIfThere(fs, folder));
    return newest === 0 || isReleased ? undefined : await holderOf(newest);
  }

  async function unlock(id: string): Promise<void> {
    const { newest, isReleased } = await listIfThere(fs, folder);
    if (newest === 0 || isReleased) throw notUnlocked(folder, `${name} is not locked`, "there is nothing to unlock");
    const { unlockId } = await holderOf(newest);
    if (id !== unlockId) {
      throw notUnlocked(
        folder,
        `${name} is locked with another id`,
        "give the id from the message that reported the lock",
      );
    }
    await guard(folder, "unlocked", () => markReleased(fs, folder, newest));
  }

  return { acquire, check, isHeld, holding, taken, unlock };
}

function backOff(attempt: number, random: Random): number {
  const delay = Math.min(LONGEST_DELAY_MILLISECONDS, FIRST_DELAY_MILLISECONDS * 2 ** Math.min(attempt, 10));
  return delay * (0.5 + random.fraction() / 2);
}

function lockedMessage(name: string, found: Holding, folder: string, now: number): string {
  const { holder, unlockId: id } = found;
  if (!holder)
    return `${name} is locked by an unknown process: its lock file in ${folder} cannot be read; lock id ${id}`;
  const life = found.isAlive ? "running" : "maybe on another machine";
  const page = holder.runUrl === undefined ? "" : `, ${holder.runUrl}`;
  return `${name} is locked by ${holder.who} (${holder.operation}, process ${holder.processId}, ${life}${page}) since ${holder.since}${ageOf(holder.since, now)}; lock id ${id}`;
}

async function listIfThere(fs: FileSystem, folder: string): ReturnType<typeof listGenerations> {
  try {
    return await listGenerations(fs, folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { newest: 0, isReleased: false };
    throw error;
  }
}

function notUnlocked(folder: string, message: string, remedy: string): StateError {
  return new StateError({ code: "not-unlocked", message, remedy, at: { file: folder, line: 1, column: 1 } });
}
