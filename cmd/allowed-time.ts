import type { ApplyOptions } from "../lib/apply/run.ts";
import { type Diagnostic, error, Refusal } from "../lib/core/diagnostic.ts";
import { EXIT } from "../lib/core/exit-code.ts";
import { closingOf, momentIn, openingOf, parseWeeklyWindow, type WeeklyWindow } from "../lib/core/weekly-window.ts";
import { moment } from "../lib/core/moment.ts";
import { duration } from "../lib/report/lines/words.ts";

/** Flags that say when an apply may run. */
export interface TimeFlags {
  /** Times of the week (`parseWeeklyWindow`); an empty text allows all. */
  readonly window?: string | undefined;
  /** Why nothing may be applied now. */
  readonly freeze?: string | undefined;
  /** In milliseconds, counted from the start of the command. */
  readonly maxDuration?: number;
}

/** Throws `Refusal` (exit code 4) where nothing may be applied now. */
export function guardTime(flags: TimeFlags, now: number): void {
  const refused = refusedNow(flags, now);
  if (refused) throw new Refusal([refused], EXIT.refused);
}

/** Why nothing may be applied now; undefined where it may. */
export function refusedNow({ freeze = "", window: times = "" }: TimeFlags, now: number): Diagnostic | undefined {
  if (freeze.trim() !== "") {
    const remedy = "wait until the freeze is over, then run this again without --freeze";
    return error({ code: "frozen", message: `nothing may be applied now: ${freeze}`, remedy });
  }
  const window = parseWeeklyWindow(times);
  if (window === undefined || closingOf(window, now) !== undefined) return undefined;
  const opening = openingOf(window, now);
  const message = `it is ${utc(now)}, and nothing may be applied outside of --window`;
  const remedy =
    opening === Infinity ? "check --window: it never opens" : `run this again after ${inBoth(opening, window)}`;
  return error({ code: "outside-window", message, remedy });
}

/** A moment in UTC, as everywhere, and by the clocks of the window. */
function inBoth(milliseconds: number, { timeZone }: WeeklyWindow): string {
  return timeZone === "UTC" ? utc(milliseconds) : `${utc(milliseconds)} (${momentIn(timeZone, milliseconds)})`;
}

function utc(milliseconds: number): string {
  return moment(new Date(milliseconds).toISOString());
}

/** When a run has to stop starting changes, in milliseconds since the epoch, and why; nothing if it need not. */
export function deadlineOf(
  { window: times = "", maxDuration = Infinity }: TimeFlags,
  startedAt: number,
): Pick<ApplyOptions, "deadlineMilliseconds" | "deadlineReason"> {
  const window = parseWeeklyWindow(times);
  const closing = (window && closingOf(window, startedAt)) ?? Infinity;
  const deadlineMilliseconds = Math.min(closing, startedAt + maxDuration);
  if (deadlineMilliseconds === Infinity) return {};
  const isClosing = closing === deadlineMilliseconds;
  const deadlineReason = isClosing
    ? `the window ended at ${utc(closing).slice(-"00:00 UTC".length)}`
    : `the --max-duration of ${duration(maxDuration / 1000)} is over`;
  return { deadlineMilliseconds, deadlineReason };
}
