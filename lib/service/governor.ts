import type { Clock } from "../core/clock.ts";
import {
  API_CALLS,
  API_WINDOW_MILLISECONDS,
  type Budget,
  callsOf,
  ISSUANCE_WINDOW_MILLISECONDS,
  issuancesOf,
  tooFewCalls,
  tooFewIssuances,
} from "../core/rate-limits.ts";
import { openGate } from "./gate.ts";
import type { HttpResponse } from "./http.ts";
import { readRemaining, readRetryAfter } from "./limit-headers.ts";
import { openPause } from "./pause.ts";
import type { GovernedCall, Needs, Permit, Places } from "./places.ts";
import type { Report } from "./service-event.ts";
import type { Share } from "./share.ts";
import { openWindow } from "./window.ts";

/** Paces all calls of one credential. There must be only one for each credential, because limits count by user. */
export interface Governor {
  /**
   * Resolves when the call may be sent. Throws `UnreachableError` if the service refused calls for too long, and the
   * signal's reason.
   */
  permit(call: GovernedCall, signal?: AbortSignal): Promise<Permit>;
  /**
   * Resolves when all the places are free, in the order of the requests; until then it holds either all the places of a
   * limit or none. Throws what `permit` throws, and at once a `Refusal` (`empty-budget`) if the budget can never have
   * this many places.
   */
  reserve(needs: Needs, signal?: AbortSignal): Promise<Places>;
  /** Milliseconds that calls waited; calls that wait at the same time count once. */
  waitedMilliseconds(): number;
}

/** What a governor is made of. */
export interface GovernorOptions {
  readonly budget: Budget;
  /** Where the runners of the credential share the budget: the part of this process. Absent if it has the budget for itself. */
  readonly share?: Share | undefined;
  readonly clock: Clock;
  readonly report?: Report;
  /** How long to keep waiting while the service refuses calls; 10 minutes when absent. */
  readonly patienceMilliseconds?: number;
}

/** The service blocks for 30 seconds whoever orders too many certificates (docs/service.md#issuance-limit). */
const ISSUANCE_BLOCK_MILLISECONDS = 30_000;
/**
 * A run must not fail halfway because the announced quota is too small for one change: below this, we only follow what
 * is left.
 */
const FEWEST_CALLS = 32;
/** We ignore a header with a longer window as a mistake: it would make a run wait for hours. */
const LONGEST_WINDOW_MILLISECONDS = 600_000;
/** The service rounds its reset time up to whole seconds. */
const ROUNDING_MILLISECONDS = 1000;
/** Twice the documented block of 5 minutes: a longer one is an outage. */
const PATIENCE_MILLISECONDS = 600_000;
/** The service always says how long to wait. After a refusal that does not, we retry soon, then ever later. */
const UNSAID_MILLISECONDS = 1000;

/**
 * Opens a credential's governor. Both limits are windows that one burst may use up: nothing waits until the share is
 * used. A call that issues a certificate takes its place in the issuance limit before it is sent, and gives it back if
 * it failed.
 */
export function openGovernor(options: GovernorOptions): Governor {
  const { budget, share, clock, report = ignore, patienceMilliseconds } = options;
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
  const apiWindow = openWindow(callsOf(budget), API_WINDOW_MILLISECONDS);
  const issuanceWindow = openWindow(issuancesOf(budget), ISSUANCE_WINDOW_MILLISECONDS);
  let quota = API_CALLS;
  const api = openGate({
    name: "api-budget",
    window: apiWindow,
    purse: budget.apiShare === "unlimited" ? undefined : share?.purse("calls", apiWindow),
    pause: apiPause,
    clock,
    report,
    tooMany: (calls, limit) => tooFewCalls(calls, limit, { quota, runners: budget.runners }),
  });
  const issuance = openGate({
    name: "issuance-limit",
    window: issuanceWindow,
    purse: budget.issuancePerMinute === "unlimited" ? undefined : share?.purse("certificates", issuanceWindow),
    pause: issuancePause,
    clock,
    report,
    tooMany: (issuances, limit) => tooFewIssuances(issuances, limit, { runners: budget.runners }),
  });
  const lapses = (): number => share?.lapses() ?? 0;
  let underWay = 0;

  /**
   * Follows what the service says about its limit. Its quota may differ from the published one, and its window may
   * restart sooner than ours; we leave others what is beyond our share.
   */
  const heed = (response: HttpResponse): void => {
    const left = readRemaining(response);
    if (left === undefined) return;
    const now = clock.now();
    const { remaining, resetMilliseconds, windowMilliseconds } = left;
    quota = left.quota ?? quota;
    const isWindow =
      windowMilliseconds !== undefined &&
      windowMilliseconds <= LONGEST_WINDOW_MILLISECONDS &&
      resetMilliseconds <= windowMilliseconds;
    if (isWindow && left.quota !== undefined) {
      apiWindow.resize(Math.max(callsOf(budget, quota), Math.min(callsOf(budget), FEWEST_CALLS)), windowMilliseconds);
      apiWindow.forgetBefore(now + resetMilliseconds - windowMilliseconds - ROUNDING_MILLISECONDS);
      apiWindow.resetAt(now + resetMilliseconds);
      api.wake();
    }
    const others = budget.apiShare === "unlimited" ? 0 : (1 - budget.apiShare) * quota;
    if (remaining <= Math.max(others, underWay) && resetMilliseconds > 0) apiPause.hold(now, resetMilliseconds);
  };

  const permitOf = (isIssuance: boolean, lapsesBefore: number): Permit => {
    const beganAt = clock.now();
    const over = (isDone: boolean, response: HttpResponse | undefined): void => {
      underWay -= 1;
      if (response !== undefined) heed(response);
      if (isIssuance && isDone) issuance.settle();
      if (isIssuance && !isDone) issuance.giveBack(1, lapsesBefore);
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
        // The block is the whole penalty: when it is over, earlier orders no longer count
        // (docs/reliability.md#how-a-run-is-paced).
        if (pause === issuancePause) issuanceWindow.resetAt(now + pause.waitFrom(now));
        over(false, response);
      },
    };
  };

  const reserve = async (wanted: Needs, signal: AbortSignal | undefined): Promise<Places> => {
    const reissues = budget.countsPatches ? (wanted.reissues ?? 0) : 0;
    const needs = { calls: wanted.calls, issuances: wanted.issuances + reissues };
    api.check(needs.calls);
    issuance.check(needs.issuances);
    for (;;) {
      const before = needs.issuances > 0 ? await issuance.pass(needs.issuances, signal) : 0;
      let now: number;
      try {
        now = await api.pass(needs.calls, signal);
      } catch (failure) {
        issuance.giveBack(needs.issuances, before);
        throw failure;
      }
      if (needs.issuances === 0 || now === before) return placesFor(needs, now);
      // It waited so long for the calls that the certificates expired.
      api.giveBack(needs.calls, now);
      issuance.giveBack(needs.issuances, before);
    }
  };

  const placesFor = (needs: Omit<Needs, "reissues">, lapsesBefore: number): Places => {
    let { calls, issuances } = needs;
    const gates = needs.issuances > 0 ? [api, issuance] : [api];
    const pauses = (): number => gates.reduce((sum, gate) => sum + gate.pauses(), 0);
    const pausesBefore = pauses();
    return {
      take: (call) => {
        const isIssuance = countsAsIssuance(call, budget);
        if (calls === 0 || (isIssuance && issuances === 0) || lapses() > lapsesBefore) return undefined;
        calls -= 1;
        if (isIssuance) issuances -= 1;
        underWay += 1;
        return permitOf(isIssuance, lapsesBefore);
      },
      isPaused: () => pauses() > pausesBefore || lapses() > lapsesBefore || gates.some((gate) => gate.isPaused()),
      giveBack: () => {
        api.giveBack(calls, lapsesBefore);
        issuance.giveBack(issuances, lapsesBefore);
        [calls, issuances] = [0, 0];
      },
    };
  };

  return {
    permit: async (call, signal) => {
      for (;;) {
        const places = await reserve({ calls: 1, issuances: countsAsIssuance(call, budget) ? 1 : 0 }, signal);
        const permit = places.take(call);
        if (permit !== undefined) return permit;
        // The places expired at this very moment.
        places.giveBack();
      }
    },
    reserve,
    waitedMilliseconds: () => api.waitedMilliseconds() + issuance.waitedMilliseconds(),
  };
}

/**
 * Successful POSTs count. Whether PATCHes that reissue a certificate do is not published, so it is a setting
 * (docs/service.md#issuance-limit).
 */
function countsAsIssuance(call: GovernedCall, budget: Budget): boolean {
  return call.issues === true && (call.method === "POST" || budget.countsPatches);
}

function ignore(): void {
  // Nobody listens.
}
