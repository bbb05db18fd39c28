import { StartOver } from "../service/fresh-write.ts";

/** Sends a request when there is room for it. Throws `NotStarted` if the run was stopped before that. */
export type Send = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * Creates that need no read, prepared before there is room for their requests. To prepare a create is to record its
 * intent; intents recorded together share one disk flush, so no request waits for the disk.
 */
export interface Ahead {
  /**
   * How many creates may be under way or prepared at once. Falls to the parallelism once the service has asked for a
   * pause.
   */
  workers(): number;
  /** Begins one create, with all its attempts. */
  begin(): Preparation;
}

/** One create that may be prepared ahead. */
export interface Preparation {
  /** Waits until more creates are needed, then records the intent. Throws `NotStarted`, and what `intend` throws. */
  prepare(intend: () => Promise<void>): Promise<Send>;
  /** The create has ended, which makes room for another. */
  end(): void;
}

/** The run was stopped before this change was sent. */
export class NotStarted extends Error {
  constructor(because: string) {
    super(because);
    this.name = "NotStarted";
  }
}

/** Throws `NotStarted` if the run was stopped. */
export function checkGoesOn(whyStopped: () => string | undefined): void {
  const because = whyStopped();
  if (because !== undefined) throw new NotStarted(because);
}

/**
 * Prepares this many times as many creates as there are requests at once, so that most of them share a batch. If the
 * process is killed, each of them stays open, and the next run has to look for it.
 */
const AHEAD = 6;

/** At most this many prepared creates wait, however many requests there are. */
const MOST_WAITING = 40;

/** Prepares ahead for `parallelism` requests at once. `whyStopped` says why nothing more may be sent, or undefined. */
export function openAhead(parallelism: number, whyStopped: () => string | undefined): Ahead {
  const room = openRoom(parallelism);
  let prepared = 0;
  let isCalm = true;
  let waiting: (() => void)[] = [];

  /**
   * Waits until no more creates are left than can be sent at once, then lets all waiting ones through together, so that
   * they share a flush.
   */
  const wanted = async (): Promise<void> => {
    if (prepared > parallelism) await new Promise<void>((resolve) => waiting.push(resolve));
    else prepared += 1;
  };

  const taken = (): void => {
    prepared -= 1;
    if (prepared > parallelism) return;
    const all = waiting;
    waiting = [];
    prepared += all.length;
    for (const go of all) go();
  };

  const begin = (): Preparation => {
    let isIn = false;

    const end = (): void => {
      if (isIn) room.leave();
      isIn = false;
    };

    const send: Send = async (request) => {
      await room.enter();
      isIn = true;
      taken();
      checkGoesOn(whyStopped);
      try {
        return await request();
      } catch (thrown) {
        // This create will wait for the limits, where the prepared ones hold places, so they must not wait for it in
        // turn.
        if (thrown instanceof StartOver) {
          isCalm = false;
          end();
        }
        throw thrown;
      }
    };

    const prepare = async (intend: () => Promise<void>): Promise<Send> => {
      await wanted();
      try {
        checkGoesOn(whyStopped);
        await intend();
        return send;
      } catch (thrown) {
        taken();
        throw thrown;
      }
    };

    return { prepare, end };
  };

  return {
    workers: () => (isCalm ? Math.min(parallelism * AHEAD, parallelism + MOST_WAITING) : parallelism),
    begin,
  };
}

/** Sends a request without waiting for others. */
export const SEND_NOW: Send = (request) => request();

/** Prepares a create and sends it at once, even if the run was stopped. */
export const AT_ONCE: Preparation = {
  prepare: async (intend) => {
    await intend();
    return SEND_NOW;
  },
  end: () => undefined,
};

/** Room for a fixed number at once, first come, first served. */
interface Room {
  enter(): Promise<void>;
  leave(): void;
}

function openRoom(count: number): Room {
  let free = count;
  let waiting: (() => void)[] = [];
  let next = 0;

  return {
    enter: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    leave: () => {
      const first = waiting[next];
      next += 1;
      if (first !== undefined) return first();
      waiting = [];
      next = 0;
      free += 1;
    },
  };
}
