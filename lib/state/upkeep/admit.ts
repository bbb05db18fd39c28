import { type DiagnosticDetails, error, Refusal } from "../../core/diagnostic.ts";
import type { State } from "../state.ts";

/** How a state from a file is accepted. */
export interface Admission {
  /** Whether the user asked for an older one. */
  readonly isOlder: boolean;
  /** The highest serial that anything beside the stored state mentions. */
  readonly newest: number;
}

/**
 * Returns what to pass to `saveState` so that a state from a file replaces the stored one. Throws `Refusal` for a state
 * of another lineage, for one that is no newer (unless `isOlder` allows it), and for one that does not know the
 * unfinished changes of a stopped run.
 */
export function admit(stored: State | undefined, given: State, { isOlder, newest }: Admission): State {
  if (stored && stored.lineage !== given.lineage) throw refusal(anotherLineage(stored, given));
  if (!isOlder && stored && given.serial <= stored.serial) throw refusal(noNewer(stored.serial, given));
  if (!isOlder && given.serial < newest) throw refusal(noNewer(newest, given));
  const open = stored && openIn(stored).find((address) => !knowsOfCreate(stored, given, address));
  if (open !== undefined) throw refusal(unfinished(open));
  // Saving raises the serial by one: a newer state keeps its own, an older one gets a serial above all that were ever
  // seen.
  return { ...given, serial: isOlder ? Math.max(stored?.serial ?? 0, given.serial, newest) : given.serial - 1 };
}

function openIn({ objects }: State): readonly string[] {
  return [...objects].flatMap(([address, { pending }]) => (pending ? [address] : []));
}

/** The create is unfinished there too, or its result was found since: an earlier state knows what had the address before. */
function knowsOfCreate(stored: State, given: State, address: string): boolean {
  const object = given.objects.get(address);
  return object !== undefined && (object.pending !== undefined || given.serial > stored.serial);
}

function anotherLineage(stored: State, given: State): DiagnosticDetails {
  return {
    code: "state-of-another-lineage",
    message: `the file has lineage ${given.lineage}, and the stored state has ${stored.lineage}: they are different states`,
    remedy: "a state cannot be replaced with another one; adopt single objects with: zoneform import ID",
  };
}

function noNewer(serial: number, given: State): DiagnosticDetails {
  return {
    code: "state-not-newer",
    message: `the file has serial ${given.serial}, and the stored state has ${serial}: newer changes would be lost`,
    remedy: "pull the stored state and start from that; to go back on purpose, add --older",
  };
}

function unfinished(address: string): DiagnosticDetails {
  return {
    code: "state-with-open-create",
    message: `a run was stopped while it created ${address}, which is not in the file: the object could be lost`,
    remedy: "let an apply finish that run first: zoneform apply",
  };
}

function refusal(details: DiagnosticDetails): Refusal {
  return new Refusal([error(details)]);
}
