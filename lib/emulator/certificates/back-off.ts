/** How many validation tries there are before the service gives up (docs/service.md#back-off). */
export const VALIDATION_TRIES = 75;

/** The longest wait between two tries: four hours. */
const LONGEST_WAIT_SECONDS = 14_400;

/** The wait before try n, counted from 0, in milliseconds: a growth of 5 % up to try 9, then of 15 % (docs/service.md#back-off). */
export function waitBeforeTry(n: number): number {
  const growth = n < 10 ? 1.05 : 1.15;
  return Math.min(Math.floor(60 * growth ** n), LONGEST_WAIT_SECONDS) * 1000;
}
