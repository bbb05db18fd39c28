import type { Approval } from "../approval/approval.ts";
import type { Clock, Random } from "../core/clock.ts";
import type { Reveal } from "../kinds/traits/remote.ts";
import type { FreshClient } from "../service/client.ts";
import type { RunApproval } from "../state/run-approval.ts";
import type { LockHolder, StateStore } from "../state/store.ts";
import type { ApplyEvent } from "./outcome.ts";

/** How to carry out a plan. */
export interface ApplyOptions {
  /** Who takes the lock of each zone, and what for: the record of the run names the same operation (`apply`, `destroy`, `undo …`). */
  readonly holder: Omit<LockHolder, "id">;
  readonly lockWaitMilliseconds: number;
  /** How many changes may be under way at once. */
  readonly parallelism: number;
  /** What was approved, where the plan is only a part of it; absent where it is the plan itself. */
  readonly approval?: Approval;
  /** Who approved it, and how, for the record of the run. */
  readonly approved?: RunApproval;
  /** When no further change is started (`--max-duration`), in milliseconds since the epoch. */
  readonly deadlineMilliseconds?: number | undefined;
  /** Gives the value of a secret, read again now and not when the plan was made. Throws `Refusal`. */
  readonly reveal: Reveal;
  readonly report: (event: ApplyEvent) => void;
}

/** One apply: what is the same for each of its zones. */
export interface ApplyRun {
  readonly id: string;
  /** The part of the engine's world that an apply needs. */
  readonly world: {
    readonly store: StateStore;
    readonly clock: Clock;
    readonly random: Random;
    readonly signal?: AbortSignal | undefined;
  };
  /** The client for calls within the plan's budget. */
  readonly client: FreshClient;
  readonly options: ApplyOptions;
  /** What was approved: kept beside the state, so that a run that is stopped goes on under it. */
  readonly approval: Approval;
  /** Whether a part of what was approved was left out of the plan, and may be done later. */
  readonly leavesOut: boolean;
  /** The ids of all zones that the run is to write in, for its record; absent where there is only one. */
  readonly zones?: readonly string[] | undefined;
}

/** Why a change was not started after the time of `--max-duration`. */
const OUT_OF_TIME = "the time of --max-duration is over";

/** Why no further change may be started, or undefined. */
export function whyStopped({
  world: { signal, clock },
  options: { deadlineMilliseconds },
}: ApplyRun): string | undefined {
  if (signal?.aborted) return "the run was interrupted";
  return deadlineMilliseconds !== undefined && clock.now() >= deadlineMilliseconds ? OUT_OF_TIME : undefined;
}
