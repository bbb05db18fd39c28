import type { Clock } from "../core/clock.ts";
import { Refusal } from "../core/diagnostic.ts";
import { turns } from "../core/turns.ts";
import {
  BLOCK_LIFE_MILLISECONDS,
  type Draw,
  type Drawer,
  type Granted,
  type SharedBudget,
  type SharedLimit,
} from "../core/shared-budget.ts";
import { UnreachableError } from "./errors.ts";
import type { SlidingWindow } from "./window.ts";

/** What one process has of the limits that it shares with other runners. */
export interface Share {
  /** Opens the purse of one limit; `window` says how large the whole limit is. */
  purse(limit: SharedLimit, window: SlidingWindow): Purse;
  /** Rises when places expired: those that were taken before and not used for a call may not be used any more. */
  lapses(): number;
  /** Gives back what is not used. It waits only a moment, and never throws: what is not given back expires. */
  close(): Promise<void>;
}

/** The places of one limit that are at hand. */
export interface Purse {
  /** Milliseconds to wait for this many places: 0 if they are at hand, undefined if nobody knows before `draw`. */
  waitFrom(count: number): number | undefined;
  /**
   * Asks for places, for this many at least. Throws `UnreachableError` if the store cannot be asked, and the signal's
   * reason.
   */
  draw(count: number, signal?: AbortSignal): Promise<void>;
  /** Takes places that are at hand. Returns how often places had lapsed. */
  begin(count: number): number;
  /** A place was used. */
  settle(): void;
  /** Places were not used; those that were taken before the last lapse stay out of use. */
  giveBack(count: number, lapsesBefore: number): void;
}

/** What a share is made of. */
export interface ShareOptions {
  readonly budget: SharedBudget;
  readonly drawer: Drawer;
  readonly clock: Clock;
}

/** A fifth of a limit at once, at most: five requests use it up, and others find something left. */
const BLOCKS_PER_LIMIT = 5;

/** The first block. Each one after it is twice as large: a run that is killed early takes few places with it. */
const FIRST_PLACES = 10;

/** Unused places go back with the next request after this time, because others may need them. */
const KEEP_MILLISECONDS = 20_000;

/** Responses say when the window of the service began only roughly. */
const RESTART_TOLERANCE_MILLISECONDS = 5000;

/** The store has waited for its server already: a run that ends must not wait again for each of its calls. */
const GIVEN_UP_MILLISECONDS = 60_000;

/** The end of a run waits this long for its places to be given back. */
const GIVE_BACK_MILLISECONDS = 2000;

/** A purse as its share sees it. */
interface OwnPurse extends Purse {
  describe(now: number, needed: number): Draw;
  receive(granted: Granted, draw: Draw): void;
  /** Nothing that was not used yet may be used any more. */
  lapse(): void;
}

/** Opens the share of a process. One request asks for all limits, so that each says how far the others are. */
export function openShare({ budget, drawer, clock }: ShareOptions): Share {
  const purses: OwnPurse[] = [];
  let drawnAt: number | undefined;
  let lapses = 0;
  let givenUp: { readonly at: number; readonly because: UnreachableError } | undefined;

  /** Places may be used for a time after the request for them; a clock that was set back ends it too. */
  const check = (): number => {
    const age = drawnAt === undefined ? 0 : clock.now() - drawnAt;
    if (age >= 0 && age < BLOCK_LIFE_MILLISECONDS) return lapses;
    drawnAt = undefined;
    lapses += 1;
    for (const purse of purses) purse.lapse();
    return lapses;
  };

  const ask = async (needs: (purse: OwnPurse) => number): Promise<void> => {
    const now = clock.now();
    check();
    const draws = purses.map((purse) => purse.describe(now, needs(purse)));
    const granted = await budget.draw(drawer, draws).catch(giveUp);
    drawnAt = now;
    for (const [index, purse] of purses.entries()) {
      const [draw, answer] = [draws[index], granted[index]];
      if (draw && answer) purse.receive(answer, draw);
    }
    check();
  };

  const giveUp = (thrown: unknown): never => {
    if (!(thrown instanceof Refusal)) throw thrown;
    const message = `no call can be sent without its place in the shared budget: ${thrown.message}`;
    givenUp = { at: clock.now(), because: new UnreachableError(message, { cause: thrown, reason: "budget" }) };
    throw givenUp.because;
  };

  /** Each request says what is held, and the one after it builds on its answer. */
  const inTurn = turns();

  return {
    purse: (limit, window) => {
      const purse = openPurse(limit, window, clock, {
        check,
        lapses: () => lapses,
        draw: (asking, count) =>
          inTurn(async () => {
            if (givenUp && clock.now() - givenUp.at < GIVEN_UP_MILLISECONDS) throw givenUp.because;
            // The request before this one may have brought enough.
            if (asking.waitFrom(count) === undefined) await ask((each) => (each === asking ? count : 0));
          }),
      });
      purses.push(purse);
      return purse;
    },
    lapses: check,
    close: async () => {
      if (drawnAt === undefined || givenUp) return;
      for (const purse of purses) purse.lapse();
      const stop = new AbortController();
      const given = inTurn(() => ask(() => 0)).catch(() => undefined);
      const late = clock.sleep(GIVE_BACK_MILLISECONDS, stop.signal).catch(() => undefined);
      await Promise.race([given, late]);
      stop.abort();
    },
  };
}

/** What a purse needs of its share. */
interface Owner {
  /** Looks whether places have lapsed since. */
  readonly check: () => number;
  readonly lapses: () => number;
  readonly draw: (purse: OwnPurse, count: number) => Promise<void>;
}

function openPurse(limit: SharedLimit, window: SlidingWindow, clock: Clock, owner: Owner): OwnPurse {
  let unused = 0;
  let underWay = 0;
  let reported = 0;
  let used: number[] = [];
  let receivedAt = 0;
  let block = FIRST_PLACES;
  let refusedUntil: { readonly from: number; readonly to: number; readonly restartedAt: number } | undefined;

  const restartedAt = (now: number): number => window.restartedAt(now) ?? Number.NEGATIVE_INFINITY;

  const purse: OwnPurse = {
    waitFrom: (count) => {
      owner.check();
      if (unused >= count) return 0;
      const now = clock.now();
      if (refusedUntil === undefined || now < refusedUntil.from || now >= refusedUntil.to) return undefined;
      if (restartedAt(now) > refusedUntil.restartedAt + RESTART_TOLERANCE_MILLISECONDS) return undefined;
      return Math.min(refusedUntil.to, Math.max(window.restartsAt(), now + 1)) - now;
    },
    draw: async (count, signal) => {
      signal?.throwIfAborted();
      await unlessAborted(owner.draw(purse, count), signal);
    },
    begin: (count) => {
      unused -= count;
      underWay += count;
      return owner.lapses();
    },
    settle: () => {
      underWay -= 1;
      used.push(clock.now());
    },
    giveBack: (count, lapsesBefore) => {
      underWay -= count;
      if (owner.check() === lapsesBefore) unused += count;
    },
    describe: (now, needed) => {
      // Whoever waits holds nothing: two runners that each keep a part of what they need would wait for each other.
      if (needed > 0 || now - receivedAt > KEEP_MILLISECONDS) unused = 0;
      const most = window.limit();
      const restarted = window.restartedAt(now);
      return {
        limit,
        most,
        windowMilliseconds: window.lengthMilliseconds(),
        ...(restarted === undefined ? {} : { restartedMilliseconds: now - restarted }),
        held: underWay + unused,
        reported,
        used: used.map((at) => ({ places: 1, agoMilliseconds: Math.max(0, now - at) })),
        needed,
        wanted: needed === 0 ? 0 : Math.max(needed, Math.min(block, Math.floor(most / BLOCKS_PER_LIMIT))),
      };
    },
    receive: ({ places, waitMilliseconds }, draw) => {
      reported += draw.used.length;
      used = used.slice(draw.used.length);
      unused += places;
      const now = clock.now();
      if (places > 0) {
        receivedAt = now;
        block *= 2;
      }
      if (draw.needed > 0)
        refusedUntil =
          places > 0 ? undefined : { from: now, to: now + waitMilliseconds, restartedAt: restartedAt(now) };
    },
    lapse: () => {
      unused = 0;
    },
  };
  return purse;
}

/** The result, or the signal's reason if that comes first. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  let forward: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    forward = () => reject(signal.reason);
    signal.addEventListener("abort", forward, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", forward);
  }
}
