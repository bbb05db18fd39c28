import type { JournalRecord, WriteAction } from "./record.ts";
import type { StateObject } from "./state.ts";

/** What a run did to one object, over all of its records. */
export interface Effect {
  /** The number of the first intent that was not only announced: it holds what was there before. */
  readonly seq: number;
  readonly action: WriteAction;
  /** What the run left; undefined if it is not known to have changed anything yet. */
  readonly left?: StateObject | "removed";
  /** An unfinished intent, with what was sent. */
  readonly open?: { readonly object?: StateObject };
  /** The intent is only announced. */
  readonly isAhead?: true;
}

/** What a run did. */
export interface RunTally {
  readonly run: string;
  readonly began: string;
  readonly ended: string;
  /** By address; only objects that a request was to be sent for. */
  readonly effects: ReadonlyMap<string, Effect>;
}

/** Counts what the runs of a journal did to which object. */
export interface Tallies {
  add(record: JournalRecord): void;
  /** The runs that may have changed something live, in the order in which they began. */
  close(): readonly RunTally[];
}

/** Starts counting. It holds as many entries as there are objects, without the pre-images, which stay in the journal. */
export function tallies(): Tallies {
  const runs = new Map<string, RunTally & { effects: Map<string, Effect> }>();
  return {
    add: (record) => {
      const { run, at } = record;
      const { began, effects } = runs.get(run) ?? { began: at, effects: new Map<string, Effect>() };
      runs.set(run, { run, began, ended: at, effects });
      const effect = after(effects.get(record.address), record);
      if (effect) effects.set(record.address, effect);
      else effects.delete(record.address);
    },
    close: () => [...runs.values()].filter(({ effects }) => effects.size > 0),
  };
}

/** What is known about an object's change after one more record; undefined if nothing was changed. */
function after(effect: Effect | undefined, record: JournalRecord): Effect | undefined {
  const { kind, seq, action, object, ahead } = record;
  if (kind === "intent") {
    const first: Effect = effect && !effect.isAhead ? effect : { seq, action, ...(ahead ? { isAhead: true } : {}) };
    return { ...first, open: object ? { object } : {} };
  }
  // A result without an intent changes only the state: nothing was sent.
  if (!effect) return undefined;
  const { open: _open, isAhead: _isAhead, ...settled } = effect;
  if (kind === "failed") return settled.left === undefined ? undefined : settled;
  if (kind === "gone" || action === "delete") return { ...settled, left: "removed" };
  return object ? { ...settled, left: object } : settled;
}
