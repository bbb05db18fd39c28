/** How many earlier snapshots to keep: enough to find a whole one, few enough for a small disk. */
export const KEPT_BACKUPS = 5;
