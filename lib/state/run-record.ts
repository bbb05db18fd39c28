import { defined } from "../core/defined.ts";
import type { JournalRecord, PreImage, WriteAction } from "./record.ts";
import type { RunApproval } from "./run-approval.ts";
import type { Effect } from "./run-tally.ts";
import type { StateObject } from "./state.ts";

/** What stands at the head of a run's record. */
export interface RunHeader {
  readonly run: string;
  readonly zone: string;
  readonly lineage: string;
  /** The serial of the state that the run began with: it tells runs of the same moment apart. */
  readonly serial: number;
  /** RFC 3339: the first and the last word of the run's journal. */
  readonly began: string;
  readonly ended: string;
  /** How many objects it changed, or may have. */
  readonly changes: number;
  readonly operation?: string;
  readonly planHash?: string;
  /** Who approved it, and how; absent in records of older versions. */
  readonly approved?: RunApproval;
  /** The ids of all zones that the run was to write in, where there were several; each has a record of its own. */
  readonly zones?: readonly string[];
}

/** What a run did to one object, all in all. */
export interface RunChange {
  /** Without the zone's name. */
  readonly address: string;
  readonly action: "create" | "update" | "replace" | "delete";
  /** RFC 3339. */
  readonly at: string;
  /** The live object that the run met; absent for a create, and where it was not written down. */
  readonly before?: PreImage;
  /** What the state knew of it before the run. */
  readonly prior?: StateObject;
  /** What the state kept of it after the run, or what was sent; absent for a delete. */
  readonly after?: StateObject;
  /** Nobody knows whether the request took effect. */
  readonly isOpen?: true;
}

/** The change of a record, from the intent with which it began and what the run made of it; undefined where it undid itself. */
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
  };
}

/** What became of an object that is there: one that was deleted and created again in the same run was replaced. */
function netAction(first: WriteAction, { left }: Effect): RunChange["action"] {
  if (first === "create" || first === "update") return first;
  return first === "delete" && left === undefined ? "delete" : "replace";
}
