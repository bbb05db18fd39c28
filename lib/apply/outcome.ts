import { defined, type Path } from "../core/json.ts";
import type { Address, ZoneId } from "../core/brand.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Action, ApprovedAs, Change, LeafConflict, Refused } from "../plan/change.ts";
import { adoptsAndUpdates, waitsForUpdate } from "../plan/write.ts";
import type { LockHolder } from "../state/lock.ts";

/**
 * How one change ended. `unknown` is a write whose response was lost and that no read could settle. It never counts as
 * failed, because it may have taken effect.
 */
export type Outcome =
  /** `wasSo`: nothing was sent, because live had these values already. */
  | { readonly status: "done"; readonly note?: string; readonly wasSo?: true }
  /** `hasWritten`: part of it was applied before it failed. `isFinal`: the service refused it and would do so again. */
  | { readonly status: "failed"; readonly diagnostic: Diagnostic; readonly hasWritten?: true; readonly isFinal?: true }
  | { readonly status: "held"; readonly reason: string }
  /** `hasWritten`: everything was written and replaced a foreign edit, or only a part was written. */
  | {
      readonly status: "conflict";
      readonly diagnostic: Diagnostic;
      readonly fields: readonly LeafConflict[];
      readonly hasWritten?: "all" | "part";
    }
  | { readonly status: "refused"; readonly refused: Refused }
  | { readonly status: "not-started"; readonly because: string }
  | { readonly status: "unknown"; readonly diagnostic: Diagnostic }
  /**
   * The service reported success, but neither the response nor a read shows what was sent. `fields` are the
   * differences.
   */
  | { readonly status: "unconfirmed"; readonly diagnostic: Diagnostic; readonly fields: readonly LeafConflict[] };

/** A change and how it ended. */
export interface Ended {
  readonly address: Address;
  readonly action: Action;
  readonly outcome: Outcome;
  /** The object was adopted, and something was sent as well. */
  readonly updates?: true;
  /** The fields, or the protection, that the change releases; with `forget` it does nothing else. Absent for none. */
  readonly letGo?: readonly Path[];
  /** Why fields of a finished change are held: the next apply sends them. Absent if none are. */
  readonly rest?: string;
  /** The id of the live object, if known. */
  readonly id?: string;
}

/** A change and how it ended, with the id of the object it left, if known. */
export function toEnded(change: Change, outcome: Outcome, id?: string): Ended {
  const { address, action, letGo, held } = change;
  return {
    address,
    action,
    outcome,
    ...(adoptsAndUpdates(change) ? { updates: true } : {}),
    ...(letGo.length === 0 ? {} : { letGo }),
    ...(outcome.status === "done" && waitsForUpdate(held) ? { rest: held.reason } : {}),
    ...defined({ id }),
  };
}

/** Whether a change is held, or fields of it are. */
export function isHeld({ outcome, rest }: Ended): boolean {
  return outcome.status === "held" || rest !== undefined;
}

/** The result of applying a change: its outcome, and the id of the object it left. */
export interface Performed {
  readonly outcome: Outcome;
  readonly id?: string;
  /** Why no further change may be started: it would fail the same way and do harm. */
  readonly stops?: string;
}

/** It worked, and there is nothing to add. */
export const DONE: Performed = { outcome: { status: "done" } };

/** How one zone's part of the plan ended. */
export interface ZoneReport {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** Every change of the zone, in the plan's order, even if it was never started. */
  readonly ended: readonly Ended[];
  /** Who holds the zone's lock, if this run could not get it (one lock per zone: docs/semantics.md#zones). */
  readonly lockedBy?: LockHolder;
  /** Why this run could not get the lock, and what to do; set together with `lockedBy`. */
  readonly locked?: Diagnostic;
  /** Why nothing was started in this zone: the state cannot be read or kept, or belongs to another plan. */
  readonly stopped?: { readonly diagnostics: readonly Diagnostic[]; readonly exitCode: number };
  /** Why the state could not be saved at the end; its journal is kept, and the next run continues from it. */
  readonly unsaved?: Diagnostic;
  /**
   * How many results could not be stored at all, after the lock or the state server was lost. Their intents are stored,
   * so the next run finds out what happened.
   */
  readonly lost?: number;
  /** The run wrote live here and kept its record, so `zoneform undo` can undo it. */
  readonly canBeUndone?: true;
}

/** The result of an apply, however it ended. */
export interface ApplyReport {
  /** The id of the run, for `zoneform undo`. */
  readonly run: string;
  readonly zones: readonly ZoneReport[];
  /** The approval that it ran under, if the plan was only a part of it. */
  readonly approval?: ApprovedAs;
  /** It undid a run. A held change then waits until the user runs the command again. */
  readonly isUndo?: true;
  /** SIGINT or SIGTERM stopped it before the last change. */
  readonly interrupted?: boolean;
  /** `--max-duration` ended before the last change was started. */
  readonly outOfTime?: boolean;
}

/** What an apply reports while it runs. */
export type ApplyEvent =
  | { readonly type: "start"; readonly address: Address; readonly action: Action }
  | { readonly type: "end"; readonly ended: Ended };

/**
 * Whether running the same command again would get further. It would not if there was nothing to do, or if only
 * conflicts and final refusals by a guard or the service are left: they stay until the user plans again or follows the
 * remedy.
 */
export function isResumable({ zones, interrupted, isUndo }: ApplyReport): boolean {
  const goesOn = (ended: Ended): boolean => getsFurther(ended.outcome) || (isUndo === true && isHeld(ended));
  return interrupted === true || zones.some((zone) => isZoneToGoOn(zone) || zone.ended.some(goesOn));
}

function isZoneToGoOn({ ended, locked, stopped, unsaved }: ZoneReport): boolean {
  const isOtherwiseStopped = stopped !== undefined && stopped.exitCode !== EXIT.conflict;
  return (ended.length > 0 && (locked !== undefined || isOtherwiseStopped)) || unsaved !== undefined;
}

function getsFurther(outcome: Outcome): boolean {
  return GETS_FURTHER[outcome.status] && !(outcome.status === "failed" && outcome.isFinal);
}

/** Whether nothing is left to do for a change under the same approval; a held change is applied later. */
export function isOver({ outcome }: Ended): boolean {
  return outcome.status !== "held" && !getsFurther(outcome);
}

/** Changes that are done or held need no repetition. */
const GETS_FURTHER: Readonly<Record<Outcome["status"], boolean>> = {
  done: false,
  held: false,
  conflict: false,
  refused: false,
  failed: true,
  unknown: true,
  unconfirmed: true,
  "not-started": true,
};
