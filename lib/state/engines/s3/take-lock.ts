import { type Backoff, pauseBefore } from "../../../core/backoff.ts";
import { momentOf } from "../../../core/elapsed.ts";
import { highestSerial, type ZoneKey } from "../../engine.ts";
import { StateError } from "../../error.ts";
import type { LockHolder } from "../../store.ts";
import { emptyHead, type Head, HEAD, type Keys, uncleanOf } from "./head.ts";
import type { TakenHead } from "./held-head.ts";
import { addToIndex } from "./index.ts";
import { bytesOf } from "./json-object.ts";
import { DEAD_AFTER_MILLISECONDS, isFresh, lockedFault } from "./lock-holding.ts";
import { mismatches } from "./mismatches.ts";
import { makeSeen } from "./sightings.ts";
import { create, type Place, settled } from "./place.ts";
import { findHead, type StoredHead } from "./stored-head.ts";

/** How often somebody who waits looks at the lock. */
const LOOKS: Backoff = { firstMilliseconds: 50, longestMilliseconds: 1000 };

/** Somebody who wants the lock of a zone. */
export interface Wish {
  readonly key: ZoneKey;
  readonly keys: Keys;
  readonly holder: LockHolder;
  /** By the steady clock. */
  readonly deadline: number;
}

/** Takes the lock, and waits for it, or for the proof that its holder is dead. Throws `Locked`. The place's signal ends the wait. */
export async function takeLock(place: Place, wish: Wish): Promise<TakenHead> {
  const { steady, clock, signal } = place;
  const mismatch = mismatches(place);
  let watched: { readonly tag: string; readonly since: number } | undefined;
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    const asked = steady.now();
    const stored = (await findHead(place, wish.keys)) ?? (await makeHead(place, wish));
    const { head, tag } = stored;
    const isChanged = watched !== undefined && watched.tag !== tag;
    // It counts from the answer that showed it first to the question that showed it last.
    if (watched?.tag !== tag) watched = { tag, since: steady.now() };
    const isDead = asked - watched.since >= DEAD_AFTER_MILLISECONDS;
    if (!head.isHeld || isDead) {
      const taken = await take(place, wish, stored);
      if (taken) return taken;
      await mismatch(tag);
      continue;
    }
    const left = wish.deadline - steady.now();
    if (left <= 0 && (isChanged || isFresh(stored))) throw lockedFault(stored, clock.now());
    const rest = left > 0 ? left : LOOKS.longestMilliseconds;
    await steady.sleep(Math.min(rest, pauseBefore(LOOKS, attempt)), signal);
  }
}

/** One attempt to take what was seen. */
async function take(place: Place, { keys, holder }: Wish, { head, tag }: StoredHead): Promise<TakenHead | undefined> {
  const sent = momentOf(place);
  const wanted: Head = {
    ...head,
    nonce: place.random.uuid(),
    epoch: head.epoch + 1,
    isHeld: true,
    holder,
    renewals: 0,
    next: 0,
    serial: highestSerial(head.entries, head.serial),
    unclean: head.isHeld ? [...head.unclean, uncleanOf(head)] : head.unclean,
    freedBy: undefined,
  };
  const bytes = bytesOf(HEAD, wanted);
  // A request that may take the lock is not interrupted: nobody would give that lock back.
  const send = (): Promise<string | undefined> => place.bucket.replace(place.prefix + keys.head, tag, bytes);
  const made = await settled(place, keys.head, bytes, send);
  return made === undefined ? undefined : { head: wanted, tag: made, sent };
}

/** The head of a zone that is used for the first time. */
async function makeHead(place: Place, { key, keys }: Wish): Promise<StoredHead> {
  await addToIndex(place, key);
  await makeSeen(place, keys);
  const head: Head = { ...emptyHead(), nonce: place.random.uuid() };
  const tag = await create(place, keys.head, bytesOf(HEAD, head));
  if (tag !== undefined) return { head, tag, ageMilliseconds: 0 };
  const found = await findHead(place, keys);
  if (found) return found;
  const name = place.prefix + keys.head;
  throw new StateError({ code: "state-server", message: `the object ${name} was deleted meanwhile` });
}
