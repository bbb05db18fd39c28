import type { Clock } from "../core/clock.ts";
import { type ApiRequest, checkCall, type Client, type FreshClient } from "./client.ts";
import { ApiError, NoFreshRead } from "./errors.ts";
import type { Needs, Permit, Places } from "./places.ts";
import { type PageAnswer, type PageReader, readPages } from "./pages.ts";
import { ATTEMPTS, nameOf, THROTTLES, type Verdict } from "./retry.ts";

/** A write must reach its connection within this time after the response to the read that it is based on. */
export const FRESH_MILLISECONDS = 1000;

/** How a call that was sent once ended. If that is unknown, it throws. */
export type Sent =
  | { readonly verdict: "done"; readonly answer: PageAnswer }
  | { readonly verdict: Exclude<Verdict, "done">; readonly error: Error };

/** What fresh writes are built on: the client's ways to send a call. */
export interface FreshWriteParts extends Pick<PageReader, "sizes" | "report"> {
  readonly clock: Clock;
  readonly serviceTime: Client["serviceTime"];
  /** Sends a call once and uses up the permit. Calls `mayLeave` once it has a connection. */
  readonly sendOnce: (
    request: ApiRequest,
    permit: Permit,
    signal: AbortSignal | undefined,
    mayLeave?: () => boolean,
  ) => Promise<Sent>;
  /** Sends a call as often as needed, each time with a permit of its own. */
  readonly exchange: PageReader["read"];
  /** Reserves places. If the service keeps refusing calls, throws `refusal`, if given. */
  readonly reserve: (needs: Needs, refusal: Error | undefined, signal: AbortSignal | undefined) => Promise<Places>;
  /** Counts one more try, and waits first if `failures` tries got no response. */
  readonly waitBeforeRetry: (
    request: string,
    because: Error,
    failures: number,
    signal: AbortSignal | undefined,
  ) => Promise<void>;
}

type Reason = "stale" | "paused" | "throttled" | "unanswered";

/** When to give up: after how many tries that failed for the reason. If `backsOff`, each next try waits longer. */
interface Policy {
  readonly tries: number;
  readonly backsOff: boolean;
}

/** Why a try starts over. If a limit is the reason, reserving its places waits. */
const REASONS: Readonly<Record<Reason, Policy>> = {
  /** The read is too old, or the service asked for a pause after it: a slow machine, or a crowded limit. */
  stale: { tries: 10, backsOff: false },
  /** The service asked for a pause, and there was no read. A create that is ready has one whenever another is refused. */
  paused: { tries: 20 * THROTTLES, backsOff: false },
  /** The service refused a call with 429. Of many changes that order certificates, only some get one each minute. */
  throttled: { tries: 2 * THROTTLES, backsOff: false },
  /** No connection, or a read without a response. */
  unanswered: { tries: ATTEMPTS, backsOff: true },
};

/** The try has to start over: its write was not sent, or was refused. */
export class StartOver extends Error {
  readonly reason: Reason;
  /** Method and path of the call that failed. */
  readonly request: string;
  /** Which try starts over: tries can be nested. */
  readonly turn: Turn;

  constructor(reason: Reason, request: string, turn: Turn, options?: ErrorOptions) {
    super("the try starts over", options);
    this.name = "StartOver";
    this.reason = reason;
    this.request = request;
    this.turn = turn;
  }
}

/**
 * Makes `FreshClient.freshly`: reserves the places for a read and its write, reads, writes. This is one of the two places
 * that repeat a write, and it repeats the read with it; the other is `retry.ts`, which judges for both whether a request
 * can have taken effect. With `first`, the first try is the rest of that one.
 */
export function openFreshWrites(parts: FreshWriteParts, first?: Turn): FreshClient["freshly"] {
  return async (needs, act, signal) => {
    const failed = new Map<Reason, number>();
    let refusal: Error | undefined;
    for (let next = first; ; next = undefined) {
      const turn = next ?? new Turn(parts, await parts.reserve(needs, refusal, signal));
      let thrown: StartOver;
      try {
        return await act(turn.client, () => turn.startOver("stale", "a write"), openFreshWrites(parts, turn));
      } catch (failure) {
        if (!(failure instanceof StartOver) || failure.turn !== turn) throw failure;
        thrown = failure;
      } finally {
        turn.end();
      }
      const { reason, request, cause } = thrown;
      const failures = (failed.get(reason) ?? 0) + 1;
      failed.set(reason, failures);
      if (reason === "throttled" && cause instanceof Error) refusal = cause;
      const because = cause instanceof Error ? cause : new NoFreshRead(REASONS.stale.tries, FRESH_MILLISECONDS);
      if (failures === REASONS[reason].tries) throw because;
      await parts.waitBeforeRetry(request, because, REASONS[reason].backsOff ? failures : 0, signal);
    }
  };
}

/**
 * One try, on reserved places. A read that needs more places gives the rest back and waits like any other call, so that
 * no try holds places while it waits for more; its write then takes a place of its own.
 */
class Turn {
  readonly client: Client;
  readonly #parts: FreshWriteParts;
  #places: Places | undefined;
  #readAt: number | undefined;

  constructor(parts: FreshWriteParts, places: Places) {
    this.#parts = parts;
    this.#places = places;
    const read: PageReader["read"] = (request, signal) => this.#read(request, signal);
    this.client = {
      send: async (request, signal) =>
        (request.method === "GET" ? await this.#read(request, signal) : await this.#write(request, signal)).result,
      pages: (request, signal) => readPages({ ...parts, read }, request, signal),
      serviceTime: parts.serviceTime,
    };
  }

  /** Gives unused places back. */
  end(): void {
    this.#places?.giveBack();
    this.#places = undefined;
  }

  /**
   * Returns what to throw to start over. Gives the places back at once, because the code that catches it may reserve
   * others.
   */
  startOver(reason: Reason, request: string, cause?: Error): StartOver {
    this.end();
    return new StartOver(reason, request, this, cause && { cause });
  }

  async #read(request: ApiRequest, signal: AbortSignal | undefined): Promise<PageAnswer> {
    const { clock } = this.#parts;
    checkCall(request, signal);
    // The service asked for a pause after the places were reserved.
    if (this.#places?.isPaused()) throw this.startOver("paused", nameOf(request));
    const permit = this.#places?.take(request);
    try {
      const answer = await (permit ? this.#readOnce(request, permit, signal) : this.#readOutside(request, signal));
      this.#readAt = clock.now();
      return answer;
    } catch (thrown) {
      // "No such object" is a response too.
      if (thrown instanceof ApiError) this.#readAt = clock.now();
      throw thrown;
    }
  }

  async #readOnce(request: ApiRequest, permit: Permit, signal: AbortSignal | undefined): Promise<PageAnswer> {
    const sent = await this.#parts.sendOnce(request, permit, signal);
    if (sent.verdict === "done") return sent.answer;
    signal?.throwIfAborted();
    throw this.#failure(request, sent);
  }

  /** Reads with a wait. What was read before is now too old, and the write may be based on it. */
  async #readOutside(request: ApiRequest, signal: AbortSignal | undefined): Promise<PageAnswer> {
    const { clock, exchange } = this.#parts;
    const isFirst = this.#readAt === undefined;
    const began = clock.now();
    this.end();
    const answer = await exchange(request, signal);
    if (!isFirst && clock.now() - began > FRESH_MILLISECONDS) throw this.startOver("stale", nameOf(request));
    return answer;
  }

  async #write(request: ApiRequest, signal: AbortSignal | undefined): Promise<PageAnswer> {
    checkCall(request, signal);
    signal?.throwIfAborted();
    const permit = this.#takePlace(request) ?? (await this.#takeOneMore(request, signal));
    const [places, readAt] = [this.#places, this.#readAt];
    if (permit === undefined || places === undefined)
      throw new Error("a place that was taken for a call serves that call");
    this.#readAt = undefined;
    let isTooLate = false;
    // It may have to connect first, so we check again once it has a connection.
    const sent = await this.#parts.sendOnce(request, permit, signal, () => {
      isTooLate = !this.#mayLeave(places, readAt);
      return !isTooLate;
    });
    if (isTooLate) throw this.startOver("stale", nameOf(request));
    if (sent.verdict === "done") return sent.answer;
    throw this.#failure(request, sent);
  }

  /** A place for a write that may be sent now; undefined if none is held. */
  #takePlace(request: ApiRequest): Permit | undefined {
    if (this.#places === undefined) return undefined;
    // A call that needs no read is always fresh: its caller has just checked what it is based on.
    if (request.needsNoRead === true) this.#readAt = this.#parts.clock.now();
    if (!this.#mayLeave(this.#places, this.#readAt))
      throw this.startOver(request.needsNoRead === true ? "paused" : "stale", nameOf(request));
    return this.#places.take(request);
  }

  async #takeOneMore(request: ApiRequest, signal: AbortSignal | undefined): Promise<Permit | undefined> {
    this.end();
    const orders = request.issues === true ? 1 : 0;
    const isNew = request.method === "POST";
    const needs = { calls: 1, issuances: isNew ? orders : 0, reissues: isNew ? 0 : orders };
    this.#places = await this.#parts.reserve(needs, undefined, signal);
    signal?.throwIfAborted();
    return this.#takePlace(request);
  }

  /** Whether a write based on a read at that time may be sent now. A clock that was set back makes a read too old. */
  #mayLeave(places: Places, readAt: number | undefined): boolean {
    const age = readAt === undefined ? Infinity : this.#parts.clock.now() - readAt;
    return age >= 0 && age <= FRESH_MILLISECONDS && !places.isPaused();
  }

  #failure(request: ApiRequest, { verdict, error }: Exclude<Sent, { verdict: "done" }>): Error {
    if (verdict === "again") return this.startOver("unanswered", nameOf(request), error);
    return verdict === "throttled" ? this.startOver("throttled", nameOf(request), error) : error;
  }
}
