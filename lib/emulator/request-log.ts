import type { Json } from "./json.ts";

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

/** A request as the page shows it. */
export interface SeenRequest extends LoggedRequest {
  /** 1 for the first request since the start, and never used again. */
  readonly number: number;
  /** The `User-Agent` that it named; "" if none. */
  readonly agent: string;
  /** What it sent, without private keys; null if nothing. */
  readonly body: string | null;
  /** What it wrote to, before and after. Null for a read, for what was not there, and while nobody follows the log. */
  readonly before: Json;
  readonly after: Json;
}

/** Called with each request once it is answered, and with null when the log is emptied. */
export type Follower = (request: SeenRequest | null) => void;

/** The requests that the service answered. */
export interface RequestLog {
  add(request: LoggedRequest, seen: Pick<SeenRequest, "agent" | "body" | "before" | "after">): void;
  /** The latest 10,000 requests, oldest first. */
  entries(): readonly LoggedRequest[];
  /** The latest 50 requests as the page shows them, oldest first. */
  recent(): readonly SeenRequest[];
  /** Whether anybody follows. */
  isFollowed(): boolean;
  /** Calls the function from now on; returns what ends that. */
  follow(follower: Follower): () => void;
  /** How many requests there were of each `METHOD pattern`. */
  counts(): Readonly<Record<string, number>>;
  /** How many requests there were in all. */
  total(): number;
  /** Forgets the requests, and counts from 0. */
  reset(): void;
}

/** How many requests `entries` shows. The counters count all of them. */
const KEPT = 10_000;

/** How many requests the page shows. */
const RECENT = 50;

/** Creates an empty log. */
export function createRequestLog(): RequestLog {
  let kept: LoggedRequest[] = [];
  let recent: SeenRequest[] = [];
  let counts = new Map<string, number>();
  let total = 0;
  let number = 0;
  const followers = new Set<Follower>();
  const tell: Follower = (request) => {
    for (const follower of followers) follower(request);
  };
  return {
    add: (request, { body, ...seen }) => {
      total += 1;
      number += 1;
      const key = `${request.method} ${request.pattern}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      kept.push(request);
      if (kept.length > 2 * KEPT) kept = kept.slice(-KEPT);
      const shown = { ...request, ...seen, number, body: withoutKeys(body) };
      recent = [...recent.slice(1 - RECENT), shown];
      tell(shown);
    },
    entries: () => kept.slice(-KEPT),
    recent: () => recent,
    isFollowed: () => followers.size > 0,
    follow: (follower) => {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    counts: () => Object.fromEntries(counts),
    total: () => total,
    reset: () => {
      kept = [];
      recent = [];
      counts = new Map();
      total = 0;
      tell(null);
    },
  };
}

/** The body without the private keys of uploaded certificates: the page shows what was sent. */
function withoutKeys(body: string | null): string | null {
  return body?.replaceAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*/g, "[private key]") ?? null;
}
