import { CODES } from "../../core/diagnostic.ts";
import type { ZoneId } from "../../core/brand.ts";
import { decodeState } from "../codec.ts";
import { StateError } from "../error.ts";
import { isSealFault, SET_PASSPHRASE } from "../zone/sealing/faults.ts";
import type { State } from "../state.ts";
import type { ProjectStore } from "../zone/store.ts";
import type { ZoneView } from "../zone/view.ts";

/** An earlier copy of a state, or why it cannot be read. */
export async function readCopy(view: ZoneView, serial: number): Promise<State | StateError> {
  try {
    return await decodeState(view.backup(serial), `backup-${serial}`, view.zone);
  } catch (error) {
    if (error instanceof StateError) return error;
    throw error;
  }
}

/** The serials of the readable earlier copies, newest first. A damaged copy is useless everywhere. */
export async function readableCopies(view: ZoneView): Promise<readonly number[]> {
  const found: number[] = [];
  for (const serial of view.backups) if (!((await readCopy(view, serial)) instanceof StateError)) found.push(serial);
  return found;
}

/**
 * The newest readable earlier copy; undefined if there is none. Throws `StateError` if a newer one may be readable with
 * another passphrase: an older one never replaces it.
 */
export async function newestCopy(view: ZoneView): Promise<State | undefined> {
  for (const serial of view.backups) {
    const state = await readCopy(view, serial);
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

/** The error codes of lines that Zoneform cannot have written like this. */
const DAMAGED: ReadonlySet<string> = new Set(["state-damaged", "journal-damaged"]);

/**
 * Checks that an unreadable part is certainly damaged, so that it may be repaired. Throws the fault if it is not
 * damage, or if another passphrase may open all its lines. An earlier copy that can be decrypted, or the state beside a
 * journal, does not prove damage: it may be older than the passphrase.
 */
export async function checkDamaged(
  store: ProjectStore,
  zone: ZoneId,
  part: "state" | "journal",
  fault: StateError,
): Promise<void> {
  const { code } = fault.diagnostic;
  if (!DAMAGED.has(code) && !isSealFault(fault)) throw fault;
  const seal = await store.sealOf(zone, part);
  const away = withoutIt(store, zone, part);
  if (seal === "unreadable" && code === "state-sealed") throw fault;
  if (seal === "unreadable")
    throw withRemedy(fault, `${SET_PASSPHRASE}; if that one is set already, every line is damaged: ${away}`);
  // An unencrypted line was put among lines that can be decrypted. If no line is encrypted, perhaps none ever was.
  if (seal === "none" && code === "state-not-sealed") throw withRemedy(fault, `${ACCEPT}; if not: ${away}`);
}

const ACCEPT = CODES["state-not-sealed"].remedy;

/** How to continue without an unreadable part of a state. */
function withoutIt(store: ProjectStore, zone: ZoneId, part: "state" | "journal"): string {
  const path = store.describe(zone, part);
  return store.isInFiles
    ? `move ${path} elsewhere, and ${without(part)}`
    : `restore ${path} from a backup of the server that keeps it`;
}

function without(part: "state" | "journal"): string {
  return part === "state"
    ? "zoneform state repair restores an earlier copy"
    : "the next plan finds what that run created by name";
}

/** The same fault with a longer remedy. */
export function withRemedy(fault: StateError, remedy: string): StateError {
  return new StateError({ ...fault.diagnostic, remedy }, { cause: fault });
}
