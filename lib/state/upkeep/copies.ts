import type { ZoneId } from "../../core/brand.ts";
import { decodeState } from "../codec.ts";
import { StateError } from "../error.ts";
import { isSealFault, SET_PASSPHRASE } from "../sealed/faults.ts";
import type { State } from "../state.ts";
import type { Upkeep } from "../upkeep.ts";
import { withRemedy } from "./damage.ts";

/** An earlier copy of a state, or why it cannot be read. */
export async function readCopy(store: Upkeep, zone: ZoneId, serial: number): Promise<State | StateError> {
  try {
    return await decodeState(store.backup(zone, serial), `backup-${serial}`, zone);
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}

/** The serials of the earlier copies that can be read, newest first; a damaged one is of no use anywhere. */
export async function readableCopies(store: Upkeep, zone: ZoneId): Promise<readonly number[]> {
  const found: number[] = [];
  for (const serial of await store.backups(zone))
    if (!((await readCopy(store, zone, serial)) instanceof StateError)) found.push(serial);
  return found;
}

/**
 * The newest earlier copy that can be read; undefined if there is none. Throws `StateError` if a newer one may be
 * undamaged for somebody with its passphrase: an older one never replaces it.
 */
export async function newestCopy(store: Upkeep, zone: ZoneId): Promise<State | undefined> {
  for (const serial of await store.backups(zone)) {
    const state = await readCopy(store, zone, serial);
    if (!(state instanceof StateError)) return state;
    if (isSealFault(state)) throw withRemedy(state, remedyOf(state));
  }
  return undefined;
}

const OPEN_COPY =
  "set ZONEFORM_STATE_PASSPHRASE, or ZONEFORM_STATE_PASSPHRASE_PREVIOUS, to the passphrase that it was written with";

function remedyOf({ diagnostic: { code } }: StateError): string {
  if (code === "state-sealed") return SET_PASSPHRASE;
  const trusted = "if you trust it: ZONEFORM_STATE_PLAIN=accept zoneform state repair";
  return `${code === "state-not-sealed" ? trusted : OPEN_COPY}; or move it elsewhere to use an older copy`;
}
