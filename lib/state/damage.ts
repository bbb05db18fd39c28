import type { ZoneId } from "../core/brand.ts";
import { StateError } from "./error.ts";
import type { Upkeep } from "./upkeep.ts";
import { isSealFault, SET_PASSPHRASE } from "./sealed/faults.ts";
import type { StateStore } from "./store.ts";

/** Codes of lines that Zoneform cannot have written like this. */
const DAMAGED: ReadonlySet<string> = new Set(["state-damaged", "journal-damaged"]);

/**
 * Checks that a part that cannot be read is certainly damaged, so that it may be repaired. Throws the fault if it is
 * not damage, or if its lines may all be whole for somebody with their passphrase. An earlier copy that opens, or the
 * state beside a journal, does not prove damage: it may be older than the passphrase.
 */
export async function checkDamaged(
  store: StateStore & Upkeep,
  zone: ZoneId,
  part: "state" | "journal",
  fault: StateError,
): Promise<void> {
  const { code } = fault.diagnostic;
  if (!DAMAGED.has(code) && !isSealFault(fault)) throw fault;
  const seal = await store.sealOf(zone, part);
  const path = store.describe(zone, part);
  if (seal === "closed" && code === "state-sealed") throw fault;
  if (seal === "closed") throw withRemedy(fault, `${SET_PASSPHRASE}; ${destroyed(path, part)}`);
  // Somebody put an unencrypted line among lines that open. If no line is encrypted, perhaps none ever was.
  if (seal === "none" && code === "state-not-sealed") throw withRemedy(fault, plain(path, part));
}

function destroyed(path: string, part: "state" | "journal"): string {
  return `if that one is set already, every line is damaged: move ${path} elsewhere, and ${without(part)}`;
}

function plain(path: string, part: "state" | "journal"): string {
  const accepted = "if you trust the file, encrypt it: ZONEFORM_STATE_PLAIN=accept zoneform state encrypt";
  return `${accepted}; if not: move ${path} elsewhere, and ${without(part)}`;
}

function without(part: "state" | "journal"): string {
  return part === "state"
    ? "zoneform state repair --from backup restores an earlier copy"
    : "the next plan finds what that run created by name";
}

/** The same fault with a longer remedy. */
export function withRemedy(fault: StateError, remedy: string): StateError {
  return new StateError({ ...fault.diagnostic, remedy }, { cause: fault });
}
