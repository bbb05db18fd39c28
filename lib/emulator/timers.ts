/** When an object of a zone has to take its next step. */
export interface Timer {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: "hostname" | "certificate" | "fallback" | "waf" | "pack" | "upload" | "hold" | "notice";
  readonly zoneId: string;
  /** The object's id, or the zone's if the zone waits: for its fallback origin, its WAF migration, its hold or its notice. */
  readonly id: string;
}

/** The timers that are set. Timers for the same time come due in the order in which they were set. */
export interface Timers {
  /** Sets a timer. Timers are never cancelled: the caller of `takeDue` checks that the object still waits for that time. */
  set(timer: Timer): void;
  /** Removes and returns the earliest timer that is due, if there is one. */
  takeDue(now: number): Timer | undefined;
  /** Forgets all timers. */
  clear(): void;
}

interface Entry {
  readonly timer: Timer;
  readonly turn: number;
}

/** A binary heap: setting a timer is logarithmic, and a hundred thousand waiting hostnames cost nothing while they wait. */
export function createTimers(): Timers {
  const heap: Entry[] = [];
  let turn = 0;
  return {
    set: (timer) => {
      heap.push({ timer, turn: turn++ });
      rise(heap, heap.length - 1);
    },
    takeDue: (now) => {
      const first = heap[0];
      if (first === undefined || first.timer.at > now) return undefined;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) {
        heap[0] = last;
        sink(heap);
      }
      return first.timer;
    },
    clear: () => {
      heap.length = 0;
    },
  };
}

function rise(heap: Entry[], from: number): void {
  let child = from;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!isBefore(heap[child], heap[parent])) return;
    swap(heap, child, parent);
    child = parent;
  }
}

function sink(heap: Entry[]): void {
  let parent = 0;
  for (;;) {
    const left = parent * 2 + 1;
    const least = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!isBefore(heap[least], heap[parent])) return;
    swap(heap, parent, least);
    parent = least;
  }
}

function isBefore(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined) return false;
  if (b === undefined) return true;
  return a.timer.at === b.timer.at ? a.turn < b.turn : a.timer.at < b.timer.at;
}

function swap(heap: Entry[], i: number, j: number): void {
  const a = heap[i];
  const b = heap[j];
  if (a === undefined || b === undefined) return;
  heap[i] = b;
  heap[j] = a;
}
