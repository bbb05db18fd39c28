import { elapsedSince, type Moment, momentOf, pauseBefore } from "../../../core/clock.ts";
import type { ZoneId } from "../../../core/brand.ts";
import { turns } from "../../../core/lists.ts";
import { givenBack, takenOver } from "../lease-sessions.ts";
import type { StoreConflict } from "../../lock.ts";
import { BucketLost } from "./bucket.ts";
import { unreachable } from "./failure.ts";
import { type Head, HEAD, type Keys, loosened } from "./head.ts";
import { untilAnswered, BACKOFF, create, find, refusalCounter, type Place, serverNow } from "./place.ts";
import { bytesOf, valueIn } from "./shared.ts";

/** How often a holder renews its lock. */
export const RENEWAL_MILLISECONDS = 15_000;

/** How long a holder trusts its lock after the last renewal; then it sends nothing more. */
export const TRUST_MILLISECONDS = 45_000;

/** A head, and the version of its object. */
export interface StoredHead {
  readonly head: Head;
  readonly tag: string;
  readonly ageMilliseconds: number | undefined;
}

/** The current head of a zone; undefined if the zone is unused. Throws `StateError`, and as `Bucket` does. */
export async function findHead(place: Place, keys: Keys, deadline?: number): Promise<StoredHead | undefined> {
  const found = await find(place, keys.head, deadline);
  return found && { ...found, head: valueIn(HEAD, found.bytes, place.prefix + keys.head) };
}

/** Computes the next head from the current one. */
export type Change = (head: Head) => Head;

/** A lock that was just taken. */
export interface TakenHead {
  readonly head: Head;
  readonly tag: string;
  /** When the request that took it was sent. */
  readonly sent: Moment;
}

/** The head of a zone while this process has its lock. Each version replaces the one that this process wrote last. */
export class LockedHead {
  readonly #place: Place;
  readonly #keys: Keys;
  readonly #zone: ZoneId;
  readonly #over = new AbortController();
  readonly #inTurn = turns();
  #head: Head;
  #tag: string;
  /** When the last request that the bucket confirmed was sent. */
  #confirmed: Moment;
  /** Why the lease has ended for good. */
  #conflict: StoreConflict | undefined;

  /** Takes over a lock that was just taken, and renews it. */
  constructor(place: Place, keys: Keys, zone: ZoneId, { head, tag, sent }: TakenHead) {
    this.#place = place;
    this.#keys = keys;
    this.#zone = zone;
    this.#head = head;
    this.#tag = tag;
    this.#confirmed = sent;
    // Renewing ends with the session. If it fails, the next write finds out what went wrong.
    this.#keepRenewing().catch(() => undefined);
  }

  /** The version that was written last, with the journal objects that were added since. */
  head(): Head {
    return this.#head;
  }

  isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Ends the renewals; nothing can be sent after that. */
  end(): void {
    this.#over.abort();
  }

  /** Counts one more object of the journal. */
  addToJournal(): void {
    const { journal } = this.#head;
    this.#head = { ...this.#head, journal: { ...journal, count: journal.count + 1 } };
  }

  /**
   * Writes the next version, retrying until a moment of the steady clock. Throws `StoreConflict`, `StateError`,
   * `BucketLost`.
   */
  publish(change: Change, until: number = this.#deadline()): Promise<void> {
    return this.#inTurn(() => this.#replace(change, until));
  }

  /** Checks that something may be sent: after a pause it asks the bucket first. Throws like `publish`. */
  async checkTrusted(): Promise<void> {
    this.#checkNotOver();
    if (this.#isTrusted()) return;
    await this.#renew();
    if (!this.#isTrusted()) throw unreachable(this.#place.where, new BucketLost("the lock could not be renewed"));
  }

  /** Throws like `publish` unless the bucket says that the lock is held now. */
  async checkLease(): Promise<void> {
    await this.checkTrusted();
    await this.#own(this.#deadline());
    await this.checkTrusted();
  }

  /** Creates an object; false if another one exists, although the lock is held. Throws like `publish`. */
  async create(key: string, bytes: Uint8Array): Promise<boolean> {
    await this.checkTrusted();
    const isMade = (await create(this.#place, key, bytes, this.#deadline())) !== undefined;
    // An unexpected object may be the mark of a run that took the lock over.
    await (isMade ? this.checkTrusted() : this.#own(this.#deadline()));
    return isMade;
  }

  /** The deadline for retries that start now: never later than the lock is trusted. */
  #deadline(): number {
    const { steady, patienceMilliseconds } = this.#place;
    return Math.min(steady.now() + patienceMilliseconds, this.#confirmed.steady + TRUST_MILLISECONDS);
  }

  #isTrusted(): boolean {
    return elapsedSince(this.#confirmed, this.#place) < TRUST_MILLISECONDS;
  }

  #checkNotOver(): void {
    if (this.#conflict) throw this.#conflict;
    if (this.isOver()) throw givenBack(this.#zone);
  }

  #replace(change: Change, until: number): Promise<void> {
    const { bucket, prefix, random } = this.#place;
    const nonce = random.uuid();
    const sent = momentOf(this.#place);
    const countRefusal = refusalCounter(this.#place);
    return untilAnswered(this.#place, until, async () => {
      for (;;) {
        this.#checkNotOver();
        const wanted = { ...loosened(this.#head, change(this.#head), serverNow(this.#place)), nonce };
        const made = await bucket.replace(prefix + this.#keys.head, this.#tag, bytesOf(HEAD, wanted));
        if (made !== undefined) return this.#adopt({ head: wanted, tag: made }, sent);
        // If a version of ours was written although its reply was lost, the next attempt starts from it.
        const found = await this.#own(until);
        const isWanted = found.head.nonce === nonce;
        this.#adopt(found, isWanted ? sent : this.#confirmed);
        if (isWanted) return;
        await countRefusal();
      }
    });
  }

  /** The current head. Throws `StoreConflict` if another process wrote it. */
  async #own(until: number): Promise<StoredHead> {
    const found = await findHead(this.#place, this.#keys, until);
    if (found?.head.isLocked && found.head.holder?.id === this.#head.holder?.id) return found;
    this.#conflict = takenOver(this.#zone);
    this.end();
    throw this.#conflict;
  }

  #adopt(now: Pick<StoredHead, "head" | "tag">, sent: Moment): void {
    const { name, count } = now.head.journal;
    const before = this.#head.journal;
    // An earlier version of ours does not count the objects that were added since.
    const known = name === before.name ? Math.max(count, before.count) : count;
    this.#head = { ...now.head, journal: { name, count: known } };
    this.#tag = now.tag;
    this.#confirmed = sent;
  }

  /** Makes one attempt to renew the lock. */
  #renew(): Promise<void> {
    return this.publish((before) => before, this.#place.steady.now());
  }

  async #keepRenewing(): Promise<void> {
    const { steady } = this.#place;
    for (let pause = RENEWAL_MILLISECONDS; ;) {
      await steady.rest(pause, this.#over.signal);
      // A confirmed change of the head also renews the lock.
      pause = this.#confirmed.steady + RENEWAL_MILLISECONDS - steady.now();
      if (pause > 0) continue;
      pause = await this.#renew().then(
        () => RENEWAL_MILLISECONDS,
        (error: unknown) => (error instanceof BucketLost ? pauseBefore(BACKOFF, 5) : RENEWAL_MILLISECONDS / 3),
      );
    }
  }
}
