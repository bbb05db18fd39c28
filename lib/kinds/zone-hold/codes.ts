/** What only the hold of a zone is told. */
export const CODES = {
  "no-hold-to-suspend": {
    cause: "hold_after suspends a hold, and the zone has none yet",
    remedy: "apply without hold_after first",
  },
  "no-hold-to-change": {
    cause: "include_subdomains and hold_after need a hold, and hold is false",
    remedy: "set hold: true, or leave them out",
  },
  "suspension-over": {
    cause: "hold_after is a time that is over: the hold is back, and the line does nothing",
    remedy: "leave hold_after out, or give it a later time",
  },
} as const;
