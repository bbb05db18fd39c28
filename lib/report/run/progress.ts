import cliProgress from "cli-progress";
import stringWidth from "string-width";
import type { Clock } from "../../core/clock.ts";
import { neverCommand } from "../escape/github-log.ts";
import { escape } from "../escape/terminal.ts";
import { thousands } from "../lines/words.ts";
import { endingOf } from "./ending.ts";
import { type Expected, type ProgressEvent, type ProgressTally, tallyProgress } from "./tally-progress.ts";

/** Where progress goes, and what it is measured by. */
export interface ProgressOptions extends Omit<Expected, "startedAt"> {
  readonly stream: NodeJS.WritableStream & { readonly columns?: number };
  /** Whether a person watches: a bar that redraws itself, else plain lines. */
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

/** Shows how far an apply is. */
export interface Progress {
  report(event: ProgressEvent): void;
  /** Leaves the stream as it was found; to be called before anything else is written to it. */
  stop(): void;
}

/** Progress for the terminal or for a log. */
export function openProgress(options: ProgressOptions): Progress {
  const tally = tallyProgress({ ...options, startedAt: options.clock.now() });
  return options.isTerminal ? progressBars(options, tally) : progressLines(options, tally);
}

/** A second hand: what is waited for and the time left are counted down also while nothing ends. */
const TICK_MILLISECONDS = 1000;

function progressBars({ stream, clock }: ProgressOptions, tally: ProgressTally): Progress {
  const bars = drawBars(stream);
  const stopped = new AbortController();
  const draw = (): void => bars.draw(tally, clock.now());
  const tick = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      draw();
      bars.refresh();
      await clock.sleep(TICK_MILLISECONDS, stopped.signal).catch(() => undefined);
    }
  };
  void tick();
  return {
    report: (event) => {
      tally.note(event, clock.now());
      draw();
    },
    stop: () => {
      stopped.abort();
      // Redraws are limited in number: an apply that is faster than that shows at least how it ended.
      draw();
      bars.refresh();
      bars.stop();
    },
  };
}

/** A log is not watched from one line to the next: what ends within so long is written together. */
const TOGETHER_MILLISECONDS = 50;

/** Up to how many changes a log has a line for each; of more, only each hundredth part and what was not done. */
const MOST_LINES = 100;

/** One line for each end, or for each part of many; and one when a wait begins: a log is not redrawn. */
function progressLines({ stream, clock }: ProgressOptions, tally: ProgressTally): Progress {
  const step = Math.ceil(tally.total / MOST_LINES);
  let waitedFor = "";
  let notDone = 0;
  let pending: string[] = [];
  const flush = (): void => {
    if (pending.length > 0) stream.write(pending.join(""));
    pending = [];
  };
  const write = (text: string): void => {
    if (pending.length === 0) void clock.sleep(TOGETHER_MILLISECONDS).then(flush);
    pending.push(`${neverCommand(escape(text))}\n`);
  };
  const count = (): string => `${thousands(tally.ended())}/${thousands(tally.total)}`;
  const left = (now: number): string => [count(), tally.left(now)].filter((text) => text !== "").join(", ");

  const writeEnd = (event: ProgressEvent & { type: "end" }, now: number): void => {
    const isDone = event.ended.outcome.status === "done";
    if (!isDone) notDone += 1;
    if (step === 1 || (!isDone && notDone <= MOST_LINES))
      write(`${event.ended.address}: ${endingOf(event.ended)} (${count()})`);
    else if (tally.ended() % step === 0 || tally.ended() === tally.total)
      write(`${tally.zone().name}: ${left(now)}${tally.notDone()}`);
  };

  return {
    report: (event) => {
      const now = clock.now();
      tally.note(event, now);
      if (event.type === "end") {
        waitedFor = "";
        writeEnd(event, now);
      }
      if (event.type === "waiting" && event.reason !== waitedFor) {
        waitedFor = event.reason;
        write(`${tally.waiting(now)} (${left(now)})`);
        flush();
      }
    },
    stop: flush,
  };
}

/** Two lines that redraw themselves: a bar for the zone, and below it what is waited for and the time left. */
interface Bars {
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
function drawBars(stream: NodeJS.WritableStream & { readonly columns?: number }): Bars {
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
