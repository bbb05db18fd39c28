import { defined } from "../core/defined.ts";
import type { Address, ZoneId } from "../core/brand.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Path } from "../core/json.ts";
import type { Action, ApprovedAs, Change, LeafConflict, Refused } from "../plan/change.ts";
import type { LockHolder } from "../state/store.ts";

/**
 * How one change ended. `unknown` is a write whose answer was lost and that no look-up could settle: it is never
 * called failed, because it may have taken effect.
 */
export type Outcome =
  | { readonly status: "done"; readonly note?: string }
  /** `hasWritten`: a part of it was done before it failed. `isFinal`: the service refused what was sent, and would again. */
  | { readonly status: "failed"; readonly diagnostic: Diagnostic; readonly hasWritten?: true; readonly isFinal?: true }
  | { readonly status: "held"; readonly reason: string }
  /** `hasWritten`: all of it was written all the same, and took somebody else's with it; or only a part of it was. */
  | {
      readonly status: "conflict";
      readonly diagnostic: Diagnostic;
      readonly fields: readonly LeafConflict[];
      readonly hasWritten?: "all" | "part";
    }
  | { readonly status: "refused"; readonly refused: Refused }
  | { readonly status: "not-started"; readonly because: string }
  | { readonly status: "unknown"; readonly diagnostic: Diagnostic }
  /** The service answered a success, but neither the answer nor a look-up shows what was sent. `fields` says where they differ. */
  | { readonly status: "unconfirmed"; readonly diagnostic: Diagnostic; readonly fields: readonly LeafConflict[] };

/** A change and how it ended. */
export interface Ended {
  readonly address: Address;
  readonly action: Action;
  readonly outcome: Outcome;
  /** The leaves, or the protection, that the change lets go; with `forget` it does nothing else. Absent for none. */
  readonly letGo?: readonly Path[];
  /** The id of the live object, where it is known. */
  readonly id?: string;
}

/** A change and how it ended, with the id of what it left behind where that is known. */
export function toEnded({ address, action, letGo }: Change, outcome: Outcome, id?: string): Ended {
  return {
    address,
    action,
    outcome,
    ...(letGo.length === 0 ? {} : { letGo }),
    ...defined({ id }),
  };
}

/** How carrying out a change went: its outcome, and the id of the object that it left behind. */
export interface Performed {
  readonly outcome: Outcome;
  readonly id?: string;
  /** Why no further change may be started: it would go the same way, and do harm. */
  readonly stops?: string;
}

/** It was done, and there is nothing to say about it. */
export const DONE: Performed = { outcome: { status: "done" } };

/** How one zone's section of the plan ended. */
export interface ZoneReport {
  readonly zone: { readonly id: ZoneId; readonly name: string };
  /** Every change of the section, in the order of the plan; those that were never started too. */
  readonly ended: readonly Ended[];
  /** Who held the zone's lock, where it was not to be had (one lock per zone: docs/semantics.md#zones). */
  readonly lockedBy?: LockHolder;
  /** Why the lock was not to be had, in words; present exactly when it was not. */
  readonly locked?: string;
  /** Why nothing at all was begun in this zone: the state cannot be read or kept, or belongs to another plan. */
  readonly stopped?: { readonly diagnostics: readonly Diagnostic[]; readonly exitCode: number };
  /** Why the state could not be saved at the end; its journal is kept, and the next run goes on from it. */
  readonly unsaved?: Diagnostic;
  /** The run wrote live here, and its record is kept: `zoneform undo` can go back from it. */
  readonly canBeUndone?: true;
}

/** The end of an apply, whatever the ending. */
export interface ApplyReport {
  /** The id of the run, for `zoneform undo`. */
  readonly run: string;
  readonly zones: readonly ZoneReport[];
  /** The approval that it was carried out under, where the plan was only a part of it. */
  readonly approval?: ApprovedAs;
  /** SIGINT or SIGTERM stopped it before the last change. */
  readonly interrupted?: boolean;
  /** The time of `--max-duration` was over before the last change was started. */
  readonly outOfTime?: boolean;
}

/** What an apply says while it runs. */
export type ApplyEvent =
  | { readonly type: "start"; readonly address: Address; readonly action: Action }
  | { readonly type: "end"; readonly ended: Ended };
