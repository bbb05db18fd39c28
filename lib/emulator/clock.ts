/** The service's clock. It never runs backwards. */
export interface ServiceClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Moves the clock forward by milliseconds. Throws a RangeError for a negative number. */
  advance(milliseconds: number): void;
  /** Sets how many seconds pass here for each real second; 0 stops the clock. */
  setRate(rate: number): void;
  /** Emulated seconds per real second. */
  rate(): number;
}

/** How to create a clock. */
interface ClockOptions {
  /** The real time, in milliseconds since the epoch. */
  readonly systemNow: () => number;
  /** The time at which the clock starts, in milliseconds since the epoch. */
  readonly start: number;
  /** Emulated seconds per real second; 0 for a clock that moves only when `advance` is called. */
  readonly rate: number;
}

/** Creates a clock that runs at a rate and can be moved forward. Throws a RangeError for a negative rate. */
export function createClock(options: ClockOptions): ServiceClock {
  let base = options.start;
  let anchor = options.systemNow();
  let rate = checkedRate(options.rate);
  // Rounded down, so that a reading is whole milliseconds at any rate.
  const now = (): number => base + Math.floor(Math.max(0, options.systemNow() - anchor) * rate);
  const rebase = (reading: number): void => {
    base = reading;
    anchor = options.systemNow();
  };
  return {
    now,
    rate: () => rate,
    advance: (milliseconds) => {
      if (!(milliseconds >= 0) || !Number.isFinite(milliseconds))
        throw new RangeError("a clock can only advance by 0 ms or more");
      rebase(now() + Math.floor(milliseconds));
    },
    setRate: (next) => {
      rebase(now());
      rate = checkedRate(next);
    },
  };
}

/** A time as the service writes it: RFC 3339, UTC, six fractional digits (docs/service.md#ids-and-times). */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}

function checkedRate(rate: number): number {
  if (!(rate >= 0) || !Number.isFinite(rate)) throw new RangeError("the rate of a clock must be 0 or more");
  return rate;
}
