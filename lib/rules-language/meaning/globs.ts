import { isText } from "../utf8.ts";

/**
 * A set of texts: those that consist of these pieces, in this order, with anything in between. One piece is one text;
 * `["/api/", ""]` is every text that begins with `/api/`.
 */
export interface Glob {
  readonly pieces: readonly [string, ...string[]];
  /** The case of ASCII letters does not matter; the pieces are lower case. */
  readonly isAnyCase: boolean;
}

/** Stands for "anything" when a glob is matched by another. No request has it in a text. */
const ANYTHING = "\u{FFFFF}";

/** What anchors are in a text while it is read. */
const [START, END] = ["\u{FFFFD}", "\u{FFFFE}"];

/**
 * Whether a text can be compared: its bytes are text, because a part of a character may be the start of one, and it has none of
 * the characters that stand for something here.
 */
export function isComparable(text: string): boolean {
  return isText(text) && !/[\u{FFFFD}-\u{FFFFF}]/u.test(text);
}

/** A glob of these pieces. */
export function glob(pieces: readonly [string, ...string[]], isAnyCase = false): Glob {
  const [first, ...rest] = pieces;
  return isAnyCase ? { pieces: [lowered(first), ...rest.map(lowered)], isAnyCase } : { pieces, isAnyCase };
}

/** ASCII letters in lower case, as the service's `lower()` makes them. */
export function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The only text of a glob; undefined if it has more. */
export function onlyText({ pieces, isAnyCase }: Glob): string | undefined {
  const [text, more] = pieces;
  return more === undefined && (!isAnyCase || !/[a-z]/.test(text)) ? text : undefined;
}

/** Whether a glob has this text. */
export function has(set: Glob, text: string): boolean {
  return matches(set.pieces, set.isAnyCase ? lowered(text) : text);
}

/** Whether each text of the first glob is one of the second. */
export function isWithin(inner: Glob, outer: Glob): boolean {
  const text = inner.pieces.join(ANYTHING);
  if (outer.isAnyCase) return matches(outer.pieces, lowered(text));
  const isEveryText = outer.pieces.length > 1 && outer.pieces.every((piece) => piece === "");
  return isEveryText || (!(inner.isAnyCase && /[a-z]/.test(text)) && matches(outer.pieces, text));
}

/** Whether no text is in both globs. `true` is certain. */
export function areApart(one: Glob, other: Glob): boolean {
  const isAnyCase = one.isAnyCase || other.isAnyCase;
  const [left, right] = [one, other].map(({ pieces }) => (isAnyCase ? pieces.map(lowered) : pieces));
  if (left === undefined || right === undefined) return false;
  if (left.length === 1) return !matches(right, left[0] ?? "");
  if (right.length === 1) return !matches(left, right[0] ?? "");
  const [start, begin, end, finish] = [left[0] ?? "", right[0] ?? "", left.at(-1) ?? "", right.at(-1) ?? ""];
  const isHeadShared = start.startsWith(begin) || begin.startsWith(start);
  const isTailShared = end.endsWith(finish) || finish.endsWith(end);
  return !isHeadShared || !isTailShared;
}

function matches(pieces: readonly string[], text: string): boolean {
  const [head = "", ...rest] = pieces;
  const tail = rest.pop();
  if (tail === undefined) return text === head;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  const end = text.length - tail.length;
  let at = head.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= end;
}

/** How many globs one pattern may become. */
const MOST_GLOBS = 64;

/**
 * The globs of a regular expression that only has text, groups of alternatives, and anchors at its ends; undefined for
 * any other.
 */
export function globsOfPattern(pattern: string): readonly Glob[] | undefined {
  const reader = { pattern, at: 0 };
  const texts = alternatives(reader);
  if (texts === undefined || reader.at < pattern.length) return undefined;
  const globs = texts.map(anchored);
  return globs.includes(undefined) ? undefined : globs.filter((each) => each !== undefined);
}

interface Reader {
  readonly pattern: string;
  at: number;
}

function alternatives(reader: Reader): string[] | undefined {
  const all: string[] = [];
  for (;;) {
    const texts = sequence(reader);
    if (texts === undefined || all.length + texts.length > MOST_GLOBS) return undefined;
    all.push(...texts);
    if (reader.pattern[reader.at] !== "|") return all;
    reader.at += 1;
  }
}

function sequence(reader: Reader): string[] | undefined {
  let texts = [""];
  while (reader.at < reader.pattern.length && !"|)".includes(reader.pattern[reader.at] ?? "")) {
    const parts = part(reader);
    if (parts === undefined || "?*+{".includes(reader.pattern[reader.at] ?? " ")) return undefined;
    texts = texts.flatMap((text) => parts.map((each) => text + each));
    if (texts.length > MOST_GLOBS) return undefined;
  }
  return texts;
}

function part(reader: Reader): readonly string[] | undefined {
  const { pattern, at } = reader;
  const [plain] = /^(?:[^\\^$.|?*+()[\]{}]|\\[-\\^$.|?*+()[\]{}/])/u.exec(pattern.slice(at)) ?? [];
  reader.at += plain?.length ?? 1;
  if (plain !== undefined) return [plain.length > 1 && plain.startsWith("\\") ? plain.slice(1) : plain];
  if (pattern[at] === "^") return [START];
  if (pattern[at] === "$") return [END];
  if (pattern[at] !== "(") return undefined;
  if (pattern.startsWith("?:", reader.at)) reader.at += 2;
  const texts = pattern[reader.at] === "?" ? undefined : alternatives(reader);
  if (pattern[reader.at] !== ")") return undefined;
  reader.at += 1;
  return texts;
}

/** Anchors may stand at the ends only. Without them, anything may come before and after. */
function anchored(text: string): Glob | undefined {
  const [isStart, isEnd] = [text.startsWith(START), text.endsWith(END)];
  const body = text.slice(isStart ? START.length : 0, isEnd ? text.length - END.length : undefined);
  if (body.includes(START) || body.includes(END)) return undefined;
  const pieces = [...(isStart ? [] : [""]), body, ...(isEnd ? [] : [""])];
  const [first = "", ...rest] = pieces;
  return glob([first, ...rest]);
}
