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
} as const;
