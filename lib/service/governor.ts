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
import { Gate, openWindow } from "./gate.ts";
import type { HttpResponse } from "./http.ts";
import { openPause, readRemaining, readRetryAfter } from "./pause.ts";
import type { GovernedCall, Needs, Permit, Places } from "./places.ts";
import type { Report } from "./service-event.ts";

/** What a governor is made of. */
export interface GovernorOptions {
  readonly budget: Budget;
  readonly clock: Clock;
  readonly report?: Report;
  /** How long to keep waiting while the service refuses calls; 10 minutes when absent. */
  readonly patienceMilliseconds?: number;
}

/** The service blocks an account that orders too many certificates for 30 seconds (docs/service.md#issuance-limit). */
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
/** Twice the documented block of 5 minutes; a longer one is an outage. */
const PATIENCE_MILLISECONDS = 600_000;
/** The service always says how long to wait. After a refusal that does not, we retry soon, then ever later. */
const UNSAID_MILLISECONDS = 1000;

/**
 * Paces all calls of one credential. There must be only one governor for each credential, because limits count by user.
 * Both limits are windows that one burst may use up: nothing waits until the share is used. A call that issues a
 * certificate takes its place in the issuance limit before it is sent, and gives it back if it failed.
 */
export class Governor {
  private readonly budget: Budget;
  private readonly clock: Clock;
  private readonly api: Gate;
  private readonly issuance: Gate;
  private quota = API_CALLS;
  private underWay = 0;

  constructor({
    budget,
    clock,
    report = () => undefined,
    patienceMilliseconds = PATIENCE_MILLISECONDS,
  }: GovernorOptions) {
    this.budget = budget;
    this.clock = clock;
    this.api = new Gate({
      name: "api-budget",
      window: openWindow(callsOf(budget), API_WINDOW_MILLISECONDS),
      pause: openPause({
        longestMilliseconds: PATIENCE_MILLISECONDS,
        unsaidMilliseconds: UNSAID_MILLISECONDS,
        patienceMilliseconds,
      }),
      clock,
      report,
      tooMany: (calls, limit) => tooFewCalls(calls, limit, { quota: this.quota, runners: budget.runners }),
    });
    this.issuance = new Gate({
      name: "issuance-limit",
      window: openWindow(issuancesOf(budget), ISSUANCE_WINDOW_MILLISECONDS),
      pause: openPause({
        longestMilliseconds: ISSUANCE_BLOCK_MILLISECONDS,
        unsaidMilliseconds: ISSUANCE_BLOCK_MILLISECONDS,
        patienceMilliseconds,
      }),
      clock,
      report,
      tooMany: (issuances, limit) => tooFewIssuances(issuances, limit, { runners: budget.runners }),
    });
  }

  /**
   * Resolves when the call may be sent. Throws `UnreachableError` if the service refused calls for too long, and the
   * signal's reason.
   */
  async permit(call: GovernedCall, signal?: AbortSignal): Promise<Permit> {
    const isIssuance = countsAsIssuance(call, this.budget);
    await this.pass(1, isIssuance ? 1 : 0, signal);
    return this.begin(isIssuance);
  }

  /**
   * Resolves when all the places are free, in the order of the requests; until then it holds either all the places of a
   * limit or none. Throws what `permit` throws, and at once a `Refusal` (`empty-budget`) if the budget can never have
   * this many places.
   */
  async reserve(needs: Needs, signal?: AbortSignal): Promise<Places> {
    const { budget, api, issuance } = this;
    let { calls, issuances } = needs;
    if (budget.countsPatches) issuances += needs.reissues ?? 0;
    await this.pass(calls, issuances, signal);
    const gates = issuances > 0 ? [api, issuance] : [api];
    const pauses = (): number => gates.reduce((sum, { pause }) => sum + pause.count(), 0);
    const pausesBefore = pauses();
    return {
      take: (call) => {
        const isIssuance = countsAsIssuance(call, budget);
        if (calls === 0 || (isIssuance && issuances === 0)) return undefined;
        calls -= 1;
        if (isIssuance) issuances -= 1;
        return this.begin(isIssuance);
      },
      isPaused: () => pauses() > pausesBefore || gates.some(({ pause }) => pause.refusedFor(this.clock.now()) > 0),
      giveBack: () => {
        api.giveBack(calls);
        issuance.giveBack(issuances);
        [calls, issuances] = [0, 0];
      },
    };
  }

  /** Milliseconds that calls waited; calls that wait at the same time count once. */
  waitedMilliseconds(): number {
    return this.api.waitedMilliseconds() + this.issuance.waitedMilliseconds();
  }

  private async pass(calls: number, issuances: number, signal: AbortSignal | undefined): Promise<void> {
    const { api, issuance } = this;
    api.check(calls);
    issuance.check(issuances);
    if (issuances > 0) await issuance.pass(issuances, signal);
    try {
      await api.pass(calls, signal);
    } catch (failure) {
      issuance.giveBack(issuances);
      throw failure;
    }
  }

  private begin(isIssuance: boolean): Permit {
    const { api, issuance, clock } = this;
    const beganAt = clock.now();
    this.underWay += 1;
    const over = (isDone: boolean, response: HttpResponse | undefined): void => {
      this.underWay -= 1;
      if (response !== undefined) this.heed(response);
      if (isIssuance && isDone) issuance.settle();
      if (isIssuance && !isDone) issuance.giveBack(1);
      api.settle();
    };
    return {
      ended: (isDone, response) => {
        if (response !== undefined) api.pause.answered();
        if (isIssuance && response !== undefined) issuance.pause.answered();
        over(isDone, response);
      },
      refused: (response, isGeneral) => {
        const now = clock.now();
        const gate = isIssuance && !isGeneral ? issuance : api;
        gate.pause.refused(now, beganAt, readRetryAfter(response, now));
        // The block is the whole penalty: when it is over, earlier orders no longer count
        // (docs/reliability.md#how-a-run-is-paced).
        if (gate === issuance) gate.window.resetAt(now + gate.pause.waitFrom(now));
        over(false, response);
      },
    };
  }

  /**
   * Follows what the service says about its limit. Its quota may differ from the published one, and its window may
   * restart sooner than ours; calls beyond our share are left to others.
   */
  private heed(response: HttpResponse): void {
    const left = readRemaining(response);
    if (left === undefined) return;
    const { budget, api } = this;
    const now = this.clock.now();
    const { remaining, resetMilliseconds, windowMilliseconds } = left;
    this.quota = left.quota ?? this.quota;
    const isWindow =
      windowMilliseconds !== undefined &&
      windowMilliseconds <= LONGEST_WINDOW_MILLISECONDS &&
      resetMilliseconds <= windowMilliseconds;
    if (isWindow && left.quota !== undefined) {
      const calls = Math.max(callsOf(budget, left.quota), Math.min(callsOf(budget), FEWEST_CALLS));
      api.window.resize(calls, windowMilliseconds);
      api.window.forgetBefore(now + resetMilliseconds - windowMilliseconds - ROUNDING_MILLISECONDS);
      api.window.resetAt(now + resetMilliseconds);
      api.wake();
    }
    const others = budget.apiShare === "unlimited" ? 0 : (1 - budget.apiShare) * this.quota;
    if (remaining <= Math.max(others, this.underWay) && resetMilliseconds > 0) api.pause.hold(now, resetMilliseconds);
  }
}

/**
 * Successful POSTs count. Whether PATCHes that reissue a certificate do is not published, so it is a setting
 * (docs/service.md#issuance-limit).
 */
function countsAsIssuance(call: GovernedCall, budget: Budget): boolean {
  return call.issues === true && (call.method === "POST" || budget.countsPatches);
}
