import cliProgress from "cli-progress";
import stringWidth from "string-width";
import { escape } from "../escape/terminal.ts";
import { thousands } from "../lines/words.ts";
import type { ProgressTally } from "./tally-progress.ts";

/** Two lines that redraw themselves: a bar for the zone, and below it what is waited for and the time left. */
export interface Bars {
  /** Takes what is to be shown; it is drawn with the next redraw. */
  draw(tally: ProgressTally, now: number): void;
  /** Redraws now. */
  refresh(): void;
  /** Removes the lines, and leaves the terminal as it was found. */
  stop(): void;
}

/** A bar longer than this says no more. */
const LONGEST_BAR = 28;
const SHORTEST_BAR = 5;

/** A zone's name is a domain: one that is longer than this is cut. */
const LONGEST_NAME = 30;

/** A terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80;

const MARGIN = "  ";

/** Opens the lines on a terminal. */
export function drawBars(stream: NodeJS.WritableStream & { readonly columns?: number }): Bars {
  const bars = new cliProgress.MultiBar({
    format: "{text}",
    stream,
    hideCursor: true,
    clearOnComplete: true,
    // The signals are the caller's: a first Ctrl-C lets calls in flight come to their end.
    gracefulExit: false,
  });
  const [zone, remark] = [bars.create(1, 0, { text: "" }), bars.create(1, 0, { text: "" })];
  return {
    draw: (tally, now) => {
      const columns = (stream.columns ?? 0) > 0 ? (stream.columns ?? USUAL_COLUMNS) : USUAL_COLUMNS;
      const name = fit(escape(tally.zone().name), LONGEST_NAME);
      zone.update({ text: zoneLine(name, tally, columns) });
      const texts = [tally.waiting(now), tally.left(now)].filter((text) => text !== "");
      const indent = MARGIN + " ".repeat(stringWidth(name)) + MARGIN;
      remark.update({ text: fit(indent + escape(texts.join(", ")), columns - 1) });
    },
    refresh: () => bars.update(),
    stop: () => bars.stop(),
  };
}

function zoneLine(name: string, tally: ProgressTally, columns: number): string {
  const { ended, total } = tally.zone();
  const all = tally.total === total ? "" : ` (${thousands(tally.ended())}/${thousands(tally.total)} in all)`;
  const counts = `${thousands(ended)}/${thousands(total)}${all}${tally.notDone()}`;
  const room = columns - 1 - stringWidth(`${MARGIN}${name}${MARGIN}[]${MARGIN}${counts}`);
  return fit(`${MARGIN}${name}${MARGIN}[${bar(ended, total, room)}]${MARGIN}${counts}`, columns - 1);
}

function bar(ended: number, total: number, room: number): string {
  const length = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, room));
  const done = total === 0 ? length : Math.floor((ended / total) * length);
  if (done >= length) return "=".repeat(length);
  return `${"=".repeat(done)}>${"-".repeat(length - done - 1)}`;
}

/** The text, cut to the given number of columns. */
function fit(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let cut = text;
  while (cut !== "" && stringWidth(cut) >= columns) cut = cut.slice(0, -1);
  return `${cut}…`;
}
