import { pauseBefore } from "../../core/backoff.ts";
import type { ZoneId } from "../../core/brand.ts";
import { elapsedSince, type Moment, momentOf } from "../../core/elapsed.ts";
import { turns } from "../../core/turns.ts";
import type { StateError } from "../error.ts";
import { givenBack } from "../lease-sessions.ts";
import { StoreConflict } from "../store.ts";
import { stageBody } from "./bodies.ts";
import { BucketLost } from "./bucket.ts";
import { explained, unreachable } from "./failure.ts";
import { type Head, HEAD, type Keys } from "./head.ts";
import { bytesOf, valueIn } from "./json-object.ts";
import type { Change, Session } from "./held-lock.ts";
import { epochIn, segmentsOf } from "./segments.ts";
import { BACKOFF, PATIENCE_MILLISECONDS, persist } from "./patience.ts";
import { keysOfLoose, loosened, removable } from "./loose.ts";
import { create, find, type Place, sweep } from "./place.ts";

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

/** Holds a lock that was taken, and renews it. */
export function openSession(place: Place, keys: Keys, zone: ZoneId, taken: TakenHead): Session {
  const { bucket, prefix, steady, clock, random, where } = place;
  const { epoch } = taken.head;
  let { head, tag } = taken;
  /** When the request was sent that the bucket confirmed last. */
  let confirmed = taken.sent;
  let next = head.next;
  let segments = head.journal.segments;
  /** Whether each append is known to have happened, or not to have. */
  let isJournalKnown = true;
  /** Why the lease is over for good. */
  let end: StoreConflict | StateError | undefined;
  const over = new AbortController();
  const inHeadTurn = turns();
  const inJournalTurn = turns();

  const elapsed = (): number => elapsedSince(confirmed, place);
  /** Nothing is repeated for longer than the lock is trusted. */
  const deadlineFrom = (begin: number): (() => number) => {
    return () => Math.min(begin + PATIENCE_MILLISECONDS, confirmed.steady + TRUST_MILLISECONDS);
  };
  const deadline = (): (() => number) => deadlineFrom(steady.now());

  function checkOpen(): void {
    if (end) throw end;
    if (over.signal.aborted) throw givenBack(zone);
  }

  /** The right to send something: after a pause the bucket is asked first. */
  async function checkTrusted(): Promise<void> {
    checkOpen();
    if (elapsed() < TRUST_MILLISECONDS) return;
    await renew(() => steady.now());
    if (elapsed() >= TRUST_MILLISECONDS) throw unreachable(where, new BucketLost("the lock could not be renewed"));
  }

  const renew = (until: () => number): Promise<void> =>
    inHeadTurn(() => publish((before) => ({ ...before, renewals: before.renewals + 1 }), until));

  /** Writes the next version of the head over the one that this holder wrote last. */
  async function publish(change: Change, until: () => number): Promise<void> {
    const nonce = random.uuid();
    const sent = momentOf(place);
    for (let attempt = 0; ; attempt += 1) {
      checkOpen();
      const before: Head = { ...head, journal: { ...head.journal, segments } };
      const wanted: Head = { ...loosened(before, change(before), clock.now()), nonce, next };
      try {
        const made = await bucket.replace(prefix + keys.head, tag, bytesOf(HEAD, wanted));
        if (made !== undefined) return adopt(wanted, made, sent);
        const found = await ownHead();
        // Another version of ours, whose reply was lost, is where the next attempt starts.
        adopt(found.head, found.tag, found.head.nonce === nonce ? sent : confirmed);
        if (found.head.nonce === nonce) return;
      } catch (error) {
        if (!(error instanceof BucketLost)) throw error;
        const left = until() - steady.now();
        if (left <= 0) throw error;
        await steady.sleep(Math.min(left, pauseBefore(BACKOFF, attempt)));
      }
    }
  }

  /** The head as it is now. Throws `StoreConflict` if somebody else wrote it. */
  async function ownHead(): Promise<{ readonly head: Head; readonly tag: string }> {
    const found = await bucket.get(prefix + keys.head);
    const theirs = found && valueIn(HEAD, found.bytes, prefix + keys.head);
    if (!found || !theirs || !isOurs(theirs)) throw fail(takenOver(zone));
    return { head: theirs, tag: found.tag };
  }

  function isOurs({ epoch: theirs, isHeld, holder }: Head): boolean {
    return theirs === epoch && isHeld === true && holder?.id === taken.head.holder?.id;
  }

  function adopt(now: Head, nowTag: string, sent: Moment): void {
    if (now.journal.name !== head.journal.name) {
      segments = now.journal.segments;
      isJournalKnown = true;
    }
    head = now;
    tag = nowTag;
    confirmed = sent;
  }

  function fail(reason: StoreConflict): StoreConflict {
    end = reason;
    over.abort();
    return reason;
  }

  async function change(wanted: Change): Promise<void> {
    await explaining("written", async () => {
      await checkTrusted();
      await inHeadTurn(() => publish(wanted, deadline()));
      await removeLoose();
    });
  }

  /** What was replaced long ago, and what is too much; a part of it each time, because the caller waits. */
  async function removeLoose(): Promise<void> {
    const { gone, left } = removable(head.loose, clock.now());
    if (gone.length === 0) return;
    await sweep(
      place,
      gone.flatMap((each) => keysOfLoose(keys, each)),
    );
    const rest = new Map(left.map((each) => [each.name, each]));
    const names = new Set(gone.map(({ name }) => name));
    const remove: Change = (before) => ({
      ...before,
      loose: before.loose.flatMap((each) => (names.has(each.name) ? (rest.get(each.name) ?? []) : each)),
    });
    // What was to be written is written: this is tried again by the next change.
    await inHeadTurn(() => publish(remove, () => steady.now())).catch(() => undefined);
  }

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    await checkTrusted();
    // The name is this holder's alone: another object there is the mark of whoever took the lock over.
    if ((await create(place, key, bytes, deadline())) === undefined) throw fail(takenOver(zone));
    await checkTrusted();
  }

  /** It says whose it is, and is different from every other one. */
  const segmentOf = (lines: readonly string[]): Uint8Array =>
    Buffer.from([JSON.stringify({ nonce: random.uuid(), epoch }), ...lines, ""].join("\n"));

  async function append(lines: readonly string[]): Promise<void> {
    const bytes = segmentOf(lines);
    await inJournalTurn(() =>
      explaining("written", async () => {
        if (!isJournalKnown) await settleJournal();
        isJournalKnown = false;
        await put(keys.segment(head.journal.name, segments), bytes);
        segments += 1;
        isJournalKnown = true;
      }),
    );
  }

  /** An earlier append failed without an answer: it has happened, or it will never happen. */
  async function settleJournal(): Promise<void> {
    await checkTrusted();
    const key = keys.segment(head.journal.name, segments);
    const mark = segmentOf([]);
    if ((await create(place, key, mark, deadline())) === undefined) {
      const found = await find(place, key, deadline());
      if (found && epochIn(found.bytes) !== epoch) throw fail(takenOver(zone));
    }
    segments += 1;
    isJournalKnown = true;
  }

  async function fence(): Promise<void> {
    for (;;) {
      for await (const { number, bytes } of segmentsOf(place, keys, head.journal, segments)) {
        if (epochIn(bytes) > epoch) throw fail(takenOver(zone));
        segments = number + 1;
      }
      const mark = segmentOf([]);
      await checkTrusted();
      const made = await create(place, keys.segment(head.journal.name, segments), mark, deadline());
      if (made === undefined) continue;
      segments += 1;
      return;
    }
  }

  async function explaining<T>(what: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw explained(error, where, what);
    }
  }

  const newName = (): string => {
    next += 1;
    return `${epoch}-${next - 1}`;
  };

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
        await renew(() => steady.now());
        delay = RENEWAL_MILLISECONDS;
      } catch (error) {
        if (end) return;
        delay = error instanceof BucketLost ? pauseBefore(BACKOFF, 5) : RENEWAL_MILLISECONDS / 3;
      }
    }
  }
  // Ends with the session; whoever writes next is told what went wrong.
  keepRenewing().catch(() => undefined);

  return {
    epoch,
    head: () => head,
    newName,
    change,
    append,
    putSegment: (key, lines) => explaining("written", () => put(key, segmentOf(lines))),
    checkHeld: () =>
      explaining("read", async () => {
        await checkTrusted();
        await persist(steady, deadline(), ownHead);
        await checkTrusted();
      }),
    stage: (lines) =>
      explaining("written", async () => {
        await checkTrusted();
        const name = newName();
        const stored: string[] = [];
        try {
          return await stageBody(name, lines, async (number, bytes) => {
            const key = keys.part(name, number);
            stored.push(key);
            await put(key, bytes);
          });
        } catch (error) {
          // Nothing points to them, and nothing will.
          if (!end && !(error instanceof BucketLost)) await sweep(place, stored);
          throw error;
        }
      }),
    fence: () => inJournalTurn(() => explaining("locked", fence)),
    withJournal: inJournalTurn,
    abandon: () => over.abort(),
    release: () =>
      inJournalTurn(async () => {
        if (over.signal.aborted) return;
        try {
          await explaining("unlocked", () => inHeadTurn(() => publish(giveBack, deadline())));
        } catch (error) {
          // Somebody else has it, so there is nothing to give back.
          if (!(error instanceof StoreConflict)) throw error;
        } finally {
          over.abort();
        }
      }),
  };

  function giveBack(before: Head): Head {
    const unclean = isJournalKnown ? [] : [{ epoch, next }];
    return { ...before, isHeld: undefined, unclean: [...before.unclean, ...unclean] };
  }
}

/** Somebody else has the lock, or nobody. */
export function takenOver(zone: ZoneId): StoreConflict {
  return new StoreConflict(
    `this run no longer has the lock of the state of zone ${zone}: somebody unlocked it (zoneform state unlock), or another run took it over`,
  );
}
