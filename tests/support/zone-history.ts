import type { ZoneId } from "../../lib/core/brand.ts";
import { beginState, loadState, type SavedState, saveState } from "../../lib/state/load.ts";
import { Journal } from "../../lib/state/open-journal.ts";
import type { State } from "../../lib/state/state.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { addressOf, given, HOLDER, hostname, jumpingClock, random, ZONE } from "./state-world.ts";

/** What a run does to which hostnames, given by their numbers (see `addressOf`). */
export type Changes = Readonly<Partial<Record<"create" | "update" | "delete", readonly number[]>>>;

/** A run. One with `left` was killed: its journal stays, and ends with the intents of these changes. */
interface PastRun {
  readonly run: string;
  readonly did?: Changes;
  readonly left?: Changes;
}

/** Something that happened in a zone: a state was saved (`again`: the same one), a run worked, or a record was kept. */
export type Past =
  | { readonly saved: State | "again" }
  | PastRun
  | { readonly kept: string; readonly lines: readonly string[] };

/** Makes all this happen in a zone, in order and under one lock, and returns the last saved state. A run begins one if there is none. */
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

  // The first run after a killed one folds its journal into the state.
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

/** The object in an intent. The one of a create has no id yet. */
function sent(action: keyof Changes, index: number): { object?: ReturnType<typeof hostname> } {
  if (action === "delete") return {};
  return { object: action === "create" ? { ...hostname(index), id: "" } : hostname(index) };
}
