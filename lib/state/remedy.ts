/** The remedy for a damaged snapshot. */
export const RESTORE =
  "nothing was changed; zoneform state doctor lists the copies, zoneform state repair restores the newest";

/** The remedy for a damaged journal; no line of it is ever dropped without consent. */
export const REPAIR = "nothing was changed; to see what can be recovered: zoneform state repair --dry-run";

/** The remedy if a journal and a snapshot belong to different states, or to different times. */
export const TOGETHER =
  "restore the state and the journal that belong together; or see what can be recovered: zoneform state repair --dry-run";

/** The remedy for a journal without a snapshot. */
export const MISSING =
  "restore the state, or let zoneform state repair do it; delete the journal only if the zone starts over";

/** The remedy for earlier copies without a snapshot. */
export const LOST =
  "restore the state, or let zoneform state repair do it; delete the copies only if the zone starts over";
