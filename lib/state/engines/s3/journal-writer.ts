import { collected } from "../../../core/streams.ts";
import { chunksOf } from "./chunks.ts";
import { authorOf, type Keys } from "./head.ts";
import type { HeldHead } from "./held-head.ts";
import { mismatches } from "./mismatches.ts";
import { findCreated, type Place } from "./place.ts";
import { authorIn, segment, segmentsOf } from "./segments.ts";
import type { Session } from "./session.ts";

/** What a holder of a lock does with the journal; one call at a time. Throws as `HeldHead` does. */
export interface JournalWriter extends Pick<Session, "append" | "putSegment" | "fence"> {
  /** Whether each append is known to have happened, or not to have. */
  isKnown(): boolean;
}

/** Writes the journal that the head names. */
export function journalWriter(place: Place, keys: Keys, held: HeldHead): JournalWriter {
  const author = authorOf(held.head());
  /** The journal to which something was sent that may have arrived, or may still arrive. */
  let unknown: string | undefined;

  const nextKey = (): string => {
    const { name, segments } = held.head().journal;
    return keys.segment(name, segments);
  };

  const isKnown = (): boolean => unknown !== held.head().journal.name;

  async function append(lines: readonly string[]): Promise<void> {
    for await (const chunk of chunksOf(lines)) {
      if (!isKnown()) await settle();
      const bytes = segment(place.random, author, chunk);
      // If an earlier version of the head was put back, its journal goes on beyond what that version knows of.
      for (let isMade = false; !isMade; added()) {
        unknown = held.head().journal.name;
        isMade = await held.create(nextKey(), bytes);
      }
    }
  }

  /** An earlier append failed without an answer: it has happened, or it will never happen. */
  async function settle(): Promise<void> {
    for (let isOver = false; !isOver; added()) {
      const key = nextKey();
      isOver = await held.create(key, mark());
      if (!isOver) isOver = authorIn((await findCreated(place, key, held.deadline()))?.bytes ?? mark()) === author;
    }
  }

  async function fence(): Promise<void> {
    const mismatch = mismatches(place, "it finds an object where there is none");
    for (;;) {
      const { journal } = held.head();
      const beyond = await collected(segmentsOf(place, keys, journal, journal.segments));
      beyond.forEach(added);
      const key = nextKey();
      if (await held.create(key, mark())) return added();
      await mismatch(key);
    }
  }

  function added(): void {
    held.addSegment();
    unknown = undefined;
  }

  const mark = (): Uint8Array => segment(place.random, author, []);

  return {
    append,
    putSegment: (key, lines) => held.createNew(key, segment(place.random, author, lines)),
    fence,
    isKnown,
  };
}
