import { type Backoff, momentOf, pauseBefore } from "../../../core/clock.ts";
import { defined } from "../../../core/json.ts";
import { type Engine, highestSerial, type TakenLock, type ZoneKey } from "../../engine.ts";
import { lockedAnew, lockedOtherwise, notLocked, StateError } from "../../error.ts";
import { describeHolding, type Holding, Locked, type LockHolder } from "../../lock.ts";
import { leaseOf } from "../lease-sessions.ts";
import { emptyHead, type Head, HEAD, type Keys, keysOf, viewOf } from "./head.ts";
import { findHead, RENEWAL_MILLISECONDS, type StoredHead, type TakenHead } from "./locked-head.ts";
import { create, refusalCounter, type Place, replace, sendUntilSettled, withStateErrors } from "./place.ts";
import { checkConditions } from "./probe.ts";
import { Session } from "./session.ts";
import { bytesOf, makeSeen, type ZoneIndex } from "./shared.ts";

/** If a head does not change for this long, by the steady clock of the waiting run, its holder is dead. */
export const DEAD_AFTER_MILLISECONDS = 60_000;

/** A live holder renews within this time, which leaves some room for a slow request. */
const SIGN_OF_LIFE_MILLISECONDS = RENEWAL_MILLISECONDS + 5000;

/** The pauses between looks at a lock that another run holds. */
const LOOKS: Backoff = { firstMilliseconds: 50, longestMilliseconds: 1000 };

/**
 * The lock of a zone: an object that its holder renews, and that each write of the holder has to replace. `sessions`
 * has the sessions of the leases of this process, by `sessionName`.
 */
export function locks(
  place: Place,
  sessions: Map<string, Session>,
  index: ZoneIndex,
): Pick<Engine, "lock" | "holding" | "unlock"> {
  const { steady, random } = place;

  async function lock(
    key: ZoneKey,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<TakenLock> {
    signal?.throwIfAborted();
    const id = random.uuid();
    const keys = keysOf(key);
    const deadline = steady.now() + waitMilliseconds;
    // The signal that ends the wait for the lock also ends the wait for the server.
    const waiting: Place = { ...place, signal };
    return withStateErrors(place, "locked", async () => {
      await checkConditions(waiting);
      const taken = await takeLock(waiting, { key, keys, holder: { ...holder, id }, deadline, index });
      const session = new Session(place, key, taken);
      const lease = leaseOf(sessions, key.project, key.zone, id, session);
      try {
        await session.fenceOff();
      } catch (error) {
        await lease.release().catch(() => undefined);
        throw error;
      }
      return { lease, view: viewOf(session.head()) };
    });
  }

  async function holding(key: ZoneKey): Promise<Holding | undefined> {
    const stored = await withStateErrors(place, "read", () => findHead(place, keysOf(key)));
    return stored?.head.isLocked ? holdingOf(stored) : undefined;
  }

  async function unlock(key: ZoneKey, id: string): Promise<void> {
    const keys = keysOf(key);
    const name = `the state of zone ${key.zone}`;
    const countRefusal = refusalCounter(place);
    await withStateErrors(place, "unlocked", async () => {
      for (let isAgain = false; ; isAgain = true) {
        const stored = await findHead(place, keys);
        const head = stored?.head;
        if (!stored || !head?.isLocked) throw isAgain ? lockedAnew(name) : notLocked(name);
        if (holdingOf(stored).unlockId !== id) throw isAgain ? lockedAnew(name) : lockedOtherwise(name);
        const wanted: Head = {
          ...head,
          nonce: random.uuid(),
          epoch: head.epoch + 1,
          isLocked: undefined,
          isUnfenced: true,
        };
        if ((await replace(place, keys.head, stored.tag, bytesOf(HEAD, wanted))) !== undefined) return;
        await countRefusal(stored.tag);
      }
    });
  }

  return { lock, holding, unlock };
}

/** A request for the lock of a zone. */
interface Wish {
  readonly key: ZoneKey;
  readonly keys: Keys;
  readonly holder: LockHolder;
  /** By the steady clock. */
  readonly deadline: number;
  readonly index: ZoneIndex;
}

/**
 * Takes the lock, waiting until it is free or its holder is proved dead. Throws `Locked`. The place's signal ends the
 * wait.
 */
async function takeLock(place: Place, wish: Wish): Promise<TakenHead> {
  const { steady, clock, signal } = place;
  const countRefusal = refusalCounter(place);
  let watched: { readonly tag: string; readonly since: number } | undefined;
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const asked = steady.now();
    const stored = (await findHead(place, wish.keys)) ?? (await makeHead(place, wish));
    const { head, tag } = stored;
    const isChanged = watched !== undefined && watched.tag !== tag;
    // The time runs from the first response that showed this version to the last request that found it.
    if (watched?.tag !== tag) watched = { tag, since: steady.now() };
    const isDead = asked - watched.since >= DEAD_AFTER_MILLISECONDS;
    if (!head.isLocked || isDead) {
      const taken = await take(place, wish, stored);
      if (taken) return taken;
      await countRefusal(tag);
      continue;
    }
    const left = wish.deadline - steady.now();
    if (left <= 0 && (isChanged || isFresh(stored))) throw lockedFault(stored, clock.now());
    const rest = left > 0 ? left : LOOKS.longestMilliseconds;
    await steady.sleep(Math.min(rest, pauseBefore(LOOKS, attempt)), signal);
  }
}

/** Makes one attempt to take the lock from the version that was seen. */
async function take(place: Place, { keys, holder }: Wish, { head, tag }: StoredHead): Promise<TakenHead | undefined> {
  const sent = momentOf(place);
  const wanted: Head = {
    ...head,
    nonce: place.random.uuid(),
    epoch: head.epoch + 1,
    isLocked: true,
    holder,
    serial: highestSerial(head.entries, head.serial),
    isUnfenced: head.isLocked ?? head.isUnfenced,
  };
  const bytes = bytesOf(HEAD, wanted);
  // A request that may take the lock is never interrupted: nothing would give that lock back.
  const send = (): Promise<string | undefined> => place.bucket.replace(place.prefix + keys.head, tag, bytes);
  const made = await sendUntilSettled(place, keys.head, bytes, send);
  return made === undefined ? undefined : { head: wanted, tag: made, sent };
}

/** Makes the head of a zone at its first use. */
async function makeHead(place: Place, { key, keys, index }: Wish): Promise<StoredHead> {
  await index.add(key);
  await makeSeen(place, keys);
  const head: Head = { ...emptyHead(), nonce: place.random.uuid() };
  const tag = await create(place, keys.head, bytesOf(HEAD, head));
  if (tag !== undefined) return { head, tag, ageMilliseconds: 0 };
  const found = await findHead(place, keys);
  if (found) return found;
  const name = place.prefix + keys.head;
  throw new StateError({ code: "state-server", message: `the object ${name} was deleted meanwhile` });
}

/** Whether the holder renewed so recently that it is alive: a longer wait would not show its death. */
function isFresh({ ageMilliseconds }: StoredHead): boolean {
  return ageMilliseconds !== undefined && ageMilliseconds < SIGN_OF_LIFE_MILLISECONDS;
}

/** The holder of the lock, from its head. */
function holdingOf({ head, ageMilliseconds }: StoredHead): Holding {
  const isSilent = ageMilliseconds !== undefined && ageMilliseconds >= DEAD_AFTER_MILLISECONDS;
  return {
    unlockId: head.holder?.id ?? `epoch-${head.epoch}`,
    holder: head.holder,
    isAlive: isSilent ? false : undefined,
    renewal: { deadAfterMilliseconds: DEAD_AFTER_MILLISECONDS, ...defined({ ageMilliseconds }) },
  };
}

/** The refusal once the wait is over; `now` is in ms since the epoch. */
function lockedFault(stored: StoredHead, now: number): Locked {
  const found = holdingOf(stored);
  return new Locked(found, describeHolding(found, now));
}
