import type { ZoneId } from "../../../core/brand.ts";
import { turns } from "../../../core/turns.ts";
import { StoreConflict } from "../../store.ts";
import { type Head, type Keys, uncleanOf } from "./head.ts";
import { holdHead, type TakenHead } from "./held-head.ts";
import { journalWriter } from "./journal-writer.ts";
import { removable, withoutKeys } from "./loose.ts";
import { type Place, serverNow, sweep, told } from "./place.ts";
import type { Change, Session } from "./session.ts";
import { staging } from "./staging.ts";

/** Opens the session of a lock that was taken: it renews the lock, and is the only one who writes. */
export function openSession(place: Place, keys: Keys, zone: ZoneId, taken: TakenHead): Session {
  const held = holdHead(place, keys, zone, taken);
  const journal = journalWriter(place, keys, held);
  const staged = staging(keys, held);
  const inJournalTurn = turns();

  async function change(wanted: Change): Promise<void> {
    await held.checkTrusted();
    await held.publish(wanted);
    staged.settle();
    await removeLoose();
  }

  /** What was replaced long ago, and what is too much; a part of it each time, because the caller waits. */
  async function removeLoose(): Promise<void> {
    const { steady } = place;
    const gone = new Set(await sweep(place, removable(keys, held.head().loose, serverNow(place))));
    if (gone.size === 0) return;
    const forget: Change = (before) => ({ ...before, loose: withoutKeys(keys, before.loose, gone) });
    // What was to be written is written: this is tried again by the next change.
    await held.publish(forget, () => steady.now()).catch(() => undefined);
  }

  async function release(): Promise<void> {
    if (held.isOver()) return;
    try {
      await held.publish(giveBack);
    } catch (error) {
      // Somebody else has it, so there is nothing to give back.
      if (!(error instanceof StoreConflict)) throw error;
    } finally {
      held.end();
    }
  }

  function giveBack(before: Head): Head {
    return {
      ...before,
      isHeld: undefined,
      unclean: journal.isKnown() ? before.unclean : [...before.unclean, uncleanOf(before)],
      loose: [...staged.unused(), ...before.loose],
    };
  }

  return {
    epoch: taken.head.epoch,
    head: () => held.head(),
    newName: () => held.newName(),
    change: (wanted) => told(place, "written", () => change(wanted)),
    append: (lines) => inJournalTurn(() => told(place, "written", () => journal.append(lines))),
    putSegment: (key, lines) => told(place, "written", () => journal.putSegment(key, lines)),
    fence: () => inJournalTurn(() => told(place, "locked", () => journal.fence())),
    withJournal: inJournalTurn,
    checkHeld: () => told(place, "read", () => held.checkHeld()),
    stage: (name, lines) => told(place, "written", () => staged.stage(name, lines)),
    release: () => inJournalTurn(() => told(place, "unlocked", release)),
    abandon: () => held.end(),
  };
}
