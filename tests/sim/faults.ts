/** What may go wrong with one exchange. `before`: the request has no effect; `after`: it has, and the answer suffers. */
export const FIRST_KINDS = [
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

/** Kinds that came later: seeds draw their rates with dice of their own, so that everything else stays as it was. */
export const LATER_KINDS = [
  "no-content",
  "null-result",
  "unread-refusal-before",
  "unread-refusal-after",
  "unrouted",
  "late-request",
  "wrong-object-before",
  "wrong-object-after",
  "wrong-object-read",
  "malformed-id",
  "old-values-before",
  "old-values-after",
] as const;

/** One of them. */
export type FaultKind = (typeof FIRST_KINDS)[number] | "throttle-write" | (typeof LATER_KINDS)[number];

/** Everything that may go wrong. */
export const FAULT_KINDS: readonly FaultKind[] = [...FIRST_KINDS, "throttle-write", ...LATER_KINDS];

/** How often each kind strikes an exchange, from 0 to 1; absent is never. */
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/** Kinds that only make sense for a list. */
export const LIST_FAULTS: ReadonlySet<FaultKind> = new Set(["stale-list", "reordered-list", "shifted-list"]);

/** Kinds that only make sense for a write. */
export const WRITE_FAULTS: ReadonlySet<FaultKind> = new Set([
  "throttle-write",
  "no-content",
  "wrong-object-before",
  "wrong-object-after",
  "malformed-id",
  "old-values-before",
  "old-values-after",
]);
