import type { Position } from "../../core/diagnostic.ts";

/** The kind of a line, for its colour; the words alone also say it. */
export type Style = "plain" | "heading" | "good" | "warn" | "bad" | "quiet";

/** One line of a text for people; its text need not be escaped yet. `indent` counts columns. */
export interface Line {
  readonly indent: number;
  readonly text: string;
  readonly style?: Style;
  /** Parts of the text in their own colours. */
  readonly accents?: readonly Accent[];
  /** Never wrapped, like the row of a table. */
  readonly isWhole?: true;
  /** A remark beside the text, at the right margin if there is one: an origin, or a name. */
  readonly aside?: string;
  /** The place in a file that `aside` names, for a link. */
  readonly place?: Position;
  /** The indentation of the rest of a wrapped line; 2 by default. */
  readonly hang?: number;
  /** All objects of which the text names the first `most`. */
  readonly names?: { readonly all: readonly string[]; readonly most: number };
  /** Shown only where everything is shown, or only where long lists are cut. */
  readonly only?: "full" | "cut";
  /** A command to copy. */
  readonly isCommand?: true;
  /** The field that the text shows. */
  readonly field?: Field;
  /** It only continues the field of the line before it. */
  readonly isDetail?: true;
}

/** A field with its old and new value, for printers that lay them out themselves. */
export interface Field {
  readonly name: string;
  /** Absent if the field was not set, or if only the new value is of interest. */
  readonly before?: string;
  /** Absent if the field is removed. */
  readonly after?: string;
  readonly isDanger?: true;
  /** What stands beside the values: the policy or exception that decides, what an edit means. */
  readonly remark?: string;
}

/** A part of a text, from one index to before another, and its colour. */
export interface Accent {
  readonly from: number;
  readonly to: number;
  readonly style: Style;
}

/** Makes a line. */
export function line(indent: number, text: string, style: Style = "plain", aside = ""): Line {
  return aside === "" ? { indent, text, style } : { indent, text, style, aside };
}

/** Makes a line with a command to copy. */
export function commandLine(indent: number, command: string): Line {
  return { indent, text: command, isCommand: true };
}

/** An empty line between sections. */
export const BLANK: Line = { indent: 0, text: "" };

/** Appends a list to another; `push(...items)` would overflow the stack at a hundred thousand. */
export function append<T>(target: T[], items: readonly T[]): void {
  for (const item of items) target.push(item);
}

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

/**
 * The line with `before -> after` in its text coloured: the old value dimmed, the new one bold, or red if it is
 * dangerous.
 */
export function withValues(given: Line, before: string, after: string, isDanger = false): Line {
  const from = given.text.indexOf(`${before} -> ${after}`);
  if (from < 0) return given;
  const next = from + before.length + " -> ".length;
  const accents: Accent[] = [
    { from, to: from + before.length, style: "quiet" },
    { from: next, to: next + after.length, style: isDanger ? "bad" : "heading" },
  ];
  return { ...given, accents: [...(given.accents ?? []), ...accents] };
}
