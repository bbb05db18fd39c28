import { StartOver } from "../service/fresh-write.ts";

/** Sends a request as soon as there is room for it. Throws `NotStarted` where the run was stopped before that. */
export type Send = <T>(request: () => Promise<T>) => Promise<T>;

/**
 * Creates that need no read, prepared ahead of their requests. To prepare one is to write down its intent, and intents that
 * are written down together share one flush of the disk, so that no request has to wait for the disk.
 */
export interface Ahead {
  /** How many creates may be under way or prepared at once. It sinks to the parallelism once the service has asked for a pause. */
  workers(): number;
  /** For one create, with all its attempts. */
  begin(): Preparation;
}

/** One create that may be prepared ahead. */
export interface Preparation {
  /** Waits until more creates are wanted, then writes down the intent. Throws `NotStarted`, and what `intend` throws. */
  prepare(intend: () => Promise<void>): Promise<Send>;
  /** The create has ended, and so makes room for another. */
  end(): void;
}

/** A create that was prepared, or waited to be, when its run was stopped. Nothing was sent. */
export class NotStarted extends Error {
  constructor(because: string) {
    super(because);
    this.name = "NotStarted";
  }
}

/**
 * So many times as many creates as requests are under way or prepared, so that a batch of intents is most of them. Each may
 * be left open by a process that is killed, and is then looked for by the next run.
 */
const AHEAD = 6;

/** However many requests there are, so many creates at most wait for them. */
const MOST_WAITING = 40;

/** Prepares ahead for `parallelism` requests at once. `whyStopped` says why nothing more may be sent, or undefined. */
export function openAhead(parallelism: number, whyStopped: () => string | undefined): Ahead {
  const room = openRoom(parallelism);
  let prepared = 0;
  let isCalm = true;
  let waiting: (() => void)[] = [];

  const check = (): void => {
    const because = whyStopped();
    if (because !== undefined) throw new NotStarted(because);
  };

  /** Lets nobody through until only so many are left as can be sent at once, and then all who wait: they share a flush. */
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
      check();
      try {
        return await request();
      } catch (thrown) {
        // It will wait for the limits, and those who are prepared hold places in them: it must not keep them waiting as well.
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
        check();
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

/** Prepares a create and sends it, without waiting for others and whatever stops the run. */
export const AT_ONCE: Preparation = {
  prepare: async (intend) => {
    await intend();
    return SEND_NOW;
  },
  end: () => undefined,
};

/** Room for so many at once, in the order of asking. */
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
