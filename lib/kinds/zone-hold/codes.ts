/** Codes that only the zone hold raises. */
export const CODES = {
  "no-hold-to-suspend": {
    cause: "hold_after suspends a hold, but the zone has none yet",
    remedy: "apply without hold_after first",
  },
  "no-hold-to-change": {
    cause: "include_subdomains and hold_after have no effect with hold: false",
    remedy: "set hold: true, or remove them",
  },
  "suspension-over": {
    cause: "hold_after is in the past: the hold is back, and the line has no effect",
    remedy: "remove hold_after, or set a later time",
  },
} as const;
