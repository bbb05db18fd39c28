import { type Backoff, pauseBefore } from "../../core/backoff.ts";
import type { ZoneId } from "../../core/brand.ts";
import { momentOf } from "../../core/elapsed.ts";
import { StateError } from "../error.ts";
import { describeHolding } from "../holding.ts";
import { leaseOf } from "../lease-sessions.ts";
import { notUnlocked } from "../not-unlocked.ts";
import { type Holding, type Lease, Locked, type LockHolder, type StateStore, type Taken } from "../store.ts";
import { BucketLost, type Found } from "./bucket.ts";
import { emptyHead, type Head, HEAD, type Keys, keysOf, type Loose, type Unclean } from "./head.ts";
import { addToIndex } from "./index-object.ts";
import { bytesOf, valueIn } from "./json-object.ts";
import { makeSeen } from "./observations.ts";
import { mismatches } from "./mismatches.ts";
import { create, find, findIfAny, type Place, replace, settled, told } from "./place.ts";
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

/** How long a new holder looks for what a dead one had begun: it is only in the way. */
const SEARCH_MILLISECONDS = 5000;

/** A head, and the version of the object that says so. */
interface Stored {
  readonly head: Head;
  readonly tag: string;
  readonly ageMilliseconds: number | undefined;
}

/** The lock of a zone: an object that its holder renews, and that everything the holder writes has to replace. */
export function locks(
  place: Place,
  project: string,
): Pick<StateStore, "lock" | "holding" | "taken" | "unlock" | "deadAfterMilliseconds"> {
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
      const lease = leaseOf(sessions, project, zone, wish.holder.id, session);
      try {
        await fenceOff(waiting, keys, session);
      } catch (error) {
        await lease.release().catch(() => undefined);
        throw error;
      }
      return lease;
    });
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
    const mismatch = mismatches(wish.place);
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
        await mismatch(tag);
        continue;
      }
      const left = deadline - steady.now();
      if (left <= 0 && (isChanged || isFresh(stored))) throw lockedFault(wish.zone, stored);
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
    const bytes = bytesOf(HEAD, wanted);
    // A request that may take the lock is not interrupted: nobody would give that lock back.
    const send = (): Promise<string | undefined> => waiting.bucket.replace(prefix + keys.head, tag, bytes);
    const made = await settled(waiting, keys.head, bytes, send);
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

  /** Sees to it that nothing of an earlier holder can still come, and that what it had only begun is removed. */
  async function fenceOff(waiting: Place, keys: Keys, session: Session): Promise<void> {
    const { unclean } = session.head();
    if (unclean.length === 0) return;
    await session.fence();
    const limit = steady.now() + SEARCH_MILLISECONDS;
    const loose: Loose[] = [];
    const left: Unclean[] = [];
    for (const each of unclean) {
      const search: Search = { place: waiting, keys, deadline: () => limit };
      const found = steady.now() < limit ? await looseAfter(search, each) : undefined;
      if (found) loose.push(...found);
      else left.push(each);
    }
    await session.change((head) => ({ ...head, unclean: left, loose: [...loose, ...head.loose] }));
  }

  interface Search {
    readonly place: Place;
    readonly keys: Keys;
    readonly deadline: () => number;
  }

  /**
   * What an earlier holder had begun; undefined if the server does not say it in time. Names are used in their order, so
   * what the head did not know of begins at the next one.
   */
  async function looseAfter(search: Search, { epoch, next }: Unclean): Promise<readonly Loose[] | undefined> {
    const loose: Loose[] = [];
    try {
      for (let number = next; number < next + MOST_UNKNOWN_NAMES; number += 1) {
        const name = `${epoch}-${number}`;
        for (const kind of ["bodies", "journal"] as const)
          loose.push({ kind, name, parts: await partsOf(search, kind, name), since: 0 });
      }
    } catch (error) {
      if (error instanceof BucketLost) return undefined;
      throw error;
    }
    return loose.filter(({ parts }) => parts > 0);
  }

  /** How many objects there are of a name, at most: they were created one after the other. */
  async function partsOf({ place: asked, keys, deadline }: Search, kind: Loose["kind"], name: string): Promise<number> {
    const isThere = async (number: number): Promise<boolean> =>
      (await findIfAny(asked, kind === "journal" ? keys.segment(name, number) : keys.part(name, number), deadline)) !==
      undefined;
    if (!(await isThere(0))) return 0;
    let parts = 1;
    while (await isThere(parts)) parts *= 2;
    return parts;
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
    const mismatch = mismatches(place);
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
        await mismatch(stored.tag);
      }
    });
  }

  function lockedFault(zone: ZoneId, stored: Stored): Locked {
    const found = holdingOf(stored);
    const message = `the state of zone ${zone} is ${describeHolding(found, clock.now())}`;
    return new Locked(message, found.holder, found.isAlive);
  }

  return { deadAfterMilliseconds: DEAD_AFTER_MILLISECONDS, lock, holding, taken, unlock };
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
  const renewed =
    ageMilliseconds === undefined ? "" : `renewed ${Math.round(Math.max(0, ageMilliseconds) / 1000)} s ago; `;
  return {
    unlockId: head.holder?.id ?? `epoch-${head.epoch}`,
    holder: head.holder,
    isAlive: undefined,
    remark: `${renewed}a dead run is replaced after ${DEAD_AFTER_MILLISECONDS / 1000} s`,
  };
}

function lostTurn(name: string): StateError {
  return notUnlocked(`another run took the lock of ${name} in the meantime`, "ask again who holds it");
}
