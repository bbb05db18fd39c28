/** One request that the service answered. */
export interface LoggedRequest {
  /** Milliseconds since the epoch, by the service's clock. */
  readonly at: number;
  readonly method: string;
  /** Below `/client/v4`. */
  readonly path: string;
  /** The query, without its question mark. */
  readonly query: string;
  /** The route, such as `/zones/:zone/custom_hostnames`, or the path itself if the request reached no route. */
  readonly pattern: string;
  readonly status: number;
  /** The kind of its fault; null if it had none. */
  readonly fault: string | null;
}

/** The requests that the service answered. */
export interface RequestLog {
  add(request: LoggedRequest): void;
  /** The latest 10,000 requests, oldest first. */
  entries(): readonly LoggedRequest[];
  /** How many requests there were of each `METHOD pattern`. */
  counts(): Readonly<Record<string, number>>;
  /** How many requests there were in all. */
  total(): number;
  /** Forgets the requests, and counts from 0. */
  reset(): void;
}

/** How many requests `entries` shows. The counters count all of them. */
const KEPT = 10_000;

/** Creates an empty log. */
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
