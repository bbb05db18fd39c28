import type { State } from "../../lib/state/state.ts";
import { auditedState } from "./audit.ts";
import type { Stage } from "./engine-run.ts";
import { STATE_FOLDER } from "./machine.ts";
import { trueHostnames, truePacks } from "./truth.ts";
import { ZONE_ID } from "./wish.ts";

/**
 * Judges what lies on the disk at this moment, whoever died just now: it can be read, goes on from what was there, and
 * knows every live object that the engine made. Gives the state, undefined where there is none or it cannot be read.
 */
export async function judgeState(stage: Stage): Promise<State | undefined> {
  const { ledger, machine } = stage;
  let state: State | undefined;
  try {
    state = await auditedState(machine);
  } catch (thrown) {
    ledger.blame("I4", `the state cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return undefined;
  }
  judgeHistory(stage, state);
  judgeSnapshot(stage, state);
  judgeLosses(stage, state);
  return state;
}

function judgeHistory({ ledger }: Stage, state: State | undefined): void {
  if (!state) {
    if (ledger.lineage !== undefined) ledger.blame("I4", "the state is gone");
    return;
  }
  if (state.serial < ledger.serial) ledger.blame("I4", `the serial fell from ${ledger.serial} to ${state.serial}`);
  if (ledger.lineage !== undefined && ledger.lineage !== state.lineage) ledger.blame("I4", "the lineage changed");
  ledger.serial = state.serial;
  ledger.lineage = state.lineage;
}

/** Another content is another serial. */
function judgeSnapshot({ ledger, machine }: Stage, state: State | undefined): void {
  const bytes = machine.disk.file(`${STATE_FOLDER}/${ZONE_ID}.state`)?.bytes.toString("utf8");
  if (bytes === undefined || !state) return;
  const { snapshot } = ledger;
  if (snapshot && snapshot.bytes !== bytes && state.serial <= snapshot.serial)
    ledger.blame("I4", `another state has the serial ${state.serial} as well`);
  ledger.snapshot = { bytes, serial: state.serial };
}

/** Every live object that the engine made is known by its id, or as a create whose end nobody saw. */
function judgeLosses({ ledger, service }: Stage, state: State | undefined): void {
  const known = new Set<string>();
  const pending = new Set<string>();
  for (const object of state?.objects.values() ?? []) {
    if (object.undeclared) ledger.released.add(object.id);
    known.add(object.id);
    if (object.pending) pending.add(object.key);
  }
  const packs = truePacks(service).map(({ id, hosts }) => ({ id, name: hosts }));
  for (const { id, name } of [...trueHostnames(service), ...packs]) {
    if (!ledger.ours.has(id) || ledger.released.has(id) || known.has(id) || pending.has(name)) continue;
    ledger.blame("I1", `${name} (${id}) is live and was created by the engine, and the state does not know it`);
  }
}
