/** What to do about a damaged snapshot. */
export const RESTORE =
  "nothing was changed; zoneform state doctor says which earlier copies are whole, zoneform state repair --from backup puts the newest back";

/** What to do about a damaged journal; nothing of it is ever left out unasked. */
export const REPAIR =
  "nothing was changed; zoneform state repair --dry-run shows what can be kept, the next plan finds the rest by name";

/** What to do where a journal and a snapshot are not of one state, or not of one moment. */
export const TOGETHER =
  "put back the state and the journal that belong together; zoneform state repair --dry-run shows what can be kept otherwise";

/** What to do where there is a journal and no snapshot. */
export const MISSING =
  "put back the state, or let zoneform state repair --from backup do it; only if the zone is to start anew, remove the journal";

/** What to do where there are earlier copies and no snapshot. */
export const LOST =
  "put back the state, or let zoneform state repair --from backup do it; only if the zone is to start anew, remove the earlier copies";
