/** A moment (RFC 3339) to the minute, as `2026-12-01 06:00 UTC`; a text that is none stays as it is. */
export function moment(timestamp: string): string {
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) return timestamp;
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
