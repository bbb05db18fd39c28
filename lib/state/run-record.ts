import { defined } from "../core/defined.ts";
import type { JournalRecord, PreImage, WriteAction } from "./record.ts";
import type { RunApproval } from "./run-approval.ts";
import type { Effect } from "./run-tally.ts";
import type { StateObject } from "./state.ts";

/** The header of a run's record. */
export interface RunHeader {
  readonly run: string;
  readonly zone: string;
  readonly lineage: string;
  /** The serial of the state that the run started from: it distinguishes runs of the same moment. */
  readonly serial: number;
  /** RFC 3339: the times of the first and the last record in the run's journal. */
  readonly began: string;
  readonly ended: string;
  /** How many objects it changed, or may have changed. */
  readonly changes: number;
  readonly operation?: string;
  readonly planHash?: string;
  /** Who approved it, and how; absent if the caller of `applyPlan` did not say it. */
  readonly approved?: RunApproval;
  /** The ids of all zones that the run was to write to, if there were several; each has a record of its own. */
  readonly zones?: readonly string[];
}

/** The net effect of a run on one object. */
export interface RunChange {
  /** Without the zone's name. */
  readonly address: string;
  readonly action: "create" | "update" | "replace" | "delete";
  /** RFC 3339. */
  readonly at: string;
  /** The live object before the run; absent for a create, and if it was not recorded. */
  readonly before?: PreImage;
  /** What the state knew about it before the run. */
  readonly prior?: StateObject;
  /** What the state kept of it after the run, or what was sent; absent for a delete. */
  readonly after?: StateObject;
  /** Nobody knows whether the request took effect. */
  readonly isOpen?: true;
  /** It was only announced: nobody knows whether the request was even sent. */
  readonly isAhead?: true;
}

/** The change in a record, from the first intent and the run's effect; undefined if the run reverted it itself. */
export function runChange(intent: JournalRecord, effect: Effect): RunChange | undefined {
  const { address, at, before, prior } = intent;
  const isGone = effect.left === "removed" && !effect.open;
  if (isGone && intent.action === "create") return undefined;
  const after = effect.open?.object ?? (effect.left === "removed" ? undefined : effect.left);
  return {
    address,
    action: isGone ? "delete" : netAction(intent.action, effect),
    at,
    ...defined({ before, prior, after }),
    ...(effect.open ? { isOpen: true } : {}),
    ...(effect.open && effect.isAhead ? { isAhead: true } : {}),
  };
}

/** The action for an object that exists: one that was deleted and created again in the same run was replaced. */
function netAction(first: WriteAction, { left }: Effect): RunChange["action"] {
  if (first === "create" || first === "update") return first;
  return first === "delete" && left === undefined ? "delete" : "replace";
}
