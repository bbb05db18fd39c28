import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { ApiRequest, Client, FreshClient, PagedRequest } from "./client.ts";
import { nameOf } from "./call-error.ts";
import { ApiError, NoFreshRead } from "./errors.ts";
import type { Needs, Permit, Places } from "./places.ts";
import type { PageAnswer } from "./pages.ts";
import { ATTEMPTS, THROTTLES, type Verdict } from "./retry.ts";

/** A write must reach its connection within this time of the answer to the read that it is based on. */
export const FRESH_MILLISECONDS = 1000;

/**
 * Attempts whose read gets too old before the write can be sent. A machine this slow, or a limit this crowded, needs a
 * person.
 */
const STALE_ATTEMPTS = 10;

/** How a call that was sent once ended. If we cannot know, it throws. */
export type Sent =
  | { readonly verdict: "done"; readonly answer: PageAnswer }
  | { readonly verdict: Exclude<Verdict, "done">; readonly error: Error };

type Read = (request: ApiRequest, signal?: AbortSignal) => Promise<PageAnswer>;

/** What fresh writes are built on: the client's ways to send a call. */
export interface FreshWriteParts {
  readonly clock: Clock;
  readonly serviceTime: Client["serviceTime"];
  /** Checks a call before it is sent. */
  readonly check: (request: ApiRequest, signal: AbortSignal | undefined) => void;
  /** Sends a call once and uses up the permit. Asks `mayLeave` once it has a connection. */
  readonly sendOnce: (
    request: ApiRequest,
    permit: Permit,
    signal: AbortSignal | undefined,
    mayLeave?: () => boolean,
  ) => Promise<Sent>;
  /** Sends a call as often as needed, each time with a permit of its own. */
  readonly exchange: Read;
  readonly pages: (read: Read, request: PagedRequest, signal?: AbortSignal) => AsyncIterable<JsonObject>;
  /** Reserves places. If the service keeps refusing calls, throws `refusal`, if given. */
  readonly reserve: (needs: Needs, refusal: Error | undefined, signal: AbortSignal | undefined) => Promise<Places>;
  /** Counts one more attempt, and waits first if `failures` attempts got no answer. */
  readonly again: (request: string, because: Error, failures: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** The attempt has to start over: its write was not sent, or was refused as one too many. */
export class StartOver extends Error {
  /**
   * `stale`: the read is too old, or the service asked for a pause after it. `paused`: it asked for a pause, and there
   * was no read. `unanswered`: no connection, or a read without an answer.
   */
  readonly reason: "stale" | "paused" | "throttled" | "unanswered";
  /** Method and path of the call that failed. */
  readonly request: string;
  /** Which attempt starts over: attempts can be nested. */
  readonly turn: Turn;

  constructor(reason: StartOver["reason"], request: string, turn: Turn, options?: ErrorOptions) {
    super("the attempt starts over", options);
    this.name = "StartOver";
    this.reason = reason;
    this.request = request;
    this.turn = turn;
  }
}

/**
 * When many changes order certificates at once, only some get one each minute, so a change may be refused for a long
 * time.
 */
const THROTTLED_ATTEMPTS = 2 * THROTTLES;

/** A create that is ready to be sent is paused whenever another one is refused, and many are ready at once. */
const PAUSED_ATTEMPTS = 10 * THROTTLED_ATTEMPTS;

/** How often attempts may start over, by reason. */
const LIMITS = {
  stale: STALE_ATTEMPTS,
  paused: PAUSED_ATTEMPTS,
  throttled: THROTTLED_ATTEMPTS,
  unanswered: ATTEMPTS,
} as const;

/** Makes `FreshClient.freshly`. */
export function openFreshWrites(parts: FreshWriteParts): FreshClient["freshly"] {
  return async (needs, act, signal) => {
    const over = { stale: 0, paused: 0, throttled: 0, unanswered: 0 };
    let refusal: Error | undefined;
    for (;;) {
      const turn = openTurn(parts, await parts.reserve(needs, refusal, signal));
      let startOver: StartOver;
      try {
        return await act(turn.client, turn.startOver);
      } catch (thrown) {
        if (!(thrown instanceof StartOver) || thrown.turn !== turn) throw thrown;
        startOver = thrown;
      } finally {
        turn.end();
      }
      const { reason, request, cause } = startOver;
      over[reason] += 1;
      if (reason === "throttled" && cause instanceof Error) refusal = cause;
      const because = cause instanceof Error ? cause : new NoFreshRead(STALE_ATTEMPTS, FRESH_MILLISECONDS);
      if (over[reason] === LIMITS[reason]) throw because;
      await parts.again(request, because, reason === "unanswered" ? over.unanswered : 0, signal);
    }
  };
}

/** One attempt: a client for its calls, and a way to end it that gives back unused places. */
interface Turn {
  readonly client: Client;
  /** Returns what to throw to start the attempt over. */
  readonly startOver: () => Error;
  readonly end: () => void;
}

/**
 * Opens an attempt on reserved places. A read that needs more places gives the rest back and waits like any other call,
 * so that no attempt holds places while it waits for more; its write then takes a place of its own.
 */
function openTurn(
  { clock, serviceTime, check, sendOnce, exchange, pages, reserve }: FreshWriteParts,
  taken: Places,
): Turn {
  let places: Places | undefined = taken;
  let readAt: number | undefined;

  const end = (): void => {
    places?.giveBack();
    places = undefined;
  };

  const read: Read = async (request, signal) => {
    check(request, signal);
    // The service asked for a pause after the places were reserved.
    if (places?.isPaused()) throw startOver("paused", nameOf(request));
    const permit = places?.take(request);
    try {
      const answer = await (permit ? readOnce(request, permit, signal) : readOutside(request, signal));
      readAt = clock.now();
      return answer;
    } catch (thrown) {
      // "No such object" is an answer too.
      if (thrown instanceof ApiError) readAt = clock.now();
      throw thrown;
    }
  };

  const readOnce = async (
    request: ApiRequest,
    permit: Permit,
    signal: AbortSignal | undefined,
  ): Promise<PageAnswer> => {
    const sent = await sendOnce(request, permit, signal);
    if (sent.verdict === "done") return sent.answer;
    signal?.throwIfAborted();
    throw failure(request, sent);
  };

  /** Gives the unused places back at once: the caller that catches this may reserve others. */
  const startOver = (reason: StartOver["reason"], request: string, cause?: Error): StartOver => {
    end();
    return new StartOver(reason, request, turn, cause && { cause });
  };

  const failure = (request: ApiRequest, { verdict, error }: Exclude<Sent, { verdict: "done" }>): Error => {
    if (verdict === "again") return startOver("unanswered", nameOf(request), error);
    return verdict === "throttled" ? startOver("throttled", nameOf(request), error) : error;
  };

  /** Reads with a wait. What was read before is now too old, and the write may be based on it. */
  const readOutside: Read = async (request, signal) => {
    const isFirst = readAt === undefined;
    const began = clock.now();
    end();
    const answer = await exchange(request, signal);
    if (!isFirst && clock.now() - began > FRESH_MILLISECONDS) throw startOver("stale", nameOf(request));
    return answer;
  };

  /** Whether a write based on a read at that time may be sent now. A clock that was set back makes a read too old. */
  const mayLeave = (held: Places, at: number | undefined): boolean => {
    const age = at === undefined ? Infinity : clock.now() - at;
    return age >= 0 && age <= FRESH_MILLISECONDS && !held.isPaused();
  };

  /** A place for a write that may be sent now; undefined if none is held. */
  const placeIn = (held: Places | undefined, request: ApiRequest): Permit | undefined => {
    if (held === undefined) return undefined;
    // A call that needs no read is always fresh: its caller has just checked what it is based on.
    if (request.needsNoRead === true) readAt = clock.now();
    if (!mayLeave(held, readAt)) throw startOver(request.needsNoRead === true ? "paused" : "stale", nameOf(request));
    return held.take(request);
  };

  const oneMore = async (request: ApiRequest, signal: AbortSignal | undefined): Promise<Places> => {
    end();
    const orders = request.issues === true ? 1 : 0;
    const isNew = request.method === "POST";
    places = await reserve(
      { calls: 1, issuances: isNew ? orders : 0, reissues: isNew ? 0 : orders },
      undefined,
      signal,
    );
    signal?.throwIfAborted();
    return places;
  };

  const write = async (request: ApiRequest, signal: AbortSignal | undefined): Promise<PageAnswer> => {
    check(request, signal);
    signal?.throwIfAborted();
    const permit = placeIn(places, request) ?? placeIn(await oneMore(request, signal), request);
    const [held, at] = [places, readAt];
    if (permit === undefined || held === undefined)
      throw new Error("a place that was taken for a call serves that call");
    readAt = undefined;
    let isTooLate = false;
    // It may have to connect first, so we ask again once it has a connection.
    const sent = await sendOnce(request, permit, signal, () => {
      isTooLate = !mayLeave(held, at);
      return !isTooLate;
    });
    if (isTooLate) throw startOver("stale", nameOf(request));
    if (sent.verdict === "done") return sent.answer;
    throw failure(request, sent);
  };

  const turn: Turn = {
    client: {
      send: async (request, signal) =>
        (request.method === "GET" ? await read(request, signal) : await write(request, signal)).result,
      pages: (request, signal) => pages(read, request, signal),
      serviceTime,
    },
    startOver: () => startOver("stale", "a write"),
    end,
  };
  return turn;
}
