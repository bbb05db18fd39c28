import cliProgress from "cli-progress";
import stringWidth from "string-width";
import type { ApplyEvent, Ended } from "../../apply/outcome.ts";
import { parseAddress } from "../../core/address.ts";
import type { Address } from "../../core/brand.ts";
import type { Clock } from "../../core/clock.ts";
import { neverCommand, escape } from "../escape/terminal.ts";
import { thousands } from "../../core/words.ts";
import { clockTime, duration } from "../lines/words.ts";
import { endingOf, OUTCOME_WORDS } from "./ending.ts";

/** Where to show progress, and the clock. */
export interface ProgressOptions extends Omit<Expected, "startedAt"> {
  readonly stream: NodeJS.WritableStream & { readonly columns?: number };
  /** Whether to draw a bar on a terminal; else plain lines. */
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

/** Shows the progress of an apply. */
export interface Progress {
  report(event: ProgressEvent): void;
  /** Leaves the stream as it was. Call it before anything else is written to it. */
  stop(): void;
}

/** Progress for a terminal or for a log. */
export function openProgress(options: ProgressOptions): Progress {
  const tally = tallyProgress({ ...options, startedAt: options.clock.now() });
  return options.isTerminal ? progressBars(options, tally) : progressLines(options, tally);
}

/** One redraw a second: waits and the time left count down even while nothing ends. */
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
      // Draws at a limited rate: a faster apply shows at least how it ended.
      draw();
      bars.refresh();
      bars.stop();
    },
  };
}

/** How long to collect endings for one write: nobody watches a log line by line. */
const TOGETHER_MILLISECONDS = 50;

/**
 * For how many changes a log has a line each; with more, one for each hundredth part, and for each change that was not
 * done.
 */
const MOST_LINES = 100;

/**
 * One line for each ending, or for each hundredth part of many; and one when a wait begins, because a log is not
 * redrawn.
 */
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

/** Two lines that are redrawn: a bar for the zone, and below it the current wait and the time left. */
interface Bars {
  /** Sets what the next redraw shows. */
  draw(tally: ProgressTally, now: number): void;
  /** Redraws now. */
  refresh(): void;
  /** Removes the lines and leaves the terminal as it was. */
  stop(): void;
}

/** A longer bar shows nothing more. */
const LONGEST_BAR = 28;
const SHORTEST_BAR = 5;

/** Where to cut a zone's name, which is a domain. */
const LONGEST_NAME = 30;

/** The width of a terminal that does not report one. */
const USUAL_COLUMNS = 80;

const MARGIN = "  ";

/** Starts drawing the lines on a terminal. */
function drawBars(stream: NodeJS.WritableStream & { readonly columns?: number }): Bars {
  const bars = new cliProgress.MultiBar({
    format: "{text}",
    stream,
    hideCursor: true,
    clearOnComplete: true,
    // The caller handles signals: after a first Ctrl-C, calls in flight may finish.
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

/** An event of a run, or a wait; times in milliseconds since the epoch. */
export type ProgressEvent =
  | ApplyEvent
  /** Calls are held back; `reason` is a noun: "the certificate limit". */
  | { readonly type: "waiting"; readonly reason: string; readonly untilMilliseconds: number };

/** What is known before the run starts. */
interface Expected {
  /** The zones in the order in which they are applied, each with the number of its changes. */
  readonly zones: readonly { readonly name: string; readonly total: number }[];
  /** Whether several zones are applied at once; then they are counted together. */
  readonly isParallel?: boolean;
  /** The least time that the run takes within its budget. */
  readonly leastSeconds: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** The progress of a run. It has no clock; callers pass the time. */
interface ProgressTally {
  note(event: ProgressEvent, now: number): void;
  /** The current zone, or all zones that are applied at once, and how many of its changes have ended. */
  zone(): { readonly name: string; readonly ended: number; readonly total: number };
  /** The total of all zones. */
  readonly total: number;
  ended(): number;
  /** `, 2 failed, 1 conflict`: how many ended otherwise than done; an empty text for none. */
  notDone(): string;
  /** `waiting 0:41 for the certificate limit`, or the call that takes long; an empty text for neither. */
  waiting(now: number): string;
  /** `about 3 min left`, counted down; an empty text before the first change has ended. */
  left(now: number): string;
}

/** From which duration on to name a call; until then the bar moves by itself. */
const LONG_CALL_MILLISECONDS = 3000;

/** Starts counting. */
function tallyProgress({ zones, isParallel = false, leastSeconds, startedAt }: Expected): ProgressTally {
  const total = zones.reduce((sum, zone) => sum + zone.total, 0);
  const changing = zones.filter((zone) => zone.total > 0).length;
  const endedIn = new Map<string, number>();
  const underWay = new Map<Address, { readonly action: string; readonly startedAt: number }>();
  const notDone = new Map<Ended["outcome"]["status"], number>();
  let current = zones.find((zone) => zone.total > 0)?.name ?? zones[0]?.name ?? "";
  let ended = 0;
  let finishAt = startedAt + leastSeconds * 1000;
  let wait = { reason: "", until: -Infinity };

  const estimate = (now: number): number => now + ((now - startedAt) / Math.max(1, ended)) * (total - ended);

  const noteEnd = ({ address, outcome }: Ended, now: number): void => {
    underWay.delete(address);
    ended += 1;
    endedIn.set(current, (endedIn.get(current) ?? 0) + 1);
    if (outcome.status !== "done") notDone.set(outcome.status, (notDone.get(outcome.status) ?? 0) + 1);
    finishAt = Math.max(estimate(now), startedAt + leastSeconds * 1000);
  };

  return {
    total,
    note: (event, now) => {
      switch (event.type) {
        case "start":
          current = zoneOf(event.address, current);
          underWay.set(event.address, { action: event.action, startedAt: now });
          return;
        case "end":
          current = zoneOf(event.ended.address, current);
          return noteEnd(event.ended, now);
        case "waiting":
          wait = { reason: event.reason, until: event.untilMilliseconds };
          return;
        default:
          return event satisfies never;
      }
    },
    zone: () =>
      isParallel && changing > 1
        ? { name: `${changing} zones`, ended, total }
        : {
            name: current,
            ended: endedIn.get(current) ?? 0,
            total: zones.find(({ name }) => name === current)?.total ?? total,
          },
    ended: () => ended,
    notDone: () => [...notDone].map(([status, count]) => `, ${thousands(count)} ${OUTCOME_WORDS[status]}`).join(""),
    waiting: (now) => {
      if (wait.until > now) return `waiting ${clockTime((wait.until - now) / 1000)} for ${wait.reason}`;
      const [oldest] = underWay;
      if (oldest === undefined) return "";
      const [address, { action, startedAt: began }] = oldest;
      const waited = now - Math.max(began, wait.until);
      if (waited < LONG_CALL_MILLISECONDS) return "";
      return `waiting for Cloudflare, ${clockTime(waited / 1000)} so far: ${action} ${address}`;
    },
    left: (now) => {
      if (ended >= total || (ended === 0 && leastSeconds === 0)) return "";
      // A run that takes longer than estimated is estimated again: "no time left" would be untrue.
      if (finishAt <= now) finishAt = estimate(now);
      const seconds = (Math.max(finishAt, wait.until) - now) / 1000;
      return seconds <= 0 ? "" : `about ${roughly(seconds)} left`;
    },
  };
}

/** Rounds: an estimate in minutes is not exact to the second. */
function roughly(seconds: number): string {
  return duration(seconds > EXACT_SECONDS ? Math.ceil(seconds / 60) * 60 : seconds);
}

const EXACT_SECONDS = 60;

/** Addresses contain the zone's name if a project has several zones. */
function zoneOf(address: Address, current: string): string {
  return parseAddress(address)?.zone ?? current;
}
