import { formatPosition } from "../../core/diagnostic.ts";
import type { FailedZone } from "../../plan/change.ts";
import type { FindingGroup } from "../view/view.ts";
import { diagnosticSentence } from "./diagnostics.ts";
import { append, BLANK, type Line, line } from "./lines.ts";
import { thousands } from "./words.ts";

/** Appends lines after an empty line, or nothing. */
export function appendSection(lines: Line[], section: readonly Line[]): void {
  if (section.length === 0) return;
  if (lines.length > 0) lines.push(BLANK);
  append(lines, section);
}

/** Appends a section with a title, unless it is empty. */
export function appendTitled(lines: Line[], title: string, parts: readonly (readonly Line[])[]): void {
  if (parts.length === 0) return;
  appendSection(lines, [line(0, title, "heading")]);
  for (const part of parts) append(lines, part);
}

/** Findings of one code, with the rest counted. */
export function findingLines({ code, shown, others }: FindingGroup): Line[] {
  const lines = shown.flatMap((finding) => [
    line(0, diagnosticSentence(finding), finding.severity === "error" ? "bad" : "plain"),
    ...(finding.remedy === undefined ? [] : [line(4, finding.remedy, "quiet")]),
  ]);
  return others === 0 ? lines : [...lines, line(0, `and ${thousands(others)} more [${code}]`)];
}

/** The zones that could not be read, for the top of a text that covers only the others; empty for none. */
export function failedLines(failed: readonly FailedZone[] = []): Line[] {
  return failed.map(({ zone, at }) =>
    line(0, `Zone ${zone.name} (${formatPosition(at)}) could not be read: this report covers the other zones`, "bad"),
  );
}

/** What to do about foreign rules. */
export const REVIEWING: Line[] = [
  line(0, "To keep the foreign rules, record them as reviewed (asks first; a saved plan does it too):"),
  line(2, "zoneform apply"),
];

/** What to do, with its command on a line of its own. */
export function remedyLines(indent: number, remedy: string): Line[] {
  const [, text, command] = /^(.*): (zoneform [a-z][^;]*)$/s.exec(remedy) ?? [];
  if (text === undefined || command === undefined) return [line(indent, `to do: ${remedy}`, "quiet")];
  return [line(indent, `to do: ${text}:`, "quiet"), line(indent + 2, command)];
}
