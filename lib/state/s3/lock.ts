import { type Backoff, pauseBefore } from "../../core/backoff.ts";
import type { ZoneId } from "../../core/brand.ts";
import { defined } from "../../core/defined.ts";
import { momentOf } from "../../core/elapsed.ts";
import { StateError } from "../error.ts";
import { describeHolding } from "../holding.ts";
import { sessionName } from "../lease-sessions.ts";
import { notUnlocked } from "../not-unlocked.ts";
import { type Holding, type Lease, Locked, type LockHolder, type StateStore, type Taken } from "../store.ts";
import type { Found } from "./bucket.ts";
import { emptyHead, type Head, HEAD, type Keys, keysOf, type Unclean } from "./head.ts";
import { addToIndex } from "./index-object.ts";
import { bytesOf, valueIn } from "./json-object.ts";
import { makeSeen } from "./observations.ts";
import { create, find, type Place, replace, sweep, told } from "./place.ts";
import { checkConditions } from "./probe.ts";
import { openSession, RENEWAL_MILLISECONDS, type TakenHead } from "./session.ts";
import type { Session } from "./held-lock.ts";

/** A holder whose object did not change for so long is dead, by the steady clock of whoever waits. */
export const DEAD_AFTER_MILLISECONDS = 60_000;

/** A living holder renews within this time, with some room for a slow request. */
const SIGN_OF_LIFE_MILLISECONDS = RENEWAL_MILLISECONDS + 5000;

/** How often somebody who waits looks at the lock. */
const LOOKS: Backoff = { firstMilliseconds: 50, longestMilliseconds: 1000 };

/** A dead holder used at most this many names that its last head does not know of. */
const MOST_UNKNOWN_NAMES = 4;

/** A head, and the version of the object that says so. */
interface Stored {
  readonly head: Head;
  readonly tag: string;
  readonly ageMilliseconds: number | undefined;
}

/** The lock of a zone: an object that its holder renews, and that everything the holder writes has to replace. */
export function locks(place: Place, project: string): Pick<StateStore, "lock" | "holding" | "taken" | "unlock"> {
  const { clock, steady, random, prefix, sessions } = place;

  async function headOf(keys: Keys, asking: Place = place): Promise<Stored | undefined> {
    const found = await find(asking, keys.head);
    return found && storedIn(found, prefix + keys.head);
  }

  async function lock(
    zone: ZoneId,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    signal?.throwIfAborted();
    const keys = keysOf(project, zone);
    // Whoever gives up waiting for the lock gives up waiting for the server too.
    const waiting: Place = { ...place, signal };
    const wish: Wish = { zone, keys, holder: { ...holder, id: random.uuid() }, place: waiting };
    const deadline = steady.now() + waitMilliseconds;
    return told(place, "locked", async () => {
      await checkConditions(waiting);
      const taken = await acquire(wish, deadline);
      const session = openSession(place, keys, zone, taken);
      sessions.set(sessionName(project, zone, wish.holder.id), session);
      try {
        await fenceOff(keys, session);
      } catch (error) {
        await session.release().catch(() => undefined);
        throw error;
      }
      return leaseOf(zone, wish.holder.id, session);
    });
  }

  function leaseOf(zone: ZoneId, id: string, session: Session): Lease {
    const release = async (): Promise<void> => {
      await session.release();
      sessions.delete(sessionName(project, zone, id));
    };
    return { id, fence: session.epoch, release };
  }

  interface Wish {
    readonly zone: ZoneId;
    readonly keys: Keys;
    readonly holder: LockHolder;
    /** The place, for somebody who may give up. */
    readonly place: Place;
  }

  /** Waits for the lock, and for the proof that its holder is dead. */
  async function acquire(wish: Wish, deadline: number): Promise<TakenHead> {
    let watched: { readonly tag: string; readonly since: number } | undefined;
    for (let attempt = 0; ; attempt += 1) {
      wish.place.signal?.throwIfAborted();
      const asked = steady.now();
      const stored = (await headOf(wish.keys, wish.place)) ?? (await makeHead(wish));
      const { head, tag } = stored;
      const isChanged = watched !== undefined && watched.tag !== tag;
      // It counts from the answer that showed it first to the question that showed it last.
      if (watched?.tag !== tag) watched = { tag, since: steady.now() };
      const isDead = asked - watched.since >= DEAD_AFTER_MILLISECONDS;
      if (!head.isHeld || isDead) {
        const taken = await take(wish, stored);
        if (taken) return taken;
        continue;
      }
      const left = deadline - steady.now();
      if (left <= 0 && (isChanged || isFresh(stored))) throw lockedBy(holdingOf(stored), clock.now());
      const rest = left > 0 ? left : LOOKS.longestMilliseconds;
      await steady.sleep(Math.min(rest, pauseBefore(LOOKS, attempt)), wish.place.signal);
    }
  }

  /** One attempt to take what was seen. */
  async function take({ keys, holder, place: waiting }: Wish, { head, tag }: Stored): Promise<TakenHead | undefined> {
    const sent = momentOf(place);
    const wanted: Head = {
      ...head,
      nonce: random.uuid(),
      epoch: head.epoch + 1,
      isHeld: true,
      holder,
      renewals: 0,
      next: 0,
      serial: head.snapshot ? Math.max(head.serial, head.snapshot.serial) : 0,
      unclean: head.isHeld ? [...head.unclean, uncleanOf(head)] : head.unclean,
      freedBy: undefined,
    };
    const made = await replace(waiting, keys.head, tag, bytesOf(HEAD, wanted));
    return made === undefined ? undefined : { head: wanted, tag: made, sent };
  }

  /** The head of a zone that is used for the first time. */
  async function makeHead({ zone, keys, place: waiting }: Wish): Promise<Stored> {
    await addToIndex(waiting, project, zone);
    await makeSeen(waiting, keys);
    const head: Head = { ...emptyHead(), nonce: random.uuid() };
    const tag = await create(waiting, keys.head, bytesOf(HEAD, head));
    if (tag !== undefined) return { head, tag, ageMilliseconds: 0 };
    const found = await headOf(keys, waiting);
    if (found) return found;
    throw new StateError({ code: "state-server", message: `the object ${prefix}${keys.head} was deleted meanwhile` });
  }

  /** Sees to it that nothing of an earlier holder can still come, and removes what it had only begun. */
  async function fenceOff(keys: Keys, session: Session): Promise<void> {
    const { unclean } = session.head();
    if (unclean.length === 0) return;
    await session.fence();
    for (const each of unclean) await sweepAfter(keys, each);
    await session.change((head) => ({ ...head, unclean: [] }));
  }

  /** Names are used in their order, so what the head did not know of begins at the next one. */
  async function sweepAfter(keys: Keys, { epoch, next }: Unclean): Promise<void> {
    for (let number = next; number < next + MOST_UNKNOWN_NAMES; number += 1) {
      const name = `${epoch}-${number}`;
      await sweepWhile((part) => keys.part(name, part));
      await sweepWhile((part) => keys.segment(name, part));
    }
  }

  /** Removes objects up to the first that is not there. */
  async function sweepWhile(keyOf: (part: number) => string): Promise<void> {
    for (let part = 0; (await find(place, keyOf(part)).catch(() => undefined)) !== undefined; part += 1)
      await sweep(place, [keyOf(part)]);
  }

  async function holding(zone: ZoneId): Promise<Holding | undefined> {
    const stored = await told(place, "read", () => headOf(keysOf(project, zone)));
    return stored?.head.isHeld ? holdingOf(stored) : undefined;
  }

  async function taken(zone: ZoneId): Promise<Taken | undefined> {
    const stored = await told(place, "read", () => headOf(keysOf(project, zone)));
    const holder = stored?.head.holder;
    return stored && holder && { holder, serial: stored.head.serial };
  }

  async function unlock(zone: ZoneId, id: string): Promise<void> {
    const keys = keysOf(project, zone);
    const mark = random.uuid();
    const name = `the state of zone ${zone}`;
    await told(place, "unlocked", async () => {
      for (let isAgain = false; ; isAgain = true) {
        const stored = await headOf(keys);
        const head = stored?.head;
        if (head?.freedBy === mark) return;
        if (!stored || !head?.isHeld)
          throw isAgain ? lostTurn(name) : notUnlocked(`${name} is not locked`, "there is nothing to unlock");
        if (holdingOf(stored).unlockId !== id)
          throw isAgain
            ? lostTurn(name)
            : notUnlocked(`${name} is locked with another id`, "give the id from the message that reported the lock");
        const wanted: Head = {
          ...head,
          nonce: mark,
          epoch: head.epoch + 1,
          isHeld: undefined,
          next: 0,
          unclean: [...head.unclean, uncleanOf(head)],
          freedBy: mark,
        };
        if ((await replace(place, keys.head, stored.tag, bytesOf(HEAD, wanted))) !== undefined) return;
      }
    });
  }

  return { lock, holding, taken, unlock };
}

function storedIn({ bytes, tag, ageMilliseconds }: Found, name: string): Stored {
  return { head: valueIn(HEAD, bytes, name), tag, ageMilliseconds };
}

/** Whether the holder renewed so lately that there is no use in waiting for a sign of its death. */
function isFresh({ ageMilliseconds }: Stored): boolean {
  return ageMilliseconds !== undefined && ageMilliseconds < SIGN_OF_LIFE_MILLISECONDS;
}

function uncleanOf({ epoch, next }: Head): Unclean {
  return { epoch, next };
}

function holdingOf({ head, ageMilliseconds }: Stored): Holding {
  const isSilent = ageMilliseconds !== undefined && ageMilliseconds >= DEAD_AFTER_MILLISECONDS;
  return {
    unlockId: head.holder?.id ?? `epoch-${head.epoch}`,
    holder: head.holder,
    isAlive: isSilent ? false : undefined,
    renewal: { deadAfterMilliseconds: DEAD_AFTER_MILLISECONDS, ...defined({ ageMilliseconds }) },
  };
}

function lockedBy(found: Holding, now: number): Locked {
  return new Locked(found, describeHolding(found, now));
}

function lostTurn(name: string): StateError {
  return notUnlocked(`another run took the lock of ${name} in the meantime`, "ask again who holds it");
}
