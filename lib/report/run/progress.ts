import cliProgress from "cli-progress";
import type { ApplyEvent } from "../../apply/outcome.ts";
import type { Clock } from "../../core/clock.ts";
import { neverCommand } from "../escape/github-log.ts";
import { escape } from "../escape/terminal.ts";
import { endingOf } from "./ending.ts";
import { duration, thousands } from "../lines/words.ts";

/** Where progress goes, and what it is measured by. */
export interface ProgressOptions {
  readonly stream: NodeJS.WritableStream;
  /** Whether a person watches: a bar that redraws itself, else one line for each change that ended. */
  readonly isTerminal: boolean;
  /** How many changes there are. */
  readonly total: number;
  readonly clock: Clock;
}

/** Shows how far an apply is. */
export interface Progress {
  report(event: ApplyEvent): void;
  /** Leaves the stream as it was found; to be called before anything else is written to it. */
  stop(): void;
}

/** Progress for the terminal or for a log. */
export function openProgress(options: ProgressOptions): Progress {
  return options.isTerminal ? progressBar(options) : progressLines(options);
}

/** A log is not watched from one line to the next: what ends within so long is written together. */
const TOGETHER_MILLISECONDS = 50;

/** One line for each end, and one when the wait for a limit begins: a log is not redrawn. */
function progressLines({ stream, total, clock }: ProgressOptions): Progress {
  let ended = 0;
  let waitedFor = "";
  let waiting: string[] = [];
  const flush = (): void => {
    if (waiting.length > 0) stream.write(waiting.join(""));
    waiting = [];
  };
  const write = (text: string): void => {
    if (waiting.length === 0) void clock.sleep(TOGETHER_MILLISECONDS).then(flush);
    waiting.push(`${neverCommand(escape(text))}\n`);
  };
  return {
    report: (event) => {
      if (event.type === "end") {
        ended += 1;
        waitedFor = "";
        write(`${event.ended.address}: ${endingOf(event.ended)} (${thousands(ended)}/${thousands(total)})`);
      }
      if (event.type === "waiting" && event.reason !== waitedFor) {
        waitedFor = event.reason;
        write(`waiting ${duration(event.seconds)}: ${event.reason} (${thousands(ended)}/${thousands(total)})`);
        flush();
      }
    },
    stop: flush,
  };
}

/** Room for the bar in 80 columns, beside the count, the time left and the remark. */
const BAR_COLUMNS = 12;

/** A bound on what one redraw writes; the terminal itself cuts the line at its edge, because wrapping is off meanwhile. */
const LONGEST_REMARK = 100;

function progressBar({ stream, total, clock }: ProgressOptions): Progress {
  const bar = new cliProgress.SingleBar({
    format: "[{bar}] {value}/{total}{left}{remark}",
    barsize: BAR_COLUMNS,
    barCompleteChar: "=",
    barIncompleteChar: "-",
    stream,
    hideCursor: true,
    clearOnComplete: true,
    // The signals are the caller's: a first Ctrl-C lets calls in flight come to their end.
    gracefulExit: false,
    emptyOnZero: true,
  });
  const startedAt = clock.now();
  let ended = 0;
  let failed = 0;
  bar.start(total, 0, { left: "", remark: "" });
  return {
    report: (event) => {
      if (event.type === "end") {
        ended += 1;
        failed += event.ended.outcome.status === "failed" ? 1 : 0;
      }
      const left = timeLeft(ended, total, clock.now() - startedAt);
      bar.update(ended, { left, remark: remark(event, failed) });
    },
    stop: () => {
      bar.stop();
    },
  };
}

/** What the run so far makes likely; nothing before the first end. */
function timeLeft(ended: number, total: number, elapsedMilliseconds: number): string {
  if (ended === 0 || ended >= total) return "";
  const secondsEach = elapsedMilliseconds / 1000 / ended;
  return `, about ${duration(secondsEach * (total - ended))} left`;
}

function remark(event: ApplyEvent, failed: number): string {
  const failures = failed === 0 ? "" : `, ${thousands(failed)} failed`;
  if (event.type !== "waiting") return failures;
  const text = `${failures}, waiting ${duration(event.seconds)}: ${escape(event.reason)}`;
  return text.length <= LONGEST_REMARK ? text : `${text.slice(0, LONGEST_REMARK - 1)}…`;
}
