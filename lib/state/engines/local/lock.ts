import type { Backoff, Clock, Random, SteadyClock } from "../../../core/clock.ts";
import { errorCode, type FileSystem } from "../../../core/file-system.ts";
import { lockedOtherwise, notLocked } from "../../error.ts";
import {
  describeHolding,
  type Holding,
  type Lease,
  Locked,
  type LockHolder,
  StoreConflict,
  type Taken,
} from "../../lock.ts";
import { guard } from "./failure.ts";
import {
  decodeGeneration,
  encodeGeneration,
  type Generation,
  type Identity,
  isAlive,
  listGenerations,
  markReleased,
  readGeneration,
  rewriteGeneration,
  sweep,
  takeGeneration,
} from "./generations.ts";
import { type Turn, waitTurn } from "../waiting.ts";

const BACKOFF: Backoff = { firstMilliseconds: 20, longestMilliseconds: 1000 };

/** What a lock needs from outside. */
export interface LockWorld {
  readonly fs: FileSystem;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly steady: SteadyClock;
  readonly random: Random;
  /** The serial of the state under the lock, once that state is durable; undefined if there is none. */
  readonly durableSerial?: () => Promise<number | undefined>;
  /**
   * The highest fence that was used in the data under the lock: a power cut may keep the data and lose the generation.
   */
  readonly usedFence?: () => Promise<number>;
}

/**
 * Runs `act` as the holder. If it fails after the lock was lost, the next holder caused that: then this throws
 * `StoreConflict`.
 */
export async function asHolder<T>(
  lock: Pick<GenerationLock, "check">,
  lease: Lease,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await lock.check(lease);
    throw error;
  }
}

/**
 * The lock of a zone's local state. Generation N+1 can be taken once N was released, or once its holder is provably
 * dead. No file that may be a live lock is ever removed, so two processes that see the same dead holder cannot both
 * win. N is the fence.
 */
export class GenerationLock {
  private readonly world: LockWorld;
  private readonly fs: FileSystem;
  private readonly folder: string;
  private readonly name: string;

  constructor(world: LockWorld, folder: string, name: string) {
    this.world = world;
    this.fs = world.fs;
    this.folder = folder;
    this.name = name;
  }

  /** Takes the lock, waiting at most this long. Throws `Locked`, `StateError`, or the signal's reason. */
  async acquire(holder: Omit<LockHolder, "id">, waitMilliseconds: number, signal?: AbortSignal): Promise<Lease> {
    await guard(this.folder, "locked", () => this.fs.makeDirectory(this.folder, 0o700));
    return waitTurn({ ...this.world, backoff: BACKOFF, waitMilliseconds, signal }, () =>
      guard(this.folder, "locked", () => this.attemptOnce(holder)),
    );
  }

  private async attemptOnce(wish: Omit<LockHolder, "id">): Promise<Turn<Lease>> {
    for (;;) {
      const { newest, isReleased } = await listGenerations(this.fs, this.folder);
      const holding = newest === 0 || isReleased ? undefined : await this.holderOf(newest);
      if (holding && holding.isAlive !== false) return { refusal: () => this.lockedBy(holding) };
      const lease = await this.take(wish, newest);
      if (lease) return { taken: lease };
    }
  }

  private lockedBy(holding: Holding): Locked {
    return new Locked(holding, describeHolding(holding, this.world.clock.now()));
  }

  private async holderOf(generation: number): Promise<Holding> {
    const content = await readGeneration(this.fs, this.folder, generation);
    // The file was deleted after we listed it: there is a newer generation.
    const unlockId = `g${generation}`;
    if (content === undefined) return { unlockId, holder: undefined, isAlive: false };
    const decoded = decodeGeneration(content);
    // A mark that cannot be read has no id, so the name of its file is the id.
    if (!decoded) return { unlockId, holder: undefined, isAlive: undefined };
    const { holder, mark } = decoded;
    return { unlockId: holder.id, holder, isAlive: isAlive(mark, this.world.identity) };
  }

  private async take(wish: Omit<LockHolder, "id">, before: number): Promise<Lease | undefined> {
    const id = this.world.random.uuid();
    const generation = Math.max(before, (await this.world.usedFence?.()) ?? 0) + 1;
    const content = encodeGeneration({
      holder: { ...wish, id },
      mark: this.world.identity,
      serial: await this.serialAfter(before),
    });
    if (!(await takeGeneration(this.fs, this.folder, generation, id, content))) return undefined;
    return (await this.isNewest(generation)) ? this.leaseOf(id, generation) : undefined;
  }

  /**
   * Never lower than the previous serial, so that taking the lock with an older state does not erase the evidence of a
   * newer one.
   */
  private async serialAfter(before: number): Promise<number> {
    const found = await this.world.durableSerial?.();
    if (found === undefined) return 0;
    return Math.max(found, (await this.generationOf(before))?.serial ?? 0);
  }

  private async generationOf(number: number): Promise<Generation | undefined> {
    const content = number === 0 ? undefined : await readGeneration(this.fs, this.folder, number);
    return content === undefined ? undefined : decodeGeneration(content);
  }

  /** Who took it last, and for which state. */
  async taken(): Promise<Taken | undefined> {
    const found = await guard(this.folder, "read", async () =>
      this.generationOf((await listIfThere(this.fs, this.folder)).newest),
    );
    return found && { holder: found.holder, serial: found.serial };
  }

  /**
   * Checked again after the generation is taken: a process that slept may have taken a number that was used and
   * deleted long before.
   */
  private async isNewest(generation: number): Promise<boolean> {
    try {
      const { newest } = await listGenerations(this.fs, this.folder);
      if (newest === generation) await sweep(this.fs, this.folder, generation);
      return newest === generation;
    } catch (error) {
      // The generation is ours, but no caller gets its lease, so it must not stay taken while this process lives.
      await markReleased(this.fs, this.folder, generation).catch(() => undefined);
      throw error;
    }
  }

  private leaseOf(id: string, fence: number): Lease {
    return {
      id,
      fence,
      release: () => guard(this.folder, "unlocked", () => markReleased(this.fs, this.folder, fence)),
    };
  }

  /** Throws `StoreConflict` if the lease does not allow writing. */
  async check({ fence }: Lease): Promise<void> {
    const { newest, isReleased } = await guard(this.folder, "checked", () => listGenerations(this.fs, this.folder));
    if (newest === fence && !isReleased) return;
    throw new StoreConflict(`somebody unlocked ${this.name} (zoneform state unlock) while this run held the lock`);
  }

  /** Records that the holder removed the state: the next one may have any serial. Throws `StoreConflict`. */
  async forgetSerial(lease: Lease): Promise<void> {
    await this.check(lease);
    const found = await this.generationOf(lease.fence);
    if (!found || found.serial === 0) return;
    const content = encodeGeneration({ ...found, serial: 0 });
    await guard(this.folder, "written", () =>
      rewriteGeneration(this.fs, this.folder, lease.fence, this.world.random.uuid(), content),
    );
  }

  /** The holder; undefined if the lock is free. */
  async holding(): Promise<Holding | undefined> {
    const { newest, isReleased } = await guard(this.folder, "read", () => listIfThere(this.fs, this.folder));
    return newest === 0 || isReleased ? undefined : await this.holderOf(newest);
  }

  /** Frees the lock from outside; the id must be the holder's. Throws `StateError`. */
  async unlock(id: string): Promise<void> {
    const { newest, isReleased } = await listIfThere(this.fs, this.folder);
    if (newest === 0 || isReleased) throw notLocked(this.name, this.folder);
    const { unlockId } = await this.holderOf(newest);
    if (id !== unlockId) throw lockedOtherwise(this.name, this.folder);
    await guard(this.folder, "unlocked", () => markReleased(this.fs, this.folder, newest));
  }
}

async function listIfThere(fs: FileSystem, folder: string): ReturnType<typeof listGenerations> {
  try {
    return await listGenerations(fs, folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { newest: 0, isReleased: false };
    throw error;
  }
}
