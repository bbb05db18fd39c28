import { setImmediate } from "node:timers";

/** A process, for the scheduler: the events of a dead one never happen. */
export interface Owner {
  isDead(): boolean;
  /** Until when it is stopped: its events happen then. Absent if nobody stops it. */
  heldUntil?(): number;
}

/** The only source of time and order: everything that takes time is an event here, and events happen one at a time. */
export interface Scheduler {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `act` after the delay, and returns its result; if the owner is dead by then, the promise never settles. */
  after<T>(owner: Owner, delayMilliseconds: number, act: () => T): Promise<T>;
  /** Starts a timer; returns a function that cancels it. */
  timer(owner: Owner, delayMilliseconds: number, act: () => void): () => void;
  /** Lets events happen until the work has settled. Throws `Stuck` if it waits for nothing. */
  until<T>(work: Promise<T>): Promise<T>;
  /** How many events happened. */
  steps(): number;
}

/** Something waits for an event that will never come, or runs forever. */
export class Stuck extends Error {}

interface Event {
  due: number;
  turn: number;
  readonly owner: Owner;
  readonly act: () => void;
  isOff: boolean;
}

/** More events than this in one seed mean an endless loop. */
const MOST_STEPS = 60_000;

/** A scheduler whose time starts at the given moment. */
export function openScheduler(start: number): Scheduler {
  const heap = eventHeap();
  let now = start;
  let turn = 0;
  let steps = 0;

  const timer: Scheduler["timer"] = (owner, delay, act) => {
    turn += 1;
    const event: Event = { due: now + Math.max(0, delay), turn, owner, act, isOff: false };
    heap.push(event);
    return () => {
      event.isOff = true;
    };
  };

  function fireNext(): void {
    for (;;) {
      const event = heap.pop();
      if (event === undefined) throw new Stuck("somebody waits, and nothing is under way");
      if (event.isOff || event.owner.isDead()) continue;
      if (postpone(event)) continue;
      now = Math.max(now, event.due);
      event.act();
      return;
    }
  }

  function postpone(event: Event): boolean {
    const held = event.owner.heldUntil?.() ?? -Infinity;
    if (held <= Math.max(now, event.due)) return false;
    turn += 1;
    event.due = held;
    event.turn = turn;
    heap.push(event);
    return true;
  }

  return {
    now: () => now,
    steps: () => steps,
    timer,
    after: (owner, delay, act) =>
      new Promise((resolve, reject) => {
        timer(owner, delay, () => {
          try {
            const result = act();
            // A process that died during the act never learns its result.
            if (!owner.isDead()) resolve(result);
          } catch (thrown) {
            if (!owner.isDead()) reject(thrown);
          }
        });
      }),
    until: async (work) => {
      let isOver = false;
      const over = (): void => {
        isOver = true;
      };
      work.then(over, over);
      for (;;) {
        // One turn of the event loop: everything that the last event started has been done then.
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
        if (isOver) return work;
        steps += 1;
        if (steps > MOST_STEPS) throw new Stuck(`more than ${MOST_STEPS} steps`);
        fireNext();
      }
    },
  };
}

interface Heap {
  push(event: Event): void;
  pop(): Event | undefined;
}

/** A binary heap by due time; equal times in the order in which they were added. */
function eventHeap(): Heap {
  const events: Event[] = [];
  const isBefore = (left: Event, right: Event): boolean =>
    left.due === right.due ? left.turn < right.turn : left.due < right.due;

  function push(event: Event): void {
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = events[parent];
      if (above === undefined || !isBefore(event, above)) break;
      events[at] = above;
      at = parent;
    }
    events[at] = event;
  }

  function pop(): Event | undefined {
    const first = events[0];
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    sink(last);
    return first;
  }

  function sink(event: Event): void {
    let at = 0;
    for (;;) {
      const left = events[2 * at + 1];
      const right = events[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const below = isRight ? right : left;
      if (below === undefined || !isBefore(below, event)) break;
      events[at] = below;
      at = 2 * at + (isRight ? 2 : 1);
    }
    events[at] = event;
  }

  return { push, pop };
}
