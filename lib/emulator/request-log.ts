/** One request that the service answered. */
export interface LoggedRequest {
  /** Milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  readonly method: string;
  /** Below `/client/v4`. */
  readonly path: string;
  /** The query, without its question mark. */
  readonly query: string;
  /** The route, such as `/zones/:zone/custom_hostnames`; the path itself when none matched. */
  readonly pattern: string;
  readonly status: number;
  /** The kind of its fault, if it had one. */
  readonly fault: string | null;
}

/** The requests that the service answered. */
export interface RequestLog {
  add(request: LoggedRequest): void;
  /** The latest requests, oldest first. */
  entries(): readonly LoggedRequest[];
  /** How many requests there were by `METHOD pattern`. */
  counts(): Readonly<Record<string, number>>;
  /** How many requests there were. */
  total(): number;
  /** Forgets all. */
  reset(): void;
}

/** How many requests are kept whole; the counters count all. */
const KEPT = 10_000;

/** A log with nothing in it. */
export function createRequestLog(): RequestLog {
  let kept: LoggedRequest[] = [];
  let counts = new Map<string, number>();
  let total = 0;
  return {
    add: (request) => {
      total += 1;
      const key = `${request.method} ${request.pattern}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      kept.push(request);
      if (kept.length > 2 * KEPT) kept = kept.slice(-KEPT);
    },
    entries: () => kept.slice(-KEPT),
    counts: () => Object.fromEntries(counts),
    total: () => total,
    reset: () => {
      kept = [];
      counts = new Map();
      total = 0;
    },
  };
}
