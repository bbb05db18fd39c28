import type { Secret } from "./secret.ts";

/** The limits of the service that runners with one credential share. */
export type SharedLimit = "calls" | "certificates";

/** How long a runner may use the places that it drew last. */
export const BLOCK_LIFE_MILLISECONDS = 60_000;

/** A call arrives at the service within this time after its runner was last allowed to send it, or never. */
export const ARRIVAL_MILLISECONDS = 60_000;

/** Who draws: the credential, whose calls the service counts together, and one process that uses it. */
export interface Drawer {
  readonly credential: Secret;
  /** Another one for each process. */
  readonly runner: string;
}

/** What a runner says of one limit, and what it wants of it. It may say the same again after a lost answer. */
export interface Draw {
  readonly limit: SharedLimit;
  /** How many places all runners together may use in any window. */
  readonly most: number;
  readonly windowMilliseconds: number;
  /** How long ago the service began to count anew; absent if it only looks back over the window. */
  readonly restartedMilliseconds?: number;
  /** The places that the runner has now: of calls under way, and unused ones that it keeps. It gives back all others. */
  readonly held: number;
  /** How many places it had used up before those in `used`. */
  readonly reported: number;
  /** The places that it used up since, oldest first. */
  readonly used: readonly Used[];
  /** How many more it needs; 0 to say only what it has. */
  readonly needed: number;
  /** How many it would like to get, at once, to ask less often; at least `needed`. */
  readonly wanted: number;
}

/** Places of calls that ended. */
export interface Used {
  readonly places: number;
  readonly agoMilliseconds: number;
}

/** The answer to a draw. */
export interface Granted {
  /** How many places the runner gets: none, or as many as it needs at least. */
  readonly places: number;
  /** When to ask again, if there were too few. */
  readonly waitMilliseconds: number;
}

/**
 * The limits of the service, shared among the runners that use one store of states. They draw blocks of places, so that
 * few calls need a request here. Only the time of the store counts: clocks of runners may differ. A runner may use its
 * places for `BLOCK_LIFE_MILLISECONDS` after it sent the last draw that was answered. Those of a runner that is gone
 * count until a call with one of them would have left the window.
 */
export interface SharedBudget {
  /**
   * Draws from all the given limits in one step; the answers come in their order. Whoever was told to wait is served
   * before others who ask later. Throws `StateError`.
   */
  draw(drawer: Drawer, draws: readonly Draw[]): Promise<readonly Granted[]>;
}
