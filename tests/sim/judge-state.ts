import type { State } from "../../lib/state/state.ts";
import { optionalText } from "../../lib/core/decode.ts";
import { auditedState } from "./audit.ts";
import type { Stage } from "./engine-run.ts";
import type { Ledger } from "./ledger.ts";
import { liveNames } from "./kinds.ts";
import { stateHeader } from "./vault.ts";

/**
 * Judges what is on the disk now, whichever process just died: it can be read, continues what was there, and knows
 * every live object that the engine made. Returns the state, undefined if there is none or it cannot be read.
 */
export async function judgeState(stage: Stage): Promise<State | undefined> {
  const { ledger, service, vault, shelf } = stage;
  let state: State | undefined;
  try {
    state = await auditedState(shelf, vault, service.id);
  } catch (thrown) {
    ledger.blame("I4", `the state cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return undefined;
  }
  judgeHistory(stage, state);
  judgeLosses(stage, state);
  judgeAddresses(stage, state);
  return state;
}

/**
 * The state never goes back behind one that was durable. No run has called a replacement saved before it was durable: a
 * power cut may lose that one, with its journal still there.
 */
function judgeHistory({ ledger, service, shelf }: Stage, state: State | undefined): void {
  const { saved } = ledger;
  if (saved && !state) ledger.blame("I4", "the state is gone");
  if (saved && state && state.serial < saved.serial)
    ledger.blame("I4", `the serial fell from ${saved.serial} to ${state.serial}`);
  if (saved && state && state.lineage !== saved.lineage) ledger.blame("I4", "the lineage changed");
  const bytes = shelf.durable(service.id, "state");
  const now = bytes === undefined ? undefined : savedFrom(bytes);
  if (bytes !== undefined && !now) ledger.blame("I4", "a power cut now would leave a state that is cut short");
  if (saved && now && now.bytes !== saved.bytes && now.serial <= saved.serial)
    ledger.blame("I4", `another state has the serial ${now.serial} as well`);
  ledger.saved = now ?? saved;
}

function savedFrom(bytes: string): Ledger["saved"] {
  const header = stateHeader(bytes.slice(0, bytes.indexOf("\n")));
  return header && { bytes, serial: Number(header["serial"]), lineage: optionalText(header, "lineage") ?? "" };
}

/** Every live object that the engine made is known by its id, or as an unfinished create. */
function judgeLosses({ ledger, service }: Stage, state: State | undefined): void {
  const known = new Set<string>();
  const pending = new Set<string>();
  for (const object of state?.objects.values() ?? []) {
    if (object.undeclared) ledger.released.add(object.id);
    known.add(object.id);
    if (object.pending) pending.add(object.key);
  }
  for (const { id, name } of liveNames(service)) {
    if (!ledger.ours.has(id) || ledger.released.has(id) || known.has(id) || pending.has(name)) continue;
    ledger.blame("I1", `${name} (${id}) is live and was created by the engine, and the state does not know it`);
  }
}

/** Each address has the object of that name, with an id as the service gives them (invariant 17). */
function judgeAddresses({ ledger, service }: Stage, state: State | undefined): void {
  const names = new Map(liveNames(service).map(({ id, name }) => [id, name]));
  for (const { kind, key, id } of state?.objects.values() ?? []) {
    if (ledger.renamed.get(id)?.has(key.replace(`#${id}`, ""))) continue;
    if (!/^[\w-]*$/.test(id)) ledger.blame("I17", `${kind} ${key} is tracked by ${JSON.stringify(id)}, which is no id`);
    const name = names.get(id) ?? key;
    if (name !== key && !key.startsWith(`${name}#`))
      ledger.blame("I17", `${kind} ${key} is tracked by the id of ${name}`);
  }
}
