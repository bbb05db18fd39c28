import type { ZoneId } from "../../core/brand.ts";
import { StateError } from "../error.ts";
import type { ProjectStore } from "../upkeep.ts";
import { isSealFault, SET_PASSPHRASE } from "../sealed/faults.ts";

/** Codes of lines that Zoneform cannot have written like this. */
const DAMAGED: ReadonlySet<string> = new Set(["state-damaged", "journal-damaged"]);

/**
 * Checks that a part that cannot be read is certainly damaged, so that it may be repaired. Throws the fault if it is
 * not damage, or if its lines may all be whole for somebody with their passphrase. An earlier copy that opens, or the
 * state beside a journal, does not prove damage: it may be older than the passphrase.
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
  if (seal === "closed" && code === "state-sealed") throw fault;
  if (seal === "closed")
    throw withRemedy(fault, `${SET_PASSPHRASE}; if that one is set already, every line is damaged: ${away}`);
  // Somebody put an unencrypted line among lines that open. If no line is encrypted, perhaps none ever was.
  if (seal === "none" && code === "state-not-sealed") throw withRemedy(fault, `${ACCEPT}; if not: ${away}`);
}

const ACCEPT = "if you trust it, encrypt it: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt";

/** How to go on without a part of a state that nobody can read. */
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
