import type { SteadyClock } from "../core/clock.ts";

/** Is told that the server of the states does not answer, and for how long it is still asked. */
export type Away = (leftMilliseconds: number) => void;

/** Shorter than this, nobody asks why nothing happens. */
const SILENT_MILLISECONDS = 1000;

/** What is over so soon is not worth a word: an error comes then, or the work goes on. */
const SOON_MILLISECONDS = 5000;

/** To be called after each attempt of one call that got no answer; tells of it once that has lasted for a while. */
export function outage(steady: Pick<SteadyClock, "now">, away: Away = () => undefined): Away {
  let since: number | undefined;
  return (leftMilliseconds) => {
    since ??= steady.now();
    if (steady.now() - since >= SILENT_MILLISECONDS && leftMilliseconds >= SOON_MILLISECONDS) away(leftMilliseconds);
  };
}
