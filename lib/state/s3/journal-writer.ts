import type { Random } from "../../core/clock.ts";
import { chunksOf } from "./chunks.ts";
import type { Keys } from "./head.ts";
import type { HeldHead } from "./held-head.ts";
import { mismatches } from "./mismatches.ts";
import { create, findCreated, type Place } from "./place.ts";
import { epochIn, segmentsOf } from "./segments.ts";
import type { Session } from "./session.ts";

/** What a holder of a lock does with the journal; one call at a time. Throws as `HeldHead` does. */
export interface JournalWriter extends Pick<Session, "append" | "putSegment" | "fence"> {
  /** Whether each append is known to have happened, or not to have. */
  isKnown(): boolean;
}

/** Writes the journal that the head names. */
export function journalWriter(place: Place, keys: Keys, held: HeldHead): JournalWriter {
  const { epoch } = held.head();
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
      unknown = held.head().journal.name;
      await held.create(nextKey(), segment(place.random, epoch, chunk));
      added();
    }
  }

  /** An earlier append failed without an answer: it has happened, or it will never happen. */
  async function settle(): Promise<void> {
    await held.checkTrusted();
    const key = nextKey();
    if ((await create(place, key, mark(), held.deadline())) === undefined) {
      const found = await findCreated(place, key, held.deadline());
      if (found && epochIn(found.bytes) !== epoch) throw held.lose();
    }
    added();
  }

  async function fence(): Promise<void> {
    const mismatch = mismatches(place, "it finds an object where there is none");
    for (;;) {
      const { journal } = held.head();
      for await (const { bytes } of segmentsOf(place, keys, journal, journal.segments)) {
        if (epochIn(bytes) > epoch) throw held.lose();
        added();
      }
      await held.checkTrusted();
      const key = nextKey();
      if ((await create(place, key, mark(), held.deadline())) !== undefined) return added();
      await mismatch(key);
    }
  }

  function added(): void {
    held.addSegment();
    unknown = undefined;
  }

  const mark = (): Uint8Array => segment(place.random, epoch, []);

  return {
    append,
    putSegment: (key, lines) => held.create(key, segment(place.random, epoch, lines)),
    fence,
    isKnown,
  };
}

/** It says whose it is, and is different from every other one. */
function segment(random: Random, epoch: number, lines: readonly string[]): Uint8Array {
  return Buffer.from([JSON.stringify({ nonce: random.uuid(), epoch }), ...lines, ""].join("\n"));
}
