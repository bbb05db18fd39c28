/** A moment (RFC 3339) to the minute, as `2026-12-01 06:00 UTC`; any other text stays as it is. */
export function moment(timestamp: string): string {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) return timestamp;
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The end of a day (`2027-03-31`) in UTC, in milliseconds since the epoch; undefined if there is no such day. */
export function endOfDay(day: string): number | undefined {
  const start = Date.parse(`${day}T00:00:00.000Z`);
  const isReal = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
  return isReal ? start + DAY_MILLISECONDS : undefined;
}

const DAY_MILLISECONDS = 86_400_000;
const MINUTE_MILLISECONDS = 60_000;
/** The count from which on the next larger unit is precise enough. */
const [MANY_MINUTES, MANY_HOURS] = [120, 48];

/** How long ago something was: `12 minutes ago`; `just now` for a moment in the future of this clock. */
export function ago(milliseconds: number): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / MINUTE_MILLISECONDS);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return "just now";
  if (minutes < MANY_MINUTES) return many(minutes, "minute");
  return hours < MANY_HOURS ? many(hours, "hour") : many(Math.floor(hours / 24), "day");
}

function many(count: number, unit: string): string {
  return `${count} ${count === 1 ? unit : `${unit}s`} ago`;
}

/**
 * A moment and its age, as `2026-12-01 06:00 UTC, 12 minutes ago`; without the age if it is in the future by this
 * clock, and unchanged if it is no moment.
 */
export function momentAndAge(timestamp: string, now: number): string {
  const milliseconds = now - Date.parse(timestamp);
  return milliseconds >= 0 ? `${moment(timestamp)}, ${ago(milliseconds)}` : moment(timestamp);
}
