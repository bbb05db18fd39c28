/** How many requests one user may send in a window: by default 1,200 in 5 minutes (docs/service.md#rate-limits). */
export interface RequestLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The rate limiter's answer to one request. */
export interface Allowance {
  readonly refused: boolean;
  /** How many requests are left in the window. */
  readonly remaining: number;
  /** Whole seconds until the window ends. */
  readonly resetSeconds: number;
}

/** Counts the requests of each user. */
export interface RequestLimiter {
  /** Counts one request of the user at a time (ms since the epoch). */
  count(user: string, limit: RequestLimit, now: number): Allowance;
}

interface Window {
  endsAt: number;
  used: number;
  blocked: boolean;
}

/** Each user has a window, which begins with the first request. A user who exceeds the limit is refused for a whole new window. */
export function createRequestLimiter(): RequestLimiter {
  const windows = new Map<string, Window>();
  return {
    count: (user, limit, now) => {
      const length = limit.windowSeconds * 1000;
      let window = windows.get(user);
      if (window === undefined || now >= window.endsAt) {
        window = { endsAt: now + length, used: 0, blocked: false };
        windows.set(user, window);
      }
      if (!window.blocked && window.used >= limit.requests) {
        window.blocked = true;
        window.endsAt = now + length;
      }
      if (!window.blocked) window.used += 1;
      return {
        refused: window.blocked,
        remaining: window.blocked ? 0 : limit.requests - window.used,
        resetSeconds: Math.ceil((window.endsAt - now) / 1000),
      };
    },
  };
}

/** Limits the certificates that POSTs order: 15 a minute by default, then none for 30 seconds (docs/service.md#issuance-limit). */
export interface IssuanceLimiter {
  /** How many milliseconds to wait until the account may order a certificate; 0 if it may now. Begins a block if the minute is full. */
  wait(account: string, perMinute: number, now: number): number;
  /** Counts one successful POST. */
  count(account: string, now: number): void;
}

const MINUTE_MILLISECONDS = 60_000;

/** How long the service issues no certificates after the limit is exceeded (docs/service.md#issuance-limit). */
const ISSUANCE_BLOCK_MILLISECONDS = 30_000;

/** Counts a sliding minute for each account. A block clears the count, so it is enough to wait 30 seconds (docs/service.md#issuance-limit). */
export function createIssuanceLimiter(): IssuanceLimiter {
  const issued = new Map<string, number[]>();
  const blockedUntil = new Map<string, number>();
  return {
    wait: (account, perMinute, now) => {
      const until = blockedUntil.get(account) ?? 0;
      if (now < until) return until - now;
      const recent = (issued.get(account) ?? []).filter((at) => at > now - MINUTE_MILLISECONDS);
      issued.set(account, recent);
      if (recent.length < perMinute) return 0;
      issued.delete(account);
      blockedUntil.set(account, now + ISSUANCE_BLOCK_MILLISECONDS);
      return ISSUANCE_BLOCK_MILLISECONDS;
    },
    count: (account, now) => {
      const times = issued.get(account);
      if (times === undefined) issued.set(account, [now]);
      else times.push(now);
    },
  };
}

/** The size of a token bucket: how fast it fills, and how much it holds. */
export interface BucketSize {
  readonly perSecond: number;
  readonly size: number;
}

/** Limits by token buckets, one for each key. */
export interface BucketLimiter {
  /**
   * Takes an amount from a bucket at a time (ms since the epoch), and returns 0. If the bucket has less, it takes nothing, and returns
   * how many milliseconds to wait.
   */
  take(key: string, bucket: BucketSize, amount: number, now: number): number;
}

/** Creates a limiter. Every bucket is full at first. */
export function createBucketLimiter(): BucketLimiter {
  const levels = new Map<string, { readonly level: number; readonly at: number }>();
  return {
    take: (key, { perSecond, size }, amount, now) => {
      const last = levels.get(key) ?? { level: size, at: now };
      const level = Math.min(size, last.level + ((now - last.at) / 1000) * perSecond);
      // The tolerance keeps rounding errors from refusing an amount that is there.
      const isThere = level + 1e-9 >= amount;
      levels.set(key, { level: isThere ? level - amount : level, at: now });
      return isThere ? 0 : ((amount - level) / perSecond) * 1000;
    },
  };
}
