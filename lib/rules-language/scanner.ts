import type { Span } from "./ast.ts";
import type { Problem, ProblemCode } from "./problems.ts";

/** Reads the text of an expression from left to right, and collects what is wrong with it. */
export class Scanner {
  readonly text: string;
  /** The unit that is read next. */
  at = 0;
  readonly problems: Problem[] = [];
  /** A string without an end took the rest of the text, so it is unknown which brackets are open. */
  isCutShort = false;

  constructor(text: string) {
    this.text = text;
    // At both ends the language takes any white space, in between only blanks and line breaks.
    this.#end = text.trimEnd().length;
    this.at = text.length - text.trimStart().length;
    if (this.at > this.#end) this.at = this.#end;
  }

  /** The first unit behind the expression. */
  readonly #end: number;

  /** Whether everything was read. */
  get isAtEnd(): boolean {
    return this.at >= this.#end;
  }

  /** The unit that is read next, or "" at the end. */
  get next(): string {
    return this.isAtEnd ? "" : this.text.charAt(this.at);
  }

  skipSpace(): void {
    while (!this.isAtEnd && isSpace(this.text.charCodeAt(this.at))) this.at += 1;
  }

  sees(text: string): boolean {
    return this.text.startsWith(text, this.at) && this.at + text.length <= this.#end;
  }

  /** Steps over a text if it comes next. */
  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.at += text.length;
    return true;
  }

  /** What a sticky pattern matches here, or "". It is not read yet. */
  peek(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0].slice(0, this.#end - this.at) ?? "";
  }

  /** The word or the string that comes next, for a message about it; at the end the place behind the last unit. */
  spanOfWord(): Span {
    return { start: this.at, end: this.at + this.peek(WORD).length };
  }

  /** How a part of the expression was written, for a message about it. Of a long one the end is left out. */
  textOf({ span: { start, end } }: { readonly span: Span }): string {
    return end - start <= LONGEST_QUOTE
      ? this.text.slice(start, end)
      : `${this.text.slice(start, start + LONGEST_QUOTE)}…`;
  }

  /** From a place to where the scanner is now. */
  since(start: number): Span {
    return { start, end: this.at };
  }

  report(code: ProblemCode, span: Span, message: string, remedy?: string): void {
    this.problems.push({ code, message, span, ...(remedy === undefined ? {} : { remedy }) });
  }

  warn(code: ProblemCode, span: Span, message: string, remedy?: string): void {
    this.problems.push({ code, message, span, ...(remedy === undefined ? {} : { remedy }), isWarning: true });
  }
}

/** How much of an expression a message repeats. */
const LONGEST_QUOTE = 80;

/** Blanks and line breaks. A tab is not: the service refuses it. */
function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d;
}

/** The name of a field or a function. */
export const NAME: RegExp = /[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*/y;

/** Whether a string begins here: `"`, `r"` or `r#`. */
export const STRING_START: RegExp = /"|r["#]/y;

/** A string, or what blanks, brackets, commas and strings end. */
const WORD = /r?(?:#*)"(?:[^"\\]|\\[\s\S])*"|[^\s(){},"]+|[\s\S]/y;
