import type { Clock } from "../core/clock.ts";
import { openGate } from "./gate.ts";
import type { HttpResponse } from "./http.ts";
import { readRemaining, readRetryAfter } from "./limit-headers.ts";
import { openPause } from "./pause.ts";
import type { Report } from "./service-event.ts";
import { openWindow } from "./window.ts";

/** The part of the service's limits that a run may use: the `budget` of the project file, worked out. */
export interface ServiceBudget {
  /** Of 1,200 calls in 5 minutes, above 0 and at most 1. */
  readonly apiShare: number;
  /** Certificates a minute that the account is allowed. */
  readonly issuancePerMinute: number;
  /** How many of them are left to others; fewer than `issuancePerMinute`. */
  readonly issuanceReserve: number;
  /** Whether a PATCH that orders a new certificate counts as well. */
  readonly countsPatches: boolean;
}

/** What the governor needs to know of a call. */
interface GovernedCall {
  readonly method: string;
  /** Whether a certificate is issued when it succeeds. */
  readonly issues?: boolean;
}

/** Leave to make one call. Exactly one of its methods is called when the call is over. */
interface Permit {
  /** It ended. `isDone` is whether it took effect, or may have; `response` is absent where none came. */
  ended(isDone: boolean, response?: HttpResponse): void;
  /** It was refused as one too many. `isGeneral` is whether the answer names the limit of all calls. */
  refused(response: HttpResponse, isGeneral: boolean): void;
}

/** Paces all calls that are made with one credential: there must be only one for each, since limits count by user. */
export interface Governor {
  /** Resolves when the call may be sent. Throws `UnreachableError` when the service refused calls for too long, and the signal's reason. */
  permit(call: GovernedCall, signal?: AbortSignal): Promise<Permit>;
  /** Milliseconds for which calls were held up, those who wait together counted once. */
  waitedMilliseconds(): number;
}

/** What a governor is made of. */
export interface GovernorOptions {
  readonly budget: ServiceBudget;
  readonly clock: Clock;
  readonly report?: Report;
  /** How long refusals may go on before it is given up; 10 minutes where not said. */
  readonly patienceMilliseconds?: number;
}

/** Public fact: 1,200 calls in 5 minutes per user, over all his keys, tokens and the dashboard. */
const API_CALLS = 1200;
const API_WINDOW_MILLISECONDS = 300_000;
const ISSUANCE_WINDOW_MILLISECONDS = 60_000;
/** Public fact: whoever orders too many certificates is blocked for 30 seconds. */
const ISSUANCE_BLOCK_MILLISECONDS = 30_000;
/** Twice the block of 5 minutes that the service documents: longer is no pause but an outage. */
const PATIENCE_MILLISECONDS = 600_000;
/** The service always says how long; a refusal that does not is asked again soon, then ever later. */
const UNSAID_MILLISECONDS = 1000;

/**
 * Opens the governor of a credential. Both limits are windows that may be used up in one burst: nobody waits before the
 * share is used. An issuing call takes its place in the issuance limit before it is sent, and gives it back if it failed.
 */
export function openGovernor({ budget, clock, report = ignore, patienceMilliseconds }: GovernorOptions): Governor {
  const patience = patienceMilliseconds ?? PATIENCE_MILLISECONDS;
  const apiPause = openPause({
    longestMilliseconds: PATIENCE_MILLISECONDS,
    unsaidMilliseconds: UNSAID_MILLISECONDS,
    patienceMilliseconds: patience,
  });
  const issuancePause = openPause({
    longestMilliseconds: ISSUANCE_BLOCK_MILLISECONDS,
    unsaidMilliseconds: ISSUANCE_BLOCK_MILLISECONDS,
    patienceMilliseconds: patience,
  });
  const api = openGate({
    name: "api-budget",
    window: openWindow(callsOf(budget), API_WINDOW_MILLISECONDS),
    pause: apiPause,
    clock,
    report,
  });
  const issuance = openGate({
    name: "issuance-limit",
    window: openWindow(issuancesOf(budget), ISSUANCE_WINDOW_MILLISECONDS),
    pause: issuancePause,
    clock,
    report,
  });
  let underWay = 0;

  /** Leaves to others what the share does not give us, by what the service says is left over everybody. */
  const leaveToOthers = (response: HttpResponse): void => {
    const left = readRemaining(response);
    if (left === undefined) return;
    const needed = Math.max((1 - budget.apiShare) * (left.quota ?? API_CALLS), underWay);
    if (left.remaining <= needed) apiPause.hold(clock.now(), left.resetMilliseconds);
  };

  const permitOf = (isIssuance: boolean): Permit => {
    const beganAt = clock.now();
    const over = (isDone: boolean, response: HttpResponse | undefined): void => {
      underWay -= 1;
      if (response !== undefined) leaveToOthers(response);
      if (isIssuance && isDone) issuance.settle();
      if (isIssuance && !isDone) issuance.giveBack();
      api.settle();
    };
    return {
      ended: (isDone, response) => {
        if (response !== undefined) apiPause.answered();
        if (isIssuance && response !== undefined) issuancePause.answered();
        over(isDone, response);
      },
      refused: (response, isGeneral) => {
        const now = clock.now();
        const pause = isIssuance && !isGeneral ? issuancePause : apiPause;
        pause.refused(now, beganAt, readRetryAfter(response, now));
        over(false, response);
      },
    };
  };

  return {
    permit: async (call, signal) => {
      const isIssuance = countsAsIssuance(call, budget);
      if (isIssuance) await issuance.pass(signal);
      try {
        await api.pass(signal);
      } catch (failure) {
        if (isIssuance) issuance.giveBack();
        throw failure;
      }
      underWay += 1;
      return permitOf(isIssuance);
    },
    waitedMilliseconds: () => api.waitedMilliseconds() + issuance.waitedMilliseconds(),
  };
}

/** Calls in 5 minutes that the budget gives us: a share of the service's limit, rounded down, and one at least. */
function callsOf(budget: ServiceBudget): number {
  if (!(budget.apiShare > 0 && budget.apiShare <= 1)) throw new Error("a budget's share is above 0 and at most 1");
  return Math.max(1, Math.floor(budget.apiShare * API_CALLS));
}

/** Certificates in a minute that the budget gives us. */
function issuancesOf(budget: ServiceBudget): number {
  const issuances = budget.issuancePerMinute - budget.issuanceReserve;
  if (!(issuances >= 1)) throw new Error("a budget's reserve leaves one issuance a minute at least");
  return Math.floor(issuances);
}

/** Public fact: successful POSTs count; whether re-issuing PATCHes do is not published, so it is the account's choice. */
function countsAsIssuance(call: GovernedCall, budget: ServiceBudget): boolean {
  return call.issues === true && (call.method === "POST" || budget.countsPatches);
}

function ignore(): void {
  // Nobody watches.
}
