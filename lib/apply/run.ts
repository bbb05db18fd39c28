import type { Approval } from "../approval/approval.ts";
import type { KeepOnce } from "../approval/kept.ts";
import type { ZoneId } from "../core/brand.ts";
import type { Clock, Random } from "../core/clock.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Reveal } from "../kinds/traits/remote.ts";
import type { FreshClient } from "../service/client.ts";
import type { LoadedState } from "../state/load.ts";
import type { RunApproval } from "../state/journal-record.ts";
import type { LockHolder } from "../state/lock.ts";
import type { ProjectStore } from "../state/zone/store.ts";
import type { StateStores } from "../state/stores.ts";
import type { ApplyEvent } from "./outcome.ts";

/** How fast to apply a plan, and for how long. */
export interface Pace {
  /** How long to wait for the lock of a zone's state. */
  readonly lockWaitMilliseconds: number;
  /** How many changes may run at once in each zone. */
  readonly parallelism: number;
  /** How many zones may be applied at once; 1 when absent. */
  readonly zonesInParallel?: number;
  /** When to stop starting changes, in milliseconds since the epoch; never when absent. */
  readonly deadlineMilliseconds?: number;
}

/** The pace of a caller that asks for none. */
export const USUAL_PACE: Required<Pace> = {
  lockWaitMilliseconds: 0,
  parallelism: 8,
  zonesInParallel: 1,
  deadlineMilliseconds: Infinity,
};

/** How to apply a plan. */
export interface ApplyOptions extends Pace {
  /**
   * Who takes the lock of each zone, and for what; the run's record has the same operation (`apply`, `destroy`, `undo
   * …`).
   */
  readonly holder: Omit<LockHolder, "id">;
  /** The approval, if the plan is only a part of it; absent if the plan itself was approved. */
  readonly approval?: Approval;
  /** Who approved it, and how, for the run's record. */
  readonly approved?: RunApproval;
  /** The states that the plan was made from. */
  readonly states?: ReadonlyMap<ZoneId, LoadedState> | undefined;
  /** What ended the run at the deadline, for the report. */
  readonly deadlineReason?: string;
  /** Returns the value of a secret, read now, not when the plan was made. Throws `Refusal`. */
  readonly reveal: Reveal;
  readonly report: (event: ApplyEvent) => void;
}

/** One apply: what all its zones share. */
export interface ApplyRun {
  readonly id: string;
  /** The part of the engine's world that an apply needs. */
  readonly world: {
    readonly store: ProjectStore;
    /** The project whose states the store has. */
    readonly project: string;
    readonly stores: Pick<StateStores, "claims">;
    readonly clock: Clock;
    readonly random: Random;
    readonly note?: (found: Diagnostic) => void;
    readonly signal?: AbortSignal | undefined;
  };
  /** The client for calls within the plan's budget. */
  readonly client: FreshClient;
  readonly options: ApplyOptions;
  /** The approval, kept beside the state of one zone, so that a stopped run continues under it. */
  readonly approval: Approval;
  readonly keepOnce: KeepOnce;
  /** Whether the plan leaves out a part of what was approved, which may be applied later. */
  readonly leavesOut: boolean;
  /** The ids of all zones that the run will write to, for its record; absent if there is only one. */
  readonly zones?: readonly string[] | undefined;
}

/** The run was stopped before this change was sent. */
export class NotStarted extends Error {
  constructor(because: string) {
    super(because);
    this.name = "NotStarted";
  }
}

/** Why no further change may be started, or undefined. */
export function whyStopped({
  world: { signal, clock },
  options: { deadlineMilliseconds, deadlineReason = "the time of the run is over" },
}: ApplyRun): string | undefined {
  if (signal?.aborted) return "the run was interrupted";
  return deadlineMilliseconds !== undefined && clock.now() >= deadlineMilliseconds ? deadlineReason : undefined;
}
