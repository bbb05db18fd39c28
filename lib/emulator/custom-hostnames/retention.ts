/** How long a moved hostname is kept (docs/service.md#hostname-lifecycle). */
export const MOVED_RETENTION_MILLISECONDS: number = 7 * 24 * 60 * 60 * 1000;
