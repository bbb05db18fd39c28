import { escape } from "./terminal.ts";

/** Marks of Markdown and HTML. Each is written as an entity, which is displayed as the character and marks nothing. */
const MARKS = /[\\`*_{}[\]<>()#+!|~&@$%^='":/-]/g;

/**
 * Where a page turns plain words into a link, a mention or a reference, even after entities were decoded: after the
 * mark of a mention, an issue, a merge request, a label and the like; in the scheme of an address; in `www.` and
 * `GH-1`.
 */
const LINKS = /(?<=[@#!~%$&])(?=[\p{L}\p{N}_"])|(?<=:)(?=\/\/)|(?<=\bw)(?=ww\.)|(?<=\bGH-)(?=\d)/giu;

/** Stands for a break while marks are replaced. The escaper leaves no such character in a text. */
const HELD_BREAK = "\u200b";

/** An invisible break that is part of no word: a word that contains it is not recognised. */
const BREAK = "&#8203;";

/**
 * A value inside a line of Markdown, on GitHub and GitLab. It is displayed as it is and has no effect: it mentions
 * nobody (`@org/admins`), closes nothing (`fixes #1`), links nowhere, shows no image, and opens no tag.
 */
export function markdownText(value: string): string {
  return escape(value).replace(LINKS, HELD_BREAK).replace(MARKS, entity).replaceAll(HELD_BREAK, BREAK);
}

/** A value as a cell of a table: nothing in it ends the cell or the row. */
export function markdownCell(value: string): string {
  return markdownText(value.trim());
}

/**
 * Lines as a block of code that they cannot end: the fence is longer than any run of backticks in them. A block shows
 * only the text itself. `language` is ours, never a value.
 */
export function markdownFence(text: string, language = ""): string {
  const lines = text.replace(/\n$/, "").split("\n").map(escape);
  const fence = "`".repeat(lines.reduce((length, line) => Math.max(length, longestRun(line) + 1), SHORTEST_FENCE));
  return `${fence}${language}\n${lines.join("\n")}\n${fence}\n`;
}

const SHORTEST_FENCE = 3;

function longestRun(line: string): number {
  return (line.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
