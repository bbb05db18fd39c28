import type { ZoneId } from "../../lib/core/brand.ts";
import { beginState, loadState, type SavedState, saveState } from "../../lib/state/load.ts";
import { Journal } from "../../lib/state/open-journal.ts";
import type { State } from "../../lib/state/state.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { addressOf, given, HOLDER, hostname, jumpingClock, random, ZONE } from "./state-world.ts";

/** Hostnames by their numbers (`addressOf`), and what a run does to each. */
export type Changes = Readonly<Partial<Record<"create" | "update" | "delete", readonly number[]>>>;

/** A run. One that leaves something was killed: its journal stays, with intents of what it left. */
interface PastRun {
  readonly run: string;
  readonly did?: Changes;
  readonly left?: Changes;
}

/** One thing that happened in a zone: a state was saved (`again`: the one that was there), a run, or a record was kept. */
export type Past =
  | { readonly saved: State | "again" }
  | PastRun
  | { readonly kept: string; readonly lines: readonly string[] };

/** Lets all this happen in a zone, in order and under one lock, and returns the state that was saved last. A run begins one. */
export async function past(store: ProjectStore, steps: readonly Past[], zone: ZoneId = ZONE): Promise<SavedState> {
  const lease = await store.lock(zone, HOLDER, 0);
  const loaded = await loadState(store, zone);
  let now: SavedState | undefined = loaded;

  async function begun(): Promise<SavedState> {
    return (now ??= await beginState(store, lease, { id: zone, name: "saas.eu" }, random));
  }

  async function save(state: State): Promise<void> {
    const next = now ? { ...state, serial: now.state.serial } : state;
    now = await saveState(store, lease, now?.version, next);
  }

  async function live({ run, did = {}, left }: PastRun): Promise<void> {
    const { state } = await begun();
    const journal = new Journal(store, zone, lease, { clock: jumpingClock(), run, state });
    for (const [action, index] of changesIn(did)) {
      const address = addressOf(index);
      await journal.intend({ address, action, ...sent(action, index) });
      journal.done({ address, action, ...(action === "delete" ? {} : { object: hostname(index) }) });
    }
    for (const [action, index] of changesIn(left ?? {}))
      await journal.intend({ address: addressOf(index), action, ...sent(action, index) });
    await journal.flush();
    if (!left) await save(journal.folded());
  }

  // The first run after one that was killed folds its journal.
  if (loaded?.hasJournal) await save(loaded.state);
  for (const step of steps) {
    if ("saved" in step) await save(step.saved === "again" ? (await begun()).state : step.saved);
    else if ("run" in step) await live(step);
    else await store.keep(zone, lease, step.kept, given(step.lines));
  }
  const last = await begun();
  await lease.release();
  return last;
}

function* changesIn(changes: Changes): Iterable<readonly [action: keyof Changes, index: number]> {
  for (const action of ["create", "update", "delete"] as const)
    for (const index of changes[action] ?? []) yield [action, index];
}

/** Nobody knows the id of what is about to be created. */
function sent(action: keyof Changes, index: number): { object?: ReturnType<typeof hostname> } {
  if (action === "delete") return {};
  return { object: action === "create" ? { ...hostname(index), id: "" } : hostname(index) };
}
