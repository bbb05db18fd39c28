import { escape } from "./terminal.ts";

/** Characters that mark something wherever they stand in a line. A backslash makes each a plain character. */
const MARKS = /[\\`*[\]<>|~&$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<=www)\./giu;

/** What marks something only at the start of a line: headings, lists, quotes, underlines, commands of GitLab. */
const FIRST = /^(?=[#+=/-])|(?<=^\d+)(?=[.)])/;

/**
 * Where a page turns plain words into a link, a mention, a picture or a reference: after the mark of a mention, an
 * issue, a merge request, a label and the like; in the name of an emoji; in the scheme of an address; in
 * `GH-1`. In the address of a mail and in a name with a domain, nothing has to be done: both link to what they say.
 */
const LINKS = /(?<=[@#!~%$&^])(?=[\p{L}\p{N}_"])|(?<=:)(?=\/\/|[\w+-]+:)|(?<=\bGH-)(?=\d)/giu;

/** Stands for a break while marks are replaced. The escaper leaves no such character in a text. */
const HELD_BREAK = "\u200b";

/** An invisible break that is part of no word: a word that contains it is not recognised. */
const BREAK = "&#8203;";

/**
 * A value inside a line of Markdown, on GitHub, GitLab and Bitbucket. It is displayed as it is and has no effect: it
 * mentions nobody (`@org/admins`), closes nothing (`fixes #1`), links nowhere, shows no image, and opens no tag. Only
 * what Markdown interprets is changed, so that a mail with the text can be read.
 */
export function markdownText(value: string): string {
  return escape(value)
    .trim()
    .replace(LINKS, HELD_BREAK)
    .replace(MARKS, (mark) => `\\${mark}`)
    .replace(FIRST, "\\")
    .replaceAll(HELD_BREAK, BREAK);
}

/** A value inside the HTML of a comment, where a backslash would be displayed. */
export function htmlText(value: string): string {
  return escape(value)
    .trim()
    .replace(LINKS, HELD_BREAK)
    .replace(/[&<>"'`]/g, (mark) => `&#${mark.charCodeAt(0)};`)
    .replaceAll(HELD_BREAK, BREAK);
}

/** A value as code inside a line: what stands in it is shown as it is. It is never empty. */
export function markdownCode(value: string): string {
  const text = escape(value).trim();
  const ticks = "`".repeat(longestRun(text) + 1);
  const gap = text === "" || text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${gap}${text}${gap}${ticks}`;
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
