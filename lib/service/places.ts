import type { HttpResponse } from "./http.ts";

/** What the governor needs to know about a call. */
export interface GovernedCall {
  readonly method: string;
  /** Whether a success issues a certificate. */
  readonly issues?: boolean;
}

/** Permission to make one call. Call exactly one of its methods when the call is over. */
export interface Permit {
  /** The call ended. `isDone` is whether it took effect, or may have; `response` is absent if none came. */
  ended(isDone: boolean, response?: HttpResponse): void;
  /** The call was refused with 429. `isGeneral` is whether the response names the limit on all calls. */
  refused(response: HttpResponse, isGeneral: boolean): void;
}

/** How much one attempt takes of the rate limits. */
export interface Needs {
  readonly calls: number;
  /** May be an upper bound: unused certificates are given back. */
  readonly issuances: number;
  /** Certificates that an edit orders: they count only if the budget says so (`count_patches`). Absent for none. */
  readonly reissues?: number;
}

/**
 * Places in the rate limits, reserved together before an attempt's first call. A caller must give its places back
 * before it asks for others: otherwise two callers could wait for each other forever.
 */
export interface Places {
  /**
   * A place for a call that is sent now; undefined if none of that sort is left. A call that does not count as an
   * issuance takes only an API place.
   */
  take(call: GovernedCall): Permit | undefined;
  /** Whether the service refused a call of any caller after they were reserved, or refuses calls now. */
  isPaused(): boolean;
  /** Gives back the unused places. Calling it twice is calling it once. */
  giveBack(): void;
}
