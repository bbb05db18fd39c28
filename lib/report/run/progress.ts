import cliProgress from "cli-progress";
import stringWidth from "string-width";
import type { ApplyEvent, Ended } from "../../apply/outcome.ts";
import { parseAddress } from "../../core/address.ts";
import type { Address } from "../../core/brand.ts";
import type { Clock } from "../../core/clock.ts";
import { neverCommand, escape } from "../escape/terminal.ts";
import { thousands, clockTime, duration } from "../lines/words.ts";
import { endingOf, STATUS_WORDS } from "./ending.ts";

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

/** What a run says while it goes on, and what it waits for; times in milliseconds since the epoch. */
export type ProgressEvent =
  | ApplyEvent
  /** Calls are held back; `reason` is a noun: "the certificate limit". */
  | { readonly type: "waiting"; readonly reason: string; readonly untilMilliseconds: number };

/** What is known before the run starts. */
interface Expected {
  /** The zones in the order in which they are applied, each with the number of its changes. */
  readonly zones: readonly { readonly name: string; readonly total: number }[];
  /** Whether several zones are applied at once: then all are counted together. */
  readonly isParallel?: boolean;
  /** How long the run takes at least, by its budget. */
  readonly leastSeconds: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** How far a run is. Knows no clock: it is told the time. */
interface ProgressTally {
  note(event: ProgressEvent, now: number): void;
  /** The zone that is being applied, or all that are applied at once, and how many of its changes have ended. */
  zone(): { readonly name: string; readonly ended: number; readonly total: number };
  /** Of all zones. */
  readonly total: number;
  ended(): number;
  /** `, 2 failed, 1 conflict`: what ended otherwise than done; an empty text for none. */
  notDone(): string;
  /** `waiting 0:41 for the certificate limit`, or what one call is taking long for; an empty text for neither. */
  waiting(now: number): string;
  /** `about 3 min left`, counted down; an empty text before the first change has ended. */
  left(now: number): string;
}

/** A call that takes longer than this is named: until then the bar moves by itself. */
const LONG_CALL_MILLISECONDS = 3000;

/** Starts to count. */
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
    notDone: () => [...notDone].map(([status, count]) => `, ${thousands(count)} ${STATUS_WORDS[status]}`).join(""),
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
      // What takes longer than it looked is estimated again: a time left of nothing would be untrue.
      if (finishAt <= now) finishAt = estimate(now);
      const seconds = (Math.max(finishAt, wait.until) - now) / 1000;
      return seconds <= 0 ? "" : `about ${roughly(seconds)} left`;
    },
  };
}

/** An estimate is not exact to the second where it is minutes. */
function roughly(seconds: number): string {
  return duration(seconds > EXACT_SECONDS ? Math.ceil(seconds / 60) * 60 : seconds);
}

const EXACT_SECONDS = 60;

/** Addresses name their zone where a project has several. */
function zoneOf(address: Address, current: string): string {
  return parseAddress(address)?.zone ?? current;
}
