/** What may go wrong with one exchange. `before`: the request has no effect; `after`: it has, and the answer suffers. */
export const FAULT_KINDS = [
  "throttle",
  "throttle-unsaid",
  "throttle-garbage",
  "throttle-inside-200",
  "error-before",
  "error-after",
  "unsent",
  "lost-request",
  "lost-reply",
  "timeout-before",
  "timeout-after",
  "truncated",
  "html-before",
  "html-after",
  "empty-before",
  "empty-after",
  "refused-inside-200",
  "success-with-errors",
  "twice",
  "slow",
  "stale-list",
  "reordered-list",
  "shifted-list",
  "token-expires",
] as const;

/** One of them. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How often each kind strikes an exchange, from 0 to 1; absent is never. */
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** Kinds that only mean something for a list. */
export const LIST_FAULTS: ReadonlySet<FaultKind> = new Set(["stale-list", "reordered-list", "shifted-list"]);
