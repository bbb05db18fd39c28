import { shellQuoted } from "../core/shell.ts";
import { StateError } from "./error.ts";
import type { State } from "./state.ts";
import { newestSerial, type Trail } from "./trail.ts";

/** The code for a state that is older than the records next to it. */
export const OLDER_STATE = "older-state";

/** Whether a state is not trusted because it is older. */
export function isOlderState({ diagnostic }: StateError): boolean {
  return diagnostic.code === OLDER_STATE;
}

/** Explains that somebody restored an older state: its serial, the evidence of a newer one, and the remedies. */
export function olderState(where: string, state: State, trail: Trail, signs: readonly string[]): StateError {
  const { serial, lineage, zone } = state;
  const newest = newestSerial(trail, lineage);
  const there = newest > serial ? `serial ${newest} was there` : "another state with this serial was there";
  const hasNewerCopy = Math.max(0, ...trail.copies) > serial;
  return new StateError({
    code: OLDER_STATE,
    message: `the state is not the newest: it has serial ${serial}, and ${there} (${signs.join("; ")})`,
    remedy: hasNewerCopy
      ? "nothing was changed; restore the newest copy, or keep this state on purpose"
      : "nothing was changed; restore the newest state if you have it elsewhere, or keep this one on purpose",
    commands: [...(hasNewerCopy ? [fromBackup(zone.name)] : []), keepIt(where, zone.name)],
    at: { file: where, line: 1, column: 1 },
  });
}

function fromBackup(zone: string): string {
  return `zoneform state repair --zone ${shellQuoted(zone)}`;
}

/** The command that keeps an older state on purpose. */
export function keepIt(where: string, zone: string): string {
  return `zoneform state push --older ${shellQuoted(where)} --zone ${shellQuoted(zone)}`;
}
