import { type Line, line } from "../lines/lines.ts";

/** What to do, with its command on a line of its own. */
export function remedyLines(indent: number, remedy: string): Line[] {
  const [, text, command] = /^(.*): (zoneform [a-z][^;]*)$/s.exec(remedy) ?? [];
  if (text === undefined || command === undefined) return [line(indent, `to do: ${remedy}`, "quiet")];
  return [line(indent, `to do: ${text}:`, "quiet"), line(indent + 2, command)];
}
