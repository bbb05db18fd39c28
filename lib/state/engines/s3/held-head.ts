import { pauseBefore } from "../../../core/backoff.ts";
import type { ZoneId } from "../../../core/brand.ts";
import { elapsedSince, type Moment, momentOf } from "../../../core/elapsed.ts";
import { turns } from "../../../core/turns.ts";
import { givenBack, takenOver } from "../../lease-sessions.ts";
import type { StoreConflict } from "../../store.ts";
import { BucketLost } from "./bucket.ts";
import { conditionsIgnored, unreachable } from "./failure.ts";
import { authorOf, type Head, HEAD, type Keys } from "./head.ts";
import { bytesOf } from "./json-object.ts";
import { loosened } from "./loose.ts";
import { mismatches } from "./mismatches.ts";
import { outage } from "../../outage.ts";
import { BACKOFF } from "./patience.ts";
import { create, noteGivenUp, type Place, serverNow } from "./place.ts";
import type { Change } from "./session.ts";
import { findHead, type StoredHead } from "./stored-head.ts";

/** How often a holder renews its lock. */
export const RENEWAL_MILLISECONDS = 15_000;

/** A holder that could not renew for so long sends nothing more. */
export const TRUST_MILLISECONDS = 45_000;

/** A lock that was just taken. */
export interface TakenHead {
  readonly head: Head;
  readonly tag: string;
  /** When the request that took it was sent. */
  readonly sent: Moment;
}

/** The head of a zone while this process has its lock: each version replaces the one that it wrote last. */
export interface HeldHead {
  /** The version that was written last, with the objects of the journal that came since. */
  head(): Head;
  /** Writes the next version. Throws `StoreConflict`, `StateError`, `BucketLost`. */
  publish(change: Change, until?: () => number): Promise<void>;
  /** The right to send something: after a pause the bucket is asked first. Throws like `publish`. */
  checkTrusted(): Promise<void>;
  /** Throws like `publish` unless the lock is held, as the bucket says now. */
  checkHeld(): Promise<void>;
  /** Creates an object; false if another one is there, although the lock is held. Throws like `publish`. */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Creates an object under a name that only this holder uses. Throws like `publish`. */
  createNew(key: string, bytes: Uint8Array): Promise<void>;
  /** The journal has one object more. */
  addSegment(): void;
  /** A name that was never used. */
  newName(): string;
  /** Until when something that starts now is repeated. */
  deadline(): () => number;
  /** Ends the renewals; nothing can be sent any more. */
  end(): void;
  isOver(): boolean;
}

/** Holds a lock that was taken, and renews it. */
export function holdHead(place: Place, keys: Keys, zone: ZoneId, taken: TakenHead): HeldHead {
  const { bucket, prefix, steady, random, where, patienceMilliseconds } = place;
  const { epoch, holder } = taken.head;
  const author = authorOf(taken.head);
  let { head, tag } = taken;
  /** When the request was sent that the bucket confirmed last. */
  let confirmed = taken.sent;
  let next = head.next;
  /** Why the lease is over for good. */
  let conflict: StoreConflict | undefined;
  const over = new AbortController();
  const inTurn = turns();

  /** Nothing is repeated for longer than the lock is trusted. */
  function deadline(): () => number {
    const begin = steady.now();
    return () => Math.min(begin + patienceMilliseconds, confirmed.steady + TRUST_MILLISECONDS);
  }

  function checkOpen(): void {
    if (conflict) throw conflict;
    if (over.signal.aborted) throw givenBack(zone);
  }

  async function checkTrusted(): Promise<void> {
    checkOpen();
    if (elapsedSince(confirmed, place) < TRUST_MILLISECONDS) return;
    await renew();
    if (elapsedSince(confirmed, place) < TRUST_MILLISECONDS) return;
    throw unreachable(where, new BucketLost("the lock could not be renewed"));
  }

  /** One attempt. */
  function renew(): Promise<void> {
    return publish(
      (before) => ({ ...before, renewals: before.renewals + 1 }),
      () => steady.now(),
    );
  }

  function publish(change: Change, until?: () => number): Promise<void> {
    return inTurn(() => replace(change, until ?? deadline()));
  }

  async function replace(change: Change, until: () => number): Promise<void> {
    const nonce = random.uuid();
    const sent = momentOf(place);
    const mismatch = mismatches(place);
    const failed = outage(steady, place.away);
    const began = steady.now();
    for (let attempt = 0; ; attempt += 1) {
      checkOpen();
      const wanted: Head = { ...loosened(head, change(head), serverNow(place)), nonce, next };
      try {
        const made = await bucket.replace(prefix + keys.head, tag, bytesOf(HEAD, wanted));
        place.known.hasGivenUp = false;
        if (made !== undefined) return adopt({ head: wanted, tag: made }, sent);
        const found = await own(until);
        // Another version of ours, whose reply was lost, is where the next attempt starts.
        adopt(found, found.head.nonce === nonce ? sent : confirmed);
        if (found.head.nonce === nonce) return;
        await mismatch();
      } catch (error) {
        if (!(error instanceof BucketLost)) throw error;
        const left = until() - steady.now();
        if (left <= 0) {
          noteGivenUp(place, began);
          throw error;
        }
        failed(left);
        await steady.sleep(Math.min(left, pauseBefore(BACKOFF, attempt)));
      }
    }
  }

  /** The head as it is now. Throws `StoreConflict` if somebody else wrote it. */
  async function own(until: () => number): Promise<StoredHead> {
    const found = await findHead(place, keys, until);
    if (!found || !isOurs(found.head)) throw lose();
    return found;
  }

  function isOurs(found: Head): boolean {
    return found.epoch === epoch && found.isHeld === true && found.holder?.id === holder?.id;
  }

  function adopt(now: Pick<StoredHead, "head" | "tag">, sent: Moment): void {
    const { name, segments } = now.head.journal;
    // An earlier version of ours does not know of the objects that came since.
    const known = name === head.journal.name ? Math.max(segments, head.journal.segments) : segments;
    head = { ...now.head, journal: { name, segments: known } };
    tag = now.tag;
    confirmed = sent;
  }

  function lose(): StoreConflict {
    conflict = takenOver(zone);
    over.abort();
    return conflict;
  }

  async function createOurs(key: string, bytes: Uint8Array): Promise<boolean> {
    await checkTrusted();
    const isMade = (await create(place, key, bytes, deadline())) !== undefined;
    await (isMade ? checkTrusted() : checkOurs());
    return isMade;
  }

  /** An object that was not expected may be the mark of whoever took the lock over. */
  async function checkOurs(): Promise<void> {
    await own(deadline());
  }

  async function keepRenewing(): Promise<void> {
    for (let delay = RENEWAL_MILLISECONDS; ;) {
      await steady.rest(delay, over.signal);
      // What the head's last change confirmed needs no renewal yet.
      const due = confirmed.steady + RENEWAL_MILLISECONDS - steady.now();
      if (due > 0) {
        delay = due;
        continue;
      }
      try {
        await renew();
        delay = RENEWAL_MILLISECONDS;
      } catch (error) {
        if (conflict) return;
        delay = error instanceof BucketLost ? pauseBefore(BACKOFF, 5) : RENEWAL_MILLISECONDS / 3;
      }
    }
  }
  // Ends with the session; whoever writes next is told what went wrong.
  keepRenewing().catch(() => undefined);

  return {
    head: () => head,
    publish,
    checkTrusted,
    checkHeld: async () => {
      await checkTrusted();
      await checkOurs();
      await checkTrusted();
    },
    create: createOurs,
    createNew: async (key, bytes) => {
      if (!(await createOurs(key, bytes))) throw conditionsIgnored(where, "it finds an object that nobody created");
    },
    addSegment: () => {
      head = { ...head, journal: { ...head.journal, segments: head.journal.segments + 1 } };
    },
    newName: () => {
      next += 1;
      return `${author}-${next - 1}`;
    },
    deadline,
    end: () => over.abort(),
    isOver: () => over.signal.aborted,
  };
}
