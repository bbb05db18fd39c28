/** What to do about a damaged snapshot. */
export const RESTORE =
  "nothing was changed; zoneform state doctor lists the copies, zoneform state repair --from backup restores the newest";

/** What to do about a damaged journal; nothing of it is ever left out unasked. */
export const REPAIR = "nothing was changed; to see what can be recovered: zoneform state repair --dry-run";

/** What to do where a journal and a snapshot are not of one state, or not of one moment. */
export const TOGETHER =
  "restore the state and the journal that belong together; or see what can be recovered: zoneform state repair --dry-run";

/** What to do where there is a journal and no snapshot. */
export const MISSING =
  "restore the state, or let zoneform state repair --from backup do it; delete the journal only if the zone starts over";

/** What to do where there are earlier copies and no snapshot. */
export const LOST =
  "restore the state, or let zoneform state repair --from backup do it; delete the copies only if the zone starts over";
