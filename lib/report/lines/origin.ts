import type { Origin } from "../../core/diagnostic.ts";

/** The policy, exception or source behind a value, without the layer that its place names already. */
export function throughOf({ at, through }: Origin): string | undefined {
  return through?.replace(` of the layer ${at.file}`, "");
}

/** The policy or the exception that decides a value, with its last day: `  exception "EDGE-500", until 2027-01-31`. */
export function originNote(origin: Origin | undefined): string {
  if (origin?.isShared === undefined) return "";
  return `  ${throughOf(origin)}${origin.until === undefined ? "" : `, until ${origin.until}`}`;
}
