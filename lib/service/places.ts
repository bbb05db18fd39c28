import type { HttpResponse } from "./http.ts";

/** What the governor needs to know of a call. */
export interface GovernedCall {
  readonly method: string;
  /** Whether a certificate is issued when it succeeds. */
  readonly issues?: boolean;
}

/** Leave to make one call. Exactly one of its methods is called when the call is over. */
export interface Permit {
  /** It ended. `isDone` is whether it took effect, or may have; `response` is absent where none came. */
  ended(isDone: boolean, response?: HttpResponse): void;
  /** It was refused as one too many. `isGeneral` is whether the answer names the limit of all calls. */
  refused(response: HttpResponse, isGeneral: boolean): void;
}

/** What one attempt takes of the rate limits. */
export interface Needs {
  readonly calls: number;
  /** May be an upper bound: a certificate that turns out not to be needed is given back. */
  readonly issuances: number;
  /** Certificates that an edit orders: they count only where the budget says so (`count_patches`). Absent for none. */
  readonly reissues?: number;
}

/**
 * Places in the rate limits, taken together before the first call of an attempt. Whoever holds some asks for no others
 * before they are given back: those who hold and wait could wait for each other for ever.
 */
export interface Places {
  /** A place for a call that is sent now; undefined where none of that sort is left. A call that does not count as an issuance takes an API place only. */
  take(call: GovernedCall): Permit | undefined;
  /** Whether the service has refused a call of anybody's since the places were taken, or refuses calls now. */
  isPaused(): boolean;
  /** Gives back what was not taken. Calling it twice is calling it once. */
  giveBack(): void;
}
