import { CODES, type Diagnostic, error, problem, Refusal } from "../core/diagnostic.ts";
import { momentAndAge } from "../core/moment.ts";
import { StateError } from "./error.ts";
import { optionalNumber, optionalText } from "../core/decode.ts";
import { defined, type JsonObject } from "../core/json.ts";
import { EXIT } from "../core/exit-code.ts";
import { shellQuoted } from "../core/quote.ts";

/** The holder of a lock, described for the user who waits for it. */
export interface LockHolder {
  /** The id to pass to `state unlock`. */
  readonly id: string;
  /** `user@host`. */
  readonly who: string;
  readonly processId: number;
  readonly operation: string;
  /** RFC 3339. */
  readonly since: string;
  /** The page of the CI run, if the environment names one. */
  readonly runUrl?: string;
}

/** A lock that a run holds. */
export interface Holding {
  /**
   * The exact text that `unlock` takes; undefined if the server does not name the holder, so that only the server can
   * free the lock.
   */
  readonly unlockId: string | undefined;
  /** Undefined if the holder's mark cannot be read. */
  readonly holder: LockHolder | undefined;
  /**
   * True if the holder's process is known to be alive, false if the next run takes its lock; undefined if that cannot
   * be told from here.
   */
  readonly isAlive: boolean | undefined;
  /** Present if the holder renews its lock. */
  readonly renewal?: Renewal;
}

/** How a holder renews its lock. */
export interface Renewal {
  /** How long ago the last renewal was, by the server's clock; absent if the server does not tell. */
  readonly ageMilliseconds?: number;
  /** A run that sees no renewal for this long takes the lock. */
  readonly deadAfterMilliseconds: number;
}

/** The newest generation of a lock, held or released. */
export interface Taken {
  readonly holder: LockHolder;
  /** The highest serial that a holder of the lock found; 0 if there was no state. */
  readonly serial: number;
}

/** The right to write a zone's state. */
export interface Lease {
  readonly id: string;
  /** The fence rises with each holder; a write with an older fence is refused. */
  readonly fence: number;
  release(): Promise<void>;
}

/** Another run holds the lock. The message (`describeHolding`) follows "the state is". */
export class Locked extends Error {
  readonly holding: Holding;

  constructor(holding: Holding, description: string) {
    super(description);
    this.name = "Locked";
    this.holding = holding;
  }
}

/**
 * Another process replaced the snapshot, or deleted lines that this run was storing, or the lock is no longer held. This
 * is no bug: a person or a run freed the lock on purpose, or this run slept for too long.
 */
export class StoreConflict extends Refusal {
  constructor(message: string) {
    super([error(problem("state-taken-over", { message }))]);
    this.name = "StoreConflict";
  }
}

/**
 * Whether a store's error means that this run may not write the state any more: its lock was freed or taken, it
 * slept for too long, or the server did not come back in time. Nothing new is started after it.
 */
export function isLeaseLost(thrown: unknown): thrown is StoreConflict | StateError {
  if (thrown instanceof StoreConflict) return true;
  return thrown instanceof StateError && thrown.diagnostic.code === "state-unreachable";
}

/**
 * Describes the holder of a lock in one line: who, for what, since when, where, and whether the process lives. `now` is
 * in ms since the epoch.
 */
export function describeHolding(holding: Holding, now: number): string {
  const { holder, unlockId } = holding;
  if (unlockId === undefined) return "held, and the server does not say by whom";
  if (!holder) return `held by an unknown process (the lock cannot be read), lock id ${unlockId}`;
  const parts = [
    holder.operation,
    // Other programs do not give their process id.
    ...(holder.processId === 0 ? [] : [`process ${holder.processId}`]),
    lifeOf(holding),
    ...(holder.runUrl === undefined ? [] : [holder.runUrl]),
  ];
  return `held by ${holder.who} (${parts.join(", ")}) since ${momentAndAge(holder.since, now)}, lock id ${unlockId}`;
}

/** Describes a run that holds a lock and may be dead; follows "a run". */
export const RUNS_OR_WAS_KILLED = "still runs or was killed";

function lifeOf(holding: Holding): string {
  const { isAlive } = holding;
  if (isAlive === true) return "running";
  const renewed = renewedText(holding);
  if (isAlive === false) return renewed === undefined ? "dead" : `counts as dead, ${renewed}`;
  return renewed ?? RUNS_OR_WAS_KILLED;
}

/**
 * When the holder last renewed its lock, as `last renewed 8 s ago`; undefined if it does not renew, or the time is
 * unknown.
 */
export function renewedText({ renewal }: Holding): string | undefined {
  if (renewal?.ageMilliseconds === undefined) return undefined;
  return `last renewed ${Math.round(renewal.ageMilliseconds / 1000)} s ago`;
}

/** What the next apply does with the lock of a dead run. */
export function takeOverText({ renewal }: Holding): string {
  if (!renewal) return "the next apply takes the lock";
  return `the next apply watches the lock for ${renewal.deadAfterMilliseconds / 1000} s, then takes it`;
}

/** Extra time for the requests of a run that watches whether a lock is renewed. */
const ROOM_SECONDS = 15;

/** The --lock-timeout that is long enough to take the lock of a run that no longer renews it. */
export function takeOverSeconds({ deadAfterMilliseconds }: Renewal): number {
  return deadAfterMilliseconds / 1000 + ROOM_SECONDS;
}

/** No real field of a holder is longer. */
const LONGEST_FIELD = 300;

/** A holder as JSON, for the mark of its lock. */
export function encodeHolder({ id, who, processId, operation, since, runUrl }: LockHolder): JsonObject {
  return { id, who, process_id: processId, operation, since, ...defined({ run_url: runUrl }) };
}

/** Reads a holder; undefined if it has no id. The mark may come from any source, so its texts are escaped. */
export function decodeHolder(from: JsonObject): LockHolder | undefined {
  const id = optionalText(from, "id");
  if (id === undefined) return undefined;
  const runUrl = optionalText(from, "run_url");
  return {
    id: harmless(id),
    who: harmless(optionalText(from, "who") ?? "somebody"),
    processId: optionalNumber(from, "process_id") ?? 0,
    operation: harmless(optionalText(from, "operation") ?? "something"),
    since: harmless(optionalText(from, "since") ?? "an unknown time"),
    ...(runUrl === undefined ? {} : { runUrl: harmless(runUrl) }),
  };
}

/** Escapes control and invisible characters, so that a lock's mark cannot control a terminal. */
function harmless(text: string): string {
  return text
    .slice(0, LONGEST_FIELD)
    .replace(/[\p{C}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}

/** A lock that a command asked for. */
export interface WantedLock {
  /** The name of the zone, or its id if it has no name here. */
  readonly zone: string;
  /** How long the command was allowed to wait for it. */
  readonly waitMilliseconds: number;
  /** The flag that names the place of the state, unless the command was started with it: ` --state /srv/states`. */
  readonly placeFlag?: string;
}

/** Why a command did not get a lock, and what to do. */
export function lockedDiagnostic({ holding, message }: Locked, wanted: WantedLock): Diagnostic {
  return error(problem("locked", { zone: wanted.zone, lock: message }, adviceOn(holding, wanted)));
}

/** Turns `Locked` into a refusal with exit code 7. */
export function lockedAsRefusal(wanted: WantedLock): (thrown: unknown) => never {
  return (thrown) => {
    if (!(thrown instanceof Locked)) throw thrown;
    throw new Refusal([lockedDiagnostic(thrown, wanted)], EXIT.locked, { cause: thrown });
  };
}

/** Never explains how to unlock a live run, or one whose lock a patient run takes by itself. */
function adviceOn(
  holding: Holding,
  { zone, waitMilliseconds, placeFlag = "" }: WantedLock,
): Pick<Diagnostic, "remedy" | "commands"> {
  const { isAlive, renewal, unlockId } = holding;
  const seconds = waitMilliseconds / 1000;
  const wait =
    seconds === 0
      ? CODES.locked.remedy
      : `it did not end within ${seconds} s: wait, or give --lock-timeout more seconds`;
  const needed = renewal && takeOverSeconds(renewal);
  if (isAlive === true || (needed !== undefined && seconds >= needed)) return { remedy: wait };
  if (needed !== undefined)
    return { remedy: `wait until it ends; if it is gone, this command takes the lock with --lock-timeout ${needed}` };
  if (unlockId === undefined)
    return { remedy: `${wait}; if that run is gone for good, unlock the state on the server's page` };
  const command = `zoneform state unlock ${shellQuoted(unlockId)} --zone ${shellQuoted(zone)}${placeFlag}`;
  return { remedy: `${wait}; if that run is gone for good:`, commands: [command] };
}
