import type { Clock } from "../../core/clock.ts";
import { type Expected, type ProgressEvent, type ProgressTally, tallyProgress } from "./tally-progress.ts";
import { neverCommand } from "../escape/github-log.ts";
import { escape } from "../escape/terminal.ts";
import { thousands } from "../lines/words.ts";
import { drawBars } from "./progress-bars.ts";
import { endingOf } from "./ending.ts";

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
