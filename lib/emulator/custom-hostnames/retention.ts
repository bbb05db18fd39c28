/** How long a moved hostname is kept (description sections 3.1 and 8). */
export const MOVED_RETENTION_MILLISECONDS: number = 7 * 24 * 60 * 60 * 1000;
