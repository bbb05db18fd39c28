import { type DiagnosticDetails, error, Refusal } from "../core/diagnostic.ts";
import type { State } from "./state.ts";

/**
 * What `saveState` is to be given so that a state from a file takes the place of the stored one. Throws `Refusal` for a
 * state of another lineage, for one that is no newer (unless `isOlder` says that this is meant), and for one that does
 * not know what a stopped run left open.
 */
export function admitted(stored: State | undefined, given: State, { isOlder }: { readonly isOlder: boolean }): State {
  if (!stored) return { ...given, serial: given.serial - 1 };
  if (stored.lineage !== given.lineage) throw refusal(anotherLineage(stored, given));
  if (!isOlder && given.serial <= stored.serial) throw refusal(noNewer(stored, given));
  const open = [...stored.objects].find(([address, { pending }]) => pending && !knowsOfCreate(stored, given, address));
  if (open) throw refusal(unfinished(open[0]));
  // Saving raises the serial by one: a newer state keeps its own, an older one rises above both.
  return { ...given, serial: isOlder ? Math.max(stored.serial, given.serial) : given.serial - 1 };
}

/** It is open there as well, or how it ended was found out since: an earlier state knows what had the address before. */
function knowsOfCreate(stored: State, given: State, address: string): boolean {
  const object = given.objects.get(address);
  return object !== undefined && (object.pending !== undefined || given.serial > stored.serial);
}

function anotherLineage(stored: State, given: State): DiagnosticDetails {
  return {
    code: "state-of-another-lineage",
    message: `the file is of lineage ${given.lineage}, and the stored state of lineage ${stored.lineage}: they were never one state`,
    remedy: "states of different lineage are never exchanged; zoneform import takes single objects over",
  };
}

function noNewer(stored: State, given: State): DiagnosticDetails {
  return {
    code: "state-not-newer",
    message: `the file has serial ${given.serial}, and the stored state has ${stored.serial}: something would be forgotten`,
    remedy: "pull the stored state and start from that; --older goes back on purpose, under a serial above both",
  };
}

function unfinished(address: string): DiagnosticDetails {
  return {
    code: "state-with-open-create",
    message: `a run was stopped while it created ${address}, and the file does not know of it: the object could be lost`,
    remedy: "let zoneform apply finish that run first",
  };
}

function refusal(details: DiagnosticDetails): Refusal {
  return new Refusal([error(details)]);
}
