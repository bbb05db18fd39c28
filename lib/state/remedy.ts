/** The remedy for a damaged snapshot. */
export const RESTORE =
  "nothing was changed; zoneform state doctor says which earlier copies are whole, zoneform state repair --from backup puts the newest back";

/** The remedy for a damaged journal; no record is ever skipped without asking. */
export const REPAIR =
  "nothing was changed; zoneform state repair --dry-run shows what can be kept, the next plan finds the rest by name";

/** The remedy if a journal and a snapshot belong to different states, or to different times. */
export const TOGETHER =
  "put back the state and the journal that belong together; zoneform state repair --dry-run shows what can be kept otherwise";

/** The remedy for a journal without a snapshot. */
export const MISSING =
  "put back the state, or let zoneform state repair --from backup do it; only if the zone is to start anew, remove the journal";

/** The remedy for earlier copies without a snapshot. */
export const LOST =
  "put back the state, or let zoneform state repair --from backup do it; only if the zone is to start anew, remove the earlier copies";
