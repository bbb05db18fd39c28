import { type Diagnostic, error, Refusal } from "../core/diagnostic.ts";
import { EXIT } from "../core/exit-code.ts";
import { shellQuoted } from "../core/shell.ts";
import { takeOverSeconds } from "./holding.ts";
import { type Holding, Locked } from "./store.ts";

/** A lock that a command wanted. */
export interface WantedLock {
  /** The name of the zone, or its id where it has no name here. */
  readonly zone: string;
  /** How long the command was to wait for it. */
  readonly waitMilliseconds: number;
  /** The flag that names the place of the state, where the command was not started with it: ` --state /srv/states`. */
  readonly placeFlag?: string;
}

/** Why a command could not have a lock, and what to do. */
export function lockedDiagnostic({ holding, message }: Locked, wanted: WantedLock): Diagnostic {
  return error({ code: "locked", message: `the state of ${wanted.zone} is ${message}`, ...adviceOn(holding, wanted) });
}

/** Turns a lock that is held into a refusal with exit code 7. */
export function lockedAsRefusal(wanted: WantedLock): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof Locked)) throw thrown;
    throw new Refusal([lockedDiagnostic(thrown, wanted)], EXIT.locked, { cause: thrown });
  };
}

/** Nobody is told how to unlock a run that lives, or one whose lock is taken by whoever waits long enough. */
function adviceOn(holding: Holding, { zone, waitMilliseconds, placeFlag = "" }: WantedLock): Partial<Diagnostic> {
  const { isAlive, renewal, unlockId } = holding;
  const seconds = waitMilliseconds / 1000;
  const wait = seconds === 0 ? WAIT : `it did not end within ${seconds} s: wait, or give --lock-timeout more seconds`;
  const needed = renewal && takeOverSeconds(renewal);
  if (isAlive === true || (needed !== undefined && seconds >= needed)) return { remedy: wait };
  if (needed !== undefined)
    return { remedy: `wait until it ends; if it is gone, this command takes the lock with --lock-timeout ${needed}` };
  if (unlockId === undefined)
    return { remedy: `${wait}; if that run is gone for good, unlock the state on the server's page` };
  const command = `zoneform state unlock ${shellQuoted(unlockId)} --zone ${shellQuoted(zone)}${placeFlag}`;
  return { remedy: `${wait}; if that run is gone for good:`, commands: [command] };
}

const WAIT = "wait until it ends, or let this command wait: --lock-timeout SECONDS";
