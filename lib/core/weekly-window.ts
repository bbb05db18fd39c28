/** Times of the week, such as `mon-fri 22:00-04:00 Europe/Berlin`. */
export interface WeeklyWindow {
  /** The days on which it opens, 0 for Sunday. */
  readonly days: ReadonlySet<number>;
  /** Minutes after midnight; it closes on the next day if `until` is not later than `from`. */
  readonly from: number;
  readonly until: number;
  readonly timeZone: string;
}

const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MINUTE_MILLISECONDS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Every window opens within a week; a day more for a change of the clocks. */
const MOST_MINUTES = 8 * DAY_MINUTES;

/** Reads a window. Gives undefined for a text that is none (`windowFault`). */
export function parseWeeklyWindow(text: string): WeeklyWindow | undefined {
  const window = formOf(text);
  return window && isTimeZone(window.timeZone) && window.from !== window.until ? window : undefined;
}

/** What is wrong with a text that is no window, as a sentence; undefined where it is not the form that is right. */
export function windowFault(text: string): string | undefined {
  const window = formOf(text);
  if (!window) return undefined;
  if (!isTimeZone(window.timeZone)) return `There is no time zone ${window.timeZone}.`;
  return window.from === window.until ? "It opens and closes at the same time; all day is 00:00-24:00." : undefined;
}

/** A window of the right form, whose time zone may not exist. */
function formOf(text: string): WeeklyWindow | undefined {
  const [, days = "", from = "", until = "", timeZone = ""] = FORM.exec(text.trim().toLowerCase()) ?? [];
  const zone = timeZone === "" ? "UTC" : (text.trim().split(/\s+/).at(-1) ?? "");
  const open = daysOf(days);
  return open.size === 0 ? undefined : { days: open, from: minutesOf(from), until: minutesOf(until), timeZone: zone };
}

const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d|24:00`;
const FORM = new RegExp(String.raw`^(daily|[a-z,-]+)\s+(${TIME})-(${TIME})(?:\s+(\S+))?$`);

/** Until when the window stays open, in milliseconds since the epoch: `Infinity` if it never closes. Undefined while it is closed. */
export function closingOf(window: WeeklyWindow, now: number): number | undefined {
  return isOpen(window, now) ? changeAfter(window, now, false) : undefined;
}

/** When it opens, in milliseconds since the epoch. */
export function openingOf(window: WeeklyWindow, now: number): number {
  return changeAfter(window, now, true);
}

/** Minute by minute, because the clocks of a time zone jump. */
function changeAfter(window: WeeklyWindow, now: number, toOpen: boolean): number {
  const minute = now - (now % MINUTE_MILLISECONDS);
  for (let ahead = 1; ahead <= MOST_MINUTES; ahead += 1) {
    const then = minute + ahead * MINUTE_MILLISECONDS;
    if (isOpen(window, then) === toOpen) return then;
  }
  return Infinity;
}

function isOpen({ days, from, until, timeZone }: WeeklyWindow, now: number): boolean {
  const { day, minutes } = localTime(now, timeZone);
  const before = (day + 6) % 7;
  if (from < until) return days.has(day) && minutes >= from && minutes < until;
  return (days.has(day) && minutes >= from) || (days.has(before) && minutes < until);
}

function localTime(now: number, timeZone: string): { readonly day: number; readonly minutes: number } {
  const parts = formatOf(timeZone).formatToParts(now);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? "";
  return {
    day: DAYS.indexOf(part("weekday").toLowerCase()),
    minutes: Number(part("hour")) * 60 + Number(part("minute")),
  };
}

/** A moment by the clocks of a time zone, as `2026-11-23 10:00 Europe/Berlin`. */
export function momentIn(timeZone: string, milliseconds: number): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return `${format.format(milliseconds)} ${timeZone}`;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const made =
    FORMATS.get(timeZone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  FORMATS.set(timeZone, made);
  return made;
}

/** The days of `daily`, `mon-fri` or `mon,wed,sat-sun`; none for anything else. */
function daysOf(text: string): ReadonlySet<number> {
  const days = new Set<number>();
  for (const range of (text === "daily" ? "sun-sat" : text).split(",")) {
    const [first = "", last = first, ...more] = range.split("-");
    const [from, until] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    if (from === -1 || until === -1 || more.length > 0) return new Set();
    for (let day = from; ; day = (day + 1) % 7) {
      days.add(day);
      if (day === until) break;
    }
  }
  return days;
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(":").map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

function isTimeZone(name: string): boolean {
  try {
    return formatOf(name).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
