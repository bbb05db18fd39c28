import { conditionType, eachIn, type Expression, type Literal, type LogicalOperator, type Value } from "./ast.ts";
import { readCall } from "./calls.ts";
import { readComparison } from "./comparisons.ts";
import type { Grammar } from "./grammar.ts";
import { look, readLiteral, readText } from "./literals.ts";
import { findField, isKnownName, type ParseOptions } from "./names.ts";
import { readPart } from "./parts.ts";
import type { Problem } from "./problems.ts";
import { NAME, Scanner } from "./scanner.ts";
import { aType, fits, isCondition, type Type } from "./types.ts";
import { closeBracket, reportUnexpected } from "./unexpected.ts";

/** What became of a text. */
export interface Parsed {
  /** The tree, unless a problem that is no warning was found. */
  readonly expression?: Expression;
  /** Everything that is wrong, in the order of the text. */
  readonly problems: readonly Problem[];
}

/** How many bytes an expression may have. */
export const MAX_BYTES = 4096;

/** How deep brackets, calls and `not` may be nested. */
export const MAX_DEPTH = 128;

/** A text that is longer is not read at all: it takes long, and could nest deeper than the stack of the process. */
const MAX_READ = 4 * MAX_BYTES;

/**
 * Reads the condition of a rule. It never throws, and reports everything that is wrong at once.
 *
 * @example parse('http.host eq "a.net" and not ssl').expression?.kind // "logical"
 */
export function parse(text: string, options: ParseOptions = {}): Parsed {
  return parseWhole(text, options, true);
}

/** Reads an expression of any type, such as the target of a redirect. The caller checks its type. */
export function parseValue(text: string, options: ParseOptions = {}): Parsed {
  return parseWhole(text, options, false);
}

function parseWhole(text: string, options: ParseOptions, isRule: boolean): Parsed {
  const scanner = new Scanner(text);
  const bytes = text.length * 3 <= MAX_BYTES ? 0 : new TextEncoder().encode(text).length;
  if (bytes > MAX_BYTES) {
    const message = `the expression has ${bytes} bytes, at most ${MAX_BYTES} are allowed`;
    scanner.report("too-large", { start: 0, end: text.length }, message, "split the rule, or move values to a list");
  }
  if (text.length > MAX_READ) return { problems: scanner.problems };
  const expression = new Parser(scanner, options, isRule).readAll();
  if (expression === undefined && scanner.problems.every(({ isWarning }) => isWarning === true)) {
    scanner.report("syntax", { start: 0, end: text.length }, "this is no expression");
  }
  const problems = scanner.problems.sort((one, other) => one.span.start - other.span.start);
  if (expression === undefined || problems.some(({ isWarning }) => isWarning !== true)) return { problems };
  return { expression, problems };
}

/** The operators between conditions by precedence, loosest first, as they are written. */
const LEVELS: readonly { readonly operator: LogicalOperator; readonly written: readonly [string, string] }[] = [
  { operator: "or", written: ["or", "||"] },
  { operator: "xor", written: ["xor", "^^"] },
  { operator: "and", written: ["and", "&&"] },
];

/** What the innermost open bracket is. Only between the arguments of a call are commas. */
type Inside = "top" | "group" | "call";

/**
 * A parser by recursive descent. Its methods read one thing each, and return undefined after they have reported what is wrong
 * with it; the nearest operand then skips to the next one, so that one mistake is reported once.
 */
class Parser implements Grammar {
  readonly scanner: Scanner;
  readonly options: ParseOptions;
  readonly isRule: boolean;
  readonly once: string[] = [];
  #depth = 0;
  #inside: Inside = "top";

  constructor(scanner: Scanner, options: ParseOptions, isRule: boolean) {
    this.scanner = scanner;
    this.options = options;
    this.isRule = isRule;
  }

  /** Reads the whole text. */
  readAll(): Expression | undefined {
    const { scanner } = this;
    if (scanner.isAtEnd) {
      scanner.report("syntax", { start: 0, end: 0 }, "the expression is empty", 'write "true" to match every request');
      return undefined;
    }
    const found = this.isRule ? this.#readLogical(0) : this.readArgument();
    if (!this.isRule) this.#finishOperand(found !== undefined);
    while (!scanner.isAtEnd) this.#readLeftover();
    if (found === undefined) return undefined;
    return this.#checkTop(found);
  }

  /** A closing bracket that nothing opened, or a comma; then whatever follows, to find more mistakes. */
  #readLeftover(): void {
    const { scanner } = this;
    const span = scanner.spanOfWord();
    const word = scanner.textOf({ span });
    scanner.at = span.end;
    if (word === ")") scanner.report("syntax", span, "no bracket is open here", "take this ) away, or open a ( before");
    else scanner.report("syntax", span, `unexpected ${word}`);
    scanner.skipSpace();
    const isJoined = LEVELS.some(({ written }) => written.some((operator) => scanner.take(operator)));
    scanner.skipSpace();
    if (isJoined) this.#readLogical(0);
    else this.#skipOperand();
  }

  /** A rule needs a condition for the request, and nothing at the top is one for each element. */
  #checkTop(found: Expression): Expression | undefined {
    const { type, span } = found;
    if (eachIn(found) === 0 && (!this.isRule || fits(type, "bool"))) return found;
    const [message, remedy] =
      this.isRule && isCondition(type)
        ? ["this is a condition for each element, and a rule needs one for the request", "put it into any(…) or all(…)"]
        : ["[*] only stands in the first argument of a function, or in a comparison inside of one"];
    this.scanner.report("type", span, message, remedy);
    return undefined;
  }

  /** Conditions that operators of a precedence, or of a higher one, join. */
  #readLogical(level: number): Expression | undefined {
    const { scanner } = this;
    const entry = LEVELS[level];
    if (entry === undefined) return this.#readOperand();
    const begin = scanner.at;
    const first = this.#readLogical(level + 1);
    const more: (Expression | undefined)[] = [];
    for (;;) {
      scanner.skipSpace();
      if (!entry.written.some((operator) => scanner.take(operator))) break;
      scanner.skipSpace();
      more.push(this.#readLogical(level + 1));
    }
    if (more.length === 0) return first;
    const [second, ...rest] = more.filter((operand) => operand !== undefined);
    if (first === undefined || second === undefined || rest.length < more.length - 1) return undefined;
    const operands: readonly [Expression, Expression, ...Expression[]] = [first, second, ...rest];
    const span = { start: begin, end: operands[operands.length - 1]?.span.end ?? scanner.at };
    const type = this.#typeOfLogical(operands);
    return type === undefined ? undefined : { kind: "logical", type, span, operator: entry.operator, operands };
  }

  /** All operands are conditions for the request, or all are conditions for each element. */
  #typeOfLogical(operands: readonly Expression[]): Type | undefined {
    const first = operands.map(conditionType).find((type) => type !== "unknown") ?? "bool";
    const other = operands.find((operand) => !fits(conditionType(operand), first));
    if (other === undefined) return first;
    const message = "one side of this operator is a condition for each element, the other one for the request";
    this.scanner.report("type", other.span, message, "put the former into any(…) or all(…)");
    return undefined;
  }

  /** One condition. If it is wrong, what belongs to it is skipped. */
  #readOperand(): Expression | undefined {
    const operand = this.#readSimple();
    return this.#finishOperand(operand !== undefined) ? operand : undefined;
  }

  #finishOperand(isGood: boolean): boolean {
    const { scanner } = this;
    const isAtBoundary = isGood && this.isAtBoundary();
    if (isGood && !isAtBoundary) reportUnexpected(scanner);
    if (!isAtBoundary) this.#skipOperand();
    scanner.skipSpace();
    return isAtBoundary;
  }

  /** Whether an operand may end here. */
  isAtBoundary(): boolean {
    const { scanner } = this;
    scanner.skipSpace();
    if (scanner.isAtEnd || scanner.sees(")")) return true;
    if (scanner.sees(",")) return this.#inside === "call";
    return this.#isAtOperator();
  }

  #isAtOperator(): boolean {
    return LEVELS.some(({ written }) => written.some((operator) => this.scanner.sees(operator)));
  }

  /** Skips to the next operator, comma or closing bracket that belongs to the brackets around. */
  #skipOperand(): void {
    const { scanner } = this;
    let depth = 0;
    for (let isWordStart = true; !scanner.isAtEnd;) {
      const unit = scanner.next;
      if (depth === 0) {
        if (unit === ")" || (unit === "," && this.#inside === "call")) return;
        if (scanner.peek(isWordStart ? LOGICAL_OPERATOR : LOGICAL_SIGN) !== "") return;
      }
      if (unit === "(" || unit === "{" || unit === "[") depth += 1;
      if ((unit === ")" || unit === "}" || unit === "]") && depth > 0) depth -= 1;
      const step = scanner.peek(SKIPPED) || unit;
      scanner.at += step.length;
      isWordStart = !/[A-Za-z0-9_.]$/.test(step);
    }
  }

  #readSimple(): Expression | undefined {
    const { scanner } = this;
    const begin = scanner.at;
    if (scanner.sees("(")) return this.#nested(begin, () => this.#readGroup(begin));
    if (this.#seesNot()) {
      return this.#nested(begin, () => {
        scanner.at += scanner.sees("!") ? 1 : 3;
        scanner.skipSpace();
        const operand = this.#readSimple();
        if (operand === undefined) return undefined;
        return { kind: "not", type: conditionType(operand), span: { start: begin, end: operand.span.end }, operand };
      });
    }
    return this.#readClause();
  }

  /** A value that is compared, or that is a condition by itself. */
  #readClause(): Expression | undefined {
    const value = this.#readLeft();
    if (value === undefined) return undefined;
    const compared = readComparison(this, value);
    if (compared === undefined || compared.kind === "comparison") return compared;
    const { type, span } = compared;
    if (isCondition(type) && (fits(type, "bool") || eachIn(compared) === 0)) return compared;
    const message = `${this.scanner.textOf(compared)} is ${aType(type)}, and no condition`;
    this.scanner.report("type", span, message, "compare it with a value");
    return undefined;
  }

  /** Whether `not` comes next, and is not the beginning of a name. The service wants no blank behind it. */
  #seesNot(): boolean {
    const { scanner } = this;
    if (scanner.sees("!")) return !scanner.sees("!=");
    if (!scanner.sees("not")) return false;
    const name = scanner.peek(NAME);
    return name === "not" || (!isKnownName(name) && isKnown(name.slice(3)));
  }

  #readGroup(begin: number): Expression | undefined {
    const { scanner } = this;
    scanner.at += 1;
    scanner.skipSpace();
    const outside = this.#inside;
    this.#inside = "group";
    const inner = this.#readLogical(0);
    this.#inside = outside;
    if (!closeBracket(scanner, begin) || inner === undefined) return undefined;
    return { kind: "group", type: conditionType(inner), span: scanner.since(begin), inner };
  }

  /** Reads something that is nested deeper, unless that is too deep. */
  #nested<T>(begin: number, read: () => T | undefined): T | undefined {
    if (this.#depth >= MAX_DEPTH) {
      const message = `brackets, calls and not are nested deeper than ${MAX_DEPTH} times here`;
      this.scanner.report("too-large", { start: begin, end: begin + 1 }, message);
      return undefined;
    }
    this.#depth += 1;
    const found = read();
    this.#depth -= 1;
    return found;
  }

  /** Reads what may be an argument of a call, or an expression that computes a value. */
  readArgument(): Expression | undefined {
    const { scanner } = this;
    const seen = look(scanner);
    if (seen === "string") return readText(scanner);
    // The grammar of the service reads several joined conditions only where they begin with a bracket, `not` or a call of these.
    const isLogical = scanner.sees("(") || this.#seesNot() || scanner.peek(QUANTIFIER) !== "";
    if (isLogical) return this.#readLogical(0);
    if (seen === "int" || seen === "ip") return readLiteral(scanner, seen);
    const value = this.#readLeft();
    return value === undefined ? undefined : readComparison(this, value);
  }

  /** The left side of a comparison. */
  #readLeft(): Value | undefined {
    const { scanner } = this;
    const seen = look(scanner);
    const operator = scanner.peek(LOGICAL_OPERATOR);
    if (operator !== "") {
      const span = { start: scanner.at, end: scanner.at + operator.length };
      scanner.report("syntax", span, `a condition is missing in front of ${operator}`);
      return undefined;
    }
    if (seen === "name") return this.readValue();
    if (seen === "bool") return this.readTruth();
    if (seen === "nothing") reportUnexpected(scanner);
    else {
      const remedy = 'write the field first, as in http.host eq "a.net"';
      scanner.report("syntax", scanner.spanOfWord(), "a comparison begins with a field or a function", remedy);
    }
    return undefined;
  }

  /** `true` or `false`. */
  readTruth(): Literal {
    const { scanner } = this;
    const begin = scanner.at;
    const value = scanner.take("true");
    if (!value) scanner.take("false");
    return { kind: "bool", type: "bool", span: scanner.since(begin), value };
  }

  /** A field or a call, and which part of it. */
  readValue(): Value | undefined {
    const { scanner } = this;
    const begin = scanner.at;
    const name = scanner.peek(NAME);
    scanner.at += name.length;
    const span = scanner.since(begin);
    let value: Value | undefined;
    if (scanner.sees("(") || scanner.peek(SPACED_BRACKET) !== "") {
      value = this.#nested(begin, () => readCall(this, name, span));
    } else {
      const entry = findField(scanner, span, name, this.options);
      value = { kind: "field", type: entry?.type ?? "unknown", span, name };
    }
    while (value !== undefined && scanner.sees("[")) value = readPart(scanner, value);
    return value;
  }

  /** Reads the arguments of a call up to its closing bracket. Undefined if one of them is wrong. */
  readArguments(): readonly Expression[] | undefined {
    const { scanner } = this;
    const begin = scanner.at;
    scanner.at += 1;
    const outside = this.#inside;
    this.#inside = "call";
    const found: (Expression | undefined)[] = [];
    scanner.skipSpace();
    while (!scanner.isAtEnd && !scanner.sees(")")) {
      const argument = this.readArgument();
      found.push(this.#finishOperand(argument !== undefined) ? this.#withoutOperators(argument) : undefined);
      if (this.#isAtOperator()) {
        found.push(undefined);
        this.#skipOperators();
      }
      if (!scanner.take(",")) break;
      scanner.skipSpace();
      if (scanner.sees(")")) {
        const span = { start: scanner.at - 1, end: scanner.at };
        scanner.report("syntax", span, "an argument is missing behind this comma");
        found.push(undefined);
      }
    }
    this.#inside = outside;
    if (!closeBracket(scanner, begin)) return undefined;
    const all = found.filter((argument) => argument !== undefined);
    return all.length === found.length ? all : undefined;
  }

  /** Conditions that are joined have to stand in brackets if the first of them does not begin with one. */
  #withoutOperators(argument: Expression | undefined): Expression | undefined {
    if (argument === undefined || !this.#isAtOperator()) return argument;
    const { scanner } = this;
    const span = scanner.spanOfWord();
    const remedy = `write (${scanner.textOf(argument)} ${scanner.textOf({ span })} …)`;
    scanner.report("syntax", span, "conditions that are joined in an argument need brackets around them", remedy);
    return undefined;
  }

  #skipOperators(): void {
    while (!this.scanner.isAtEnd && this.#isAtOperator()) {
      this.scanner.at = this.scanner.spanOfWord().end;
      this.#skipOperand();
    }
  }
}

const LOGICAL_OPERATOR = /(?:and|or|xor)(?![A-Za-z0-9_.])|&&|\|\||\^\^/y;
const LOGICAL_SIGN = /&&|\|\||\^\^/y;
const QUANTIFIER = /(?:any|all)[ \r\n]*\(/y;
const SPACED_BRACKET = /[ \r\n]+\(/y;
/** A string, a name or one unit: what is skipped in one step. */
const SKIPPED = /"(?:[^"\\]|\\[\s\S])*(?:"|$)|r(#*)"[\s\S]*?(?:"\1|$)|[A-Za-z0-9_.]+/y;

/** Whether something in front of a name leaves a name that is known, or `not` and one. */
function isKnown(name: string): boolean {
  if (isKnownName(name) || ["true", "false", "not"].includes(name)) return true;
  return name.startsWith("not") && isKnown(name.slice(3));
}
