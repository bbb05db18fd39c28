import {
  eachIn,
  type Comparison,
  type ComparisonOperator,
  type Literal,
  type LiteralSet,
  type NamedList,
  type Span,
  type TextLiteral,
  type Value,
} from "./ast.ts";
import { type LiteralType, look, type Look, readList, readLiteral, readNumber, readSet, readText } from "./literals.ts";
import { checkList, isKnownName } from "./names.ts";
import type { Grammar } from "./grammar.ts";
import { checkRegex, checkWildcard } from "./patterns.ts";
import { NAME, type Scanner } from "./scanner.ts";
import { reportUnexpected } from "./unexpected.ts";
import { aType, BOOLS, fits, type Type } from "./types.ts";

/**
 * Reads the operator behind a value and what it is compared with. Without an operator the value itself is the result; after a
 * problem nothing is.
 */
export function readComparison(parser: Grammar, left: Value): Comparison | Value | undefined {
  const { scanner } = parser;
  scanner.skipSpace();
  const start = scanner.at;
  const found = takeOperator(scanner);
  if (found === undefined) {
    const isCondition = fits(left.type, "bool") || fits(left.type, BOOLS);
    if (isCondition || parser.isAtBoundary()) return left;
    reportNoOperator(parser, left);
    return undefined;
  }
  const span = scanner.since(start);
  const { operator, written } = found;
  if (!checkOperator(parser, left, operator, span)) return undefined;
  scanner.skipSpace();
  const right = readRight(parser, left, operator);
  if (right === undefined) return undefined;
  const type = eachIn(left) > 0 ? BOOLS : "bool";
  return {
    kind: "comparison",
    type,
    span: { start: left.span.start, end: scanner.at },
    left,
    operator,
    written,
    right,
  };
}

/** The operators as they may be written. One that begins like another one comes first. */
const OPERATORS: readonly (readonly [written: string, operator: ComparisonOperator])[] = [
  ["in", "in"],
  ["eq", "eq"],
  ["==", "eq"],
  ["ne", "ne"],
  ["!=", "ne"],
  ["ge", "ge"],
  [">=", "ge"],
  ["le", "le"],
  ["<=", "le"],
  ["gt", "gt"],
  [">", "gt"],
  ["lt", "lt"],
  ["<", "lt"],
  ["&", "bitwise_and"],
  ["bitwise_and", "bitwise_and"],
  ["contains", "contains"],
  ["~", "matches"],
  ["matches", "matches"],
  ["wildcard", "wildcard"],
  ["strict wildcard", "strict wildcard"],
];

/** Letters right behind an operator, which make it another word, such as `equals`. */
const GLUED_WORD = /[A-Za-z_](?!["#])/y;

function takeOperator(
  scanner: Scanner,
): { readonly written: string; readonly operator: ComparisonOperator } | undefined {
  if (scanner.sees("&&")) return undefined;
  const start = scanner.at;
  for (const [written, operator] of OPERATORS) {
    if (!scanner.take(written)) continue;
    const isGlued = /[a-z]$/.test(written) && scanner.peek(GLUED_WORD) !== "" && !seesOperand(scanner);
    const isCut = (written === "==" || written === "<" || written === ">") && /[=<>~]/.test(scanner.next);
    if (!isGlued && !isCut) return { written, operator };
    scanner.at = start;
  }
  return undefined;
}

/** The service wants no blank behind an operator: it reads `eqhttp.host`. */
function seesOperand(scanner: Scanner): boolean {
  return scanner.peek(HEXADECIMAL) !== "" || isKnownName(scanner.peek(NAME));
}

/** The beginning of bytes or of an IPv6 address. */
const HEXADECIMAL = /[0-9A-Fa-f]{1,4}:/y;

const ORDER: ReadonlySet<ComparisonOperator> = new Set(["eq", "ne", "lt", "le", "gt", "ge"]);
const FOR_STRINGS: ReadonlySet<ComparisonOperator> = new Set(["contains", "matches", "wildcard", "strict wildcard"]);

/** Whether an operator works on the type of its value. */
function checkOperator(parser: Grammar, left: Value, operator: ComparisonOperator, span: Span): boolean {
  const { scanner } = parser;
  const { type } = left;
  const name = scanner.textOf(left);
  if (type === "unknown" || type === "string" || type === "int" || type === "ip") {
    if (FOR_STRINGS.has(operator) && !fits(type, "string")) return reportOperator(parser, left, operator, span);
    if (operator === "bitwise_and" && !fits(type, "int")) return reportOperator(parser, left, operator, span);
    if (type === "ip" && ORDER.has(operator) && operator !== "eq" && operator !== "ne") {
      const remedy = `name a range: ${name} in {…}`;
      scanner.warn("type", span, `the documentation does not say that ${operator} compares IP addresses`, remedy);
    }
    return true;
  }
  if (type === "bool") {
    const remedy = `write ${name} or not ${name}`;
    scanner.report("type", span, `${name} is a Boolean, which is a condition by itself`, remedy);
    return false;
  }
  const remedy =
    "array" in type ? `compare each element, as in any(${name}[*] ${operator} …)` : `pick a key: ${name}["…"]`;
  scanner.report("type", span, `${name} is ${aType(type)}, and ${operator} compares single values`, remedy);
  return false;
}

function reportOperator(parser: Grammar, left: Value, operator: ComparisonOperator, span: Span): false {
  const { type } = left;
  const works = operator === "bitwise_and" ? "whole numbers" : "strings";
  const remedy =
    type === "ip" ? "use eq, ne or in" : type === "int" ? "use eq, lt, gt or in" : "use eq, contains or in";
  const { scanner } = parser;
  scanner.report("type", span, `${scanner.textOf(left)} is ${aType(type)}, and ${operator} works on ${works}`, remedy);
  return false;
}

function readRight(parser: Grammar, left: Value, operator: ComparisonOperator): Comparison["right"] | undefined {
  const { scanner } = parser;
  const type = literalType(left.type);
  switch (operator) {
    case "in":
      return readMany(parser, left, type);
    case "bitwise_and":
      return isExpected(parser, left, "int") ? readNumber(scanner) : undefined;
    case "contains":
      return isExpected(parser, left, "string") ? readText(scanner) : undefined;
    case "matches":
      return readPattern(parser, left, "regex");
    case "wildcard":
    case "strict wildcard":
      return readPattern(parser, left, "basic");
    case "eq":
    case "ne":
    case "lt":
    case "le":
    case "gt":
    case "ge":
      return readOne(parser, left, type);
    default:
      return operator satisfies never;
  }
}

function literalType(type: Type): LiteralType | "unknown" {
  return type === "string" || type === "int" || type === "ip" ? type : "unknown";
}

/** A literal, or since October 2026 a field or a call, of the same type. */
function readOne(parser: Grammar, left: Value, type: LiteralType | "unknown"): Literal | Value | undefined {
  const { scanner } = parser;
  const seen = look(scanner);
  if (seen === "name" && !isBytes(scanner, type)) {
    const right = parser.readValue();
    if (right === undefined) return undefined;
    if (eachIn(right) > 0) {
      scanner.report("type", right.span, "[*] cannot stand on the right of an operator", "swap both sides");
      return undefined;
    }
    if (fits(right.type, left.type)) return right;
    const message = `${scanner.textOf(left)} is ${aType(left.type)}, and ${scanner.textOf(right)} is ${aType(right.type)}`;
    scanner.report("type", right.span, message, "compare values of the same type");
    return undefined;
  }
  if (type !== "unknown") return isExpected(parser, left, type) ? readLiteral(scanner, type) : undefined;
  if (seen === "string" || seen === "int" || seen === "ip") return readLiteral(scanner, seen);
  if (seen === "bool") return parser.readTruth();
  isExpected(parser, left, "string");
  return undefined;
}

function isBytes(scanner: Scanner, type: LiteralType | "unknown"): boolean {
  return type === "string" && scanner.peek(HEXADECIMAL) !== "";
}

/** Whether the literal that comes next is of a type. If not, says what would be. */
function isExpected(parser: Grammar, left: Value, type: LiteralType, isPattern = false): boolean {
  const { scanner } = parser;
  const seen = look(scanner);
  if (seen === type || (isBytes(scanner, type) && !isPattern)) return true;
  if (seen === "nothing") {
    reportUnexpected(scanner, `write ${EXPECTED[type]} here`);
    return false;
  }
  const span = scanner.spanOfWord();
  const written = scanner.textOf({ span });
  const name = scanner.textOf(left);
  if (seen === "set" || seen === "list") {
    scanner.report(
      "syntax",
      span,
      "only in compares with more than one value",
      `write ${name} in ${written}${seen === "set" ? "…}" : ""}`,
    );
    return false;
  }
  const whose = left.type === "unknown" ? "this operator needs" : `${name} is ${aType(left.type)}: compare it with`;
  scanner.report("type", span, `${whose} ${EXPECTED[type]}`, remedyFor(type, seen, written));
  return false;
}

const EXPECTED = { string: "a string in quotes", int: "a whole number", ip: "an IP address without quotes" } as const;

function remedyFor(type: LiteralType, seen: Look, written: string): string | undefined {
  if (type === "string" && (seen === "int" || seen === "ip" || seen === "bool")) return `write "${written}"`;
  if (type !== "string" && seen === "string") return "take the quotes away";
  return undefined;
}

function readMany(parser: Grammar, left: Value, type: LiteralType | "unknown"): LiteralSet | NamedList | undefined {
  const { scanner } = parser;
  const seen = look(scanner);
  if (seen === "set") return readSet(scanner, type);
  if (seen === "list") {
    const list = readList(scanner, type);
    if (list !== undefined) checkList(scanner, list, parser.options);
    return list;
  }
  if (seen === "nothing" && !scanner.sees("(") && !scanner.sees("[")) reportUnexpected(scanner, "write {…} or $list");
  else {
    const span = scanner.spanOfWord();
    const written = scanner.textOf({ span });
    const remedy =
      seen === "nothing"
        ? `write ${scanner.textOf(left)} in {…}, with blanks between the values`
        : `write in {${written}}`;
    scanner.report("syntax", span, "in needs a set in braces, or a list such as $office", remedy);
  }
  return undefined;
}

function readPattern(parser: Grammar, left: Value, escaping: "regex" | "basic"): TextLiteral | undefined {
  const { scanner } = parser;
  if (look(scanner) !== "string") {
    isExpected(parser, { ...left, type: "string" }, "string", true);
    return undefined;
  }
  const literal = readText(scanner, escaping);
  if (literal === undefined) return undefined;
  const isGood = escaping === "regex" ? checkRegex(scanner, literal) : checkWildcard(scanner, literal);
  return isGood ? literal : undefined;
}

/** Says which operator was meant where there is none. */
function reportNoOperator(parser: Grammar, left: Value): void {
  const { scanner } = parser;
  const name = scanner.textOf(left);
  const span = scanner.spanOfWord();
  const word = scanner.textOf({ span });
  const meant = MEANT.find(({ pattern }) => pattern.test(word));
  if (meant !== undefined) scanner.report("syntax", span, `there is no operator ${word}`, meant.remedy(name));
  else if (/^[A-Za-z_=<>~!]/.test(word)) {
    scanner.report("syntax", span, `there is no operator ${word}`, "use eq, ne, contains, matches, wildcard or in");
  } else reportUnexpected(scanner, `write an operator behind ${name}`);
}

/** Words that people write for an operator, and what to write. */
const MEANT: readonly { readonly pattern: RegExp; readonly remedy: (name: string) => string }[] = [
  { pattern: /^(?:=|===|is|equals?|EQ)$/, remedy: () => "use eq" },
  { pattern: /^(?:<>|!==|NE)$/, remedy: () => "use ne" },
  { pattern: /^starts?_?with$/i, remedy: (name) => `call the function: starts_with(${name}, "…")` },
  { pattern: /^ends?_?with$/i, remedy: (name) => `call the function: ends_with(${name}, "…")` },
  { pattern: /^(?:=~|regex|match)$/i, remedy: () => "use matches" },
  { pattern: /^(?:like|includes?|has|CONTAINS)$/i, remedy: () => "use contains or wildcard" },
  { pattern: /^not$/i, remedy: (name) => `write not in front: not ${name} …` },
  { pattern: /^strict$/, remedy: () => "write strict wildcard, with one blank" },
  { pattern: /^IN$/, remedy: () => "write in" },
];
