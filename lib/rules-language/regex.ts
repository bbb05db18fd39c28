import { GroupSize, type Size } from "./regex-size.ts";

/** What is wrong with a pattern, and where in it. */
export interface PatternFault {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly remedy?: string;
}

/**
 * Finds what the service's engine refuses in a regular expression: the syntax is that of Rust's `regex` over bytes. It has no
 * look-around and no references back, and knows classes of Unicode only behind `(?u)`.
 */
export function findFault(pattern: string): PatternFault | undefined {
  return new Recogniser(pattern).run();
}

/** How deep groups and classes may be nested. */
const MAX_DEPTH = 250;

/** About how many states a compiled expression may have. The service limits it to 10 MB, which is near to this. */
const MAX_STATES = 400_000;

/** How many states a class of Unicode takes, about. */
const UNICODE_CLASS = 450;

/** A repetition cannot count further than 32 bits. */
const MAX_COUNT = 0xffff_ffff;

interface Flags {
  /** `u`: the expression is about characters, not bytes. */
  readonly isUnicode: boolean;
  /** `x`: blanks and comments mean nothing. */
  readonly isSpaced: boolean;
}

/** An open group, and the flags around it. */
interface Group {
  readonly start: number;
  readonly flags: Flags;
  readonly size: GroupSize;
}

class Recogniser {
  readonly #pattern: string;
  #at = 0;
  #flags: Flags = { isUnicode: false, isSpaced: false };
  readonly #whole = new GroupSize();
  readonly #groups: Group[] = [];
  readonly #names = new Set<string>();
  #fault: PatternFault | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  run(): PatternFault | undefined {
    while (this.#fault === undefined && this.#at < this.#pattern.length) this.#readNext();
    const unclosed = this.#groups.at(-1);
    if (unclosed !== undefined) this.#fail("this group is never closed", unclosed.start, 1, "close it with a )");
    if (this.#fault === undefined) this.#checkSize(this.#whole.whole(), 0);
    return this.#fault;
  }

  #checkSize({ states, depth }: Size, start: number): void {
    const length = this.#at - start;
    if (states > MAX_STATES) this.#fail("the regular expression is too large", start, length, "repeat less");
    if (depth > MAX_DEPTH) this.#fail(`this is nested deeper than ${MAX_DEPTH} times`, start, length);
  }

  /** Notes the first fault. */
  #fail(message: string, start: number, length = 1, remedy?: string): undefined {
    const end = Math.min(this.#pattern.length, start + length);
    this.#fault ??= { message, start, end: Math.max(start, end), ...(remedy === undefined ? {} : { remedy }) };
    this.#at = this.#pattern.length;
  }

  /** What is read belongs to this group. */
  get #size(): GroupSize {
    return this.#groups.at(-1)?.size ?? this.#whole;
  }

  get #next(): string {
    const code = this.#pattern.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #sees(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  #peek(sticky: RegExp): string {
    sticky.lastIndex = this.#at;
    return sticky.exec(this.#pattern)?.[0] ?? "";
  }

  #skipSpace(): void {
    if (this.#flags.isSpaced) this.#at += this.#peek(SPACE).length;
  }

  #add(states: number, depth = 0): void {
    this.#size.add({ states, depth });
  }

  #readNext(): void {
    this.#skipSpace();
    const start = this.#at;
    const next = this.#next;
    if (next === "") return;
    if (next === "(") return this.#readGroupStart();
    if (next === ")") return this.#readGroupEnd();
    if (next === "[") return this.#readClass();
    if (next === "\\") return this.#readEscape();
    this.#at += next.length;
    switch (next) {
      case "|":
        return this.#size.choose();
      case "*":
      case "+":
      case "?":
        return this.#repeat(start, next === "+" ? 1 : 0, Number.POSITIVE_INFINITY);
      case "{":
        return this.#readCount(start);
      case ".":
        return this.#add(this.#flags.isUnicode ? 10 : 1);
      default:
        return this.#add(bytesIn(next.codePointAt(0) ?? 0));
    }
  }

  #repeat(start: number, least: number, most: number): void {
    if (!this.#size.canRepeat) {
      const remedy = `escape it: \\${this.#pattern.charAt(start)}`;
      return this.#fail("nothing stands here that could be repeated", start, 1, remedy);
    }
    this.#take("?");
    this.#size.repeat(most === Number.POSITIVE_INFINITY ? Math.max(least, 1) : most);
  }

  #readCount(start: number): void {
    if (!this.#size.canRepeat) return this.#repeat(start, 0, 0);
    const counted = this.#peek(COUNT);
    const [least, most = least] = (counted.match(/[0-9]+|,(?=\s*\})/g) ?? []).map((part) =>
      part === "," ? Number.POSITIVE_INFINITY : Number(part),
    );
    if (least === undefined || most === undefined) {
      return this.#fail(
        "{ begins a number of repetitions, such as {2} or {2,5}",
        start,
        1,
        "escape it for a brace: \\{",
      );
    }
    this.#at += counted.length;
    if (least > MAX_COUNT || (most > MAX_COUNT && most !== Number.POSITIVE_INFINITY))
      return this.#fail("this number of repetitions is too large", start, counted.length + 1);
    if (most < least) return this.#fail("the larger number of repetitions comes second", start, counted.length + 1);
    return this.#repeat(start, least, most);
  }

  #open(start: number): void {
    this.#groups.push({ start, flags: this.#flags, size: new GroupSize() });
  }

  #readGroupStart(): void {
    const start = this.#at;
    this.#at += 1;
    this.#skipSpace();
    if (!this.#take("?")) return this.#open(start);
    const around = this.#peek(LOOK_AROUND);
    if (around !== "")
      return this.#fail(
        "the service's regular expressions have no look-around",
        start,
        around.length + 2,
        "match the text itself, or join two conditions",
      );
    const name = this.#peek(GROUP_NAME);
    if (name !== "") return this.#openNamed(start, name);
    if (/^(?:P?<|P)/.test(this.#pattern.slice(this.#at, this.#at + 2)) && !this.#sees("P=")) {
      const isEmpty = /^P?<>/.test(this.#pattern.slice(this.#at));
      return this.#fail(
        isEmpty
          ? "the name of this group is empty"
          : "a group's name has letters, digits and underscores, and > ends it",
        start,
        3,
      );
    }
    return this.#readFlags(start);
  }

  #openNamed(start: number, written: string): void {
    const name = written.slice(written.indexOf("<") + 1, -1);
    if (this.#names.has(name)) return this.#fail(`two groups have the name ${name}`, start, written.length + 2);
    this.#names.add(name);
    this.#at += written.length;
    return this.#open(start);
  }

  /** `(?i)` for the rest of the group around, or `(?i:…)`. */
  #readFlags(start: number): void {
    let flags = this.#flags;
    const seen = new Set<string>();
    for (let isOn = true; ;) {
      const flag = this.#next;
      this.#at += flag.length;
      if (flag === ")" && seen.size === 0)
        return this.#fail("nothing stands here that could be repeated", start + 1, 1, "escape it: \\?");
      if (flag === ")" || flag === ":") {
        if (!isOn && [...seen].at(-1) === "-") return this.#fail("a flag is missing behind this -", this.#at - 2);
        if (flag === ":") this.#open(start);
        else this.#size.addFlags();
        this.#flags = flags;
        return undefined;
      }
      if (flag === "") return this.#fail("this group is never closed", start, 1, "close it with a )");
      if (flag === "=" || flag === "P")
        return this.#fail("the service's regular expressions have no references back", start, 3);
      if (!"imsUuxR-".includes(flag))
        return this.#fail(
          `there is no flag ${flag}`,
          this.#at - flag.length,
          flag.length,
          "the flags are i, m, s, U, u, x and R",
        );
      if (seen.has(flag)) return this.#fail(`the flag ${flag} stands here twice`, this.#at - 1);
      seen.add(flag);
      if (flag === "-") isOn = false;
      if (flag === "u") flags = { ...flags, isUnicode: isOn };
      if (flag === "x") flags = { ...flags, isSpaced: isOn };
    }
  }

  #readGroupEnd(): void {
    const start = this.#at;
    this.#at += 1;
    const group = this.#groups.pop();
    if (group === undefined) return this.#fail("no group is open here", start, 1, "escape it: \\)");
    const size = group.size.whole();
    this.#checkSize(size, group.start);
    this.#flags = group.flags;
    return this.#add(size.states + 2, size.depth + 1);
  }

  /** An escape outside of a class. */
  #readEscape(): void {
    const start = this.#at;
    const escape = this.#peek(BOUNDARY);
    if (escape !== "") {
      this.#at += escape.length;
      const named = this.#pattern.charAt(start + 1) === "b" ? this.#peek(NAMED_BOUNDARY_START) : "";
      if (named !== "" && this.#peek(NAMED_BOUNDARY) === "") {
        const message = "behind \\b{ stands start, end, start-half or end-half, or a number of repetitions";
        return this.#fail(message, start, named.length + 2);
      }
      this.#at += this.#peek(NAMED_BOUNDARY_OF_WORD).length;
      return this.#add(1);
    }
    const read = this.#readAnyEscape();
    return read === undefined ? undefined : this.#add(read.states);
  }

  /** An escape that may stand in a class too. `code` is that of a single character. */
  #readAnyEscape(): { readonly states: number; readonly code?: number; readonly isByte?: boolean } | undefined {
    const start = this.#at;
    this.#at += 1;
    const kind = this.#next;
    const { isUnicode } = this.#flags;
    this.#at += kind.length;
    if (kind === "") return this.#fail("this backslash escapes nothing", start, 1, "double it");
    if (/[dswDSW]/.test(kind)) return { states: !isUnicode ? 2 : kind === "s" ? 12 : UNICODE_CLASS };
    if (/[pP]/.test(kind)) return this.#readProperty(start);
    if (/[xuU]/.test(kind)) return this.#readHexadecimal(start, kind);
    if (/[0-9]/.test(kind)) return this.#fail("the service's regular expressions have no references back", start, 2);
    const control = CONTROLS.get(kind);
    if (control !== undefined) return { states: 1, code: control };
    if (kind > "\x7f" || /[A-Za-z<>]/.test(kind)) {
      return this.#fail(
        `there is no escape \\${kind}`,
        start,
        1 + kind.length,
        kind > "\x7f" || /[<>]/.test(kind) ? `write ${kind}` : undefined,
      );
    }
    return { states: 1, code: kind.charCodeAt(0) };
  }

  #readProperty(start: number): { readonly states: number } | undefined {
    this.#skipSpace();
    const property = this.#peek(PROPERTY);
    this.#at += property.length;
    if (property === "") return this.#fail("behind \\p stands a letter, or a name in braces", start, 2);
    const written = `\\${this.#pattern.charAt(start + 1)}${property}`;
    if (!this.#flags.isUnicode)
      return this.#fail(`${written} is only known behind (?u)`, start, written.length, `write (?u)${written}`);
    if (/^\{[^A-Za-z]*\}$/.test(property)) return this.#fail(`there is no class ${written}`, start, written.length);
    return { states: UNICODE_CLASS };
  }

  #readHexadecimal(
    start: number,
    kind: string,
  ): { readonly states: number; readonly code: number; readonly isByte: boolean } | undefined {
    this.#skipSpace();
    const digits = kind === "x" ? 2 : kind === "u" ? 4 : 8;
    const written =
      this.#peek(BRACED_HEXADECIMAL) ||
      this.#peek(kind === "x" ? HEXADECIMAL_2 : kind === "u" ? HEXADECIMAL_4 : HEXADECIMAL_8);
    if (written === "")
      return this.#fail(`behind \\${kind} stand ${digits} hexadecimal digits, or some in braces`, start, 2);
    this.#at += written.length;
    const code = Number.parseInt(written.replace(/[{}\s]/g, ""), 16);
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) {
      return this.#fail(`there is no character \\${kind}${written}`, start, written.length + 2);
    }
    // Without Unicode, `\xff` is a byte and `\x{ff}` a character of two bytes.
    const isByte = kind === "x" && !written.startsWith("{") && !this.#flags.isUnicode;
    return { states: isByte ? 1 : bytesIn(code), code, isByte };
  }

  /** `[…]`, with classes inside of it. */
  #readClass(): void {
    const open = [this.#openClass()];
    for (;;) {
      this.#skipSpace();
      const innermost = open.at(-1);
      if (innermost === undefined || this.#fault !== undefined) return undefined;
      const { start, size } = innermost;
      if (this.#at >= this.#pattern.length) {
        return this.#fail("this [ is never closed", start, 1, "close it with a ], or escape it: \\[");
      }
      if (this.#take("]")) {
        open.pop();
        const { depth } = size.whole();
        const outside = open.at(-1)?.size ?? this.#size;
        outside.add({ states: this.#flags.isUnicode ? 4 : 2, depth: depth + Math.max(0, innermost.operators - 1) + 1 });
      } else if (this.#take("&&") || this.#take("--") || this.#take("~~")) {
        innermost.operators += 1;
        size.choose();
      } else if (this.#sees("[") && !this.#seesNamedClass()) open.push(this.#openClass());
      else {
        size.add({ states: 0, depth: 0 });
        this.#readClassItem();
      }
    }
  }

  #openClass(): { readonly start: number; readonly size: GroupSize; operators: number } {
    const start = this.#at;
    const size = new GroupSize();
    this.#at += 1;
    this.#skipSpace();
    if (this.#take("^")) this.#skipSpace();
    // At the beginning, dashes or one closing bracket stand for themselves.
    const first = this.#sees("-") ? "-" : "]";
    while (this.#take(first)) {
      size.add({ states: 0, depth: 0 });
      this.#skipSpace();
      if (first === "]") break;
    }
    return { start, size, operators: 0 };
  }

  #seesNamedClass(): boolean {
    return CLASS_NAMES.has(this.#peek(NAMED_CLASS).replaceAll(/[[\]:^]/g, ""));
  }

  /** A character, a range, or a class with a name. */
  #readClassItem(): void {
    if (this.#seesNamedClass()) {
      this.#at += this.#peek(NAMED_CLASS).length;
      return undefined;
    }
    const start = this.#at;
    const from = this.#readClassLiteral();
    if (from === undefined) return undefined;
    this.#skipSpace();
    if (this.#peek(this.#flags.isSpaced ? SPACED_DASH_OF_RANGE : DASH_OF_RANGE) === "") return undefined;
    this.#at += 1;
    this.#skipSpace();
    if (this.#at >= this.#pattern.length) return undefined;
    const to = this.#readClassLiteral();
    if (to === undefined) return undefined;
    if (from.code === undefined || to.code === undefined) {
      const message = "a range goes from one character to another";
      return this.#fail(message, start, this.#at - start, "escape the dash: \\-");
    }
    if (to.code >= from.code) return undefined;
    return this.#fail("this range ends before it begins", start, this.#at - start, "swap its ends");
  }

  /** One character or class. A character that is no ASCII needs Unicode. */
  #readClassLiteral(): { readonly code?: number } | undefined {
    const start = this.#at;
    const next = this.#next;
    if (next === "\\") {
      if (this.#peek(BOUNDARY) !== "") return this.#fail("a class has characters, and this is a place", start, 2);
      const read = this.#readAnyEscape();
      if (read?.code === undefined || read.code < 0x80 || read.isByte === true || this.#flags.isUnicode) return read;
    } else {
      this.#at += next.length;
      const code = next.codePointAt(0) ?? 0;
      if (code < 0x80 || this.#flags.isUnicode) return { code };
    }
    const written = this.#pattern.slice(start, this.#at);
    return this.#fail(`in a class, ${written} is only known behind (?u)`, start, written.length, "write (?u) in front");
  }
}

/** How many bytes a character has in UTF-8. */
function bytesIn(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** What `(?x)` skips: blanks, and comments up to the end of the line. */
const SPACE = /(?:\s|#[^\n]*)+/y;
const COUNT = /\s*[0-9]+\s*(?:,\s*(?:[0-9]+\s*)?)?\}/y;
const LOOK_AROUND = /<?[=!]/y;
const GROUP_NAME = /P?<[A-Za-z_\u0080-\uffff][A-Za-z0-9_.[\]\u0080-\uffff]*>/y;
/** Places in a text, which are no characters. */
const BOUNDARY = /\\[AzbB<>]/y;
const NAMED_BOUNDARY_START = /\{(?!\s*[0-9,])\s*[A-Za-z-]*\}?/y;
const NAMED_BOUNDARY = /\{\s*(?:start|end|start-half|end-half)\s*\}/y;
const NAMED_BOUNDARY_OF_WORD = /(?<=\\b)\{\s*(?:start|end|start-half|end-half)\s*\}/y;
const PROPERTY = /\{[^}]*\}|[^{\s]/y;
const BRACED_HEXADECIMAL = /\{\s*[0-9A-Fa-f]+\s*\}/y;
const HEXADECIMAL_2 = /[0-9A-Fa-f]{2}/y;
const HEXADECIMAL_4 = /[0-9A-Fa-f]{4}/y;
const HEXADECIMAL_8 = /[0-9A-Fa-f]{8}/y;
const NAMED_CLASS = /\[:\^?[a-z]+:\]/y;
/** A dash between two ends: not `--`, and not the last one of a class. */
const DASH_OF_RANGE = /-(?![-\]])/y;
const SPACED_DASH_OF_RANGE = /-(?!\s*[-\]])/y;

const CONTROLS = new Map([
  ["a", 7],
  ["f", 12],
  ["t", 9],
  ["n", 10],
  ["r", 13],
  ["v", 11],
]);

const CLASS_NAMES = new Set([
  "alnum",
  "alpha",
  "ascii",
  "blank",
  "cntrl",
  "digit",
  "graph",
  "lower",
  "print",
  "punct",
  "space",
  "upper",
  "word",
  "xdigit",
]);
