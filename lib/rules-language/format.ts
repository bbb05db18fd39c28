import {
  eachIn,
  type Comparison,
  type Expression,
  type Index,
  type LiteralSet,
  type NamedList,
  type SetItem,
  type TextLiteral,
} from "./ast.ts";

import { isText } from "./utf8.ts";

/** How many columns a line may have before it is broken. */
const WIDTH = 100;

/**
 * Writes an expression in the layout for people. What fits in 100 columns is one line; otherwise each clause has a line of its
 * own that begins with its operator. Operators are words, strings are quoted where that needs no escapes, and brackets stand
 * where they are needed or where different operators meet. What it writes has the same meaning, and formatting it again
 * changes nothing.
 *
 * @example format(parse('(ssl)&&!(http.host=="a.net")').expression) // 'ssl and not http.host eq "a.net"'
 */
export function format(expression: Expression): string {
  return layout(expression, 0).join("\n");
}

/** The lines of an expression that is indented that far. */
function layout(expression: Expression, indent: number): readonly string[] {
  const line = flat(expression);
  if (indent + line.length <= WIDTH) return [line];
  switch (expression.kind) {
    case "group":
      return layout(expression.inner, indent);
    case "logical": {
      const { operator } = expression;
      return operandsOf(expression).flatMap((operand, index) => {
        const lead = index === 0 ? "" : `${operator} `;
        return withLead(lead, layoutOperand(operand, indent, lead.length));
      });
    }
    case "not":
      return withLead("not ", layoutOperand(withoutBrackets(expression.operand), indent, 4));
    case "comparison":
      return layoutComparison(expression, indent);
    case "index":
      return withTail(layout(expression.of, indent), keyText(expression));
    case "call": {
      const last = expression.arguments.length - 1;
      const lines = expression.arguments.flatMap((argument, index) =>
        withTail(layoutArgument(argument, indent + 2), index === last ? "" : ","),
      );
      return [`${expression.name}(`, ...indented(lines), ")"];
    }
    case "field":
    case "string":
    case "int":
    case "bool":
    case "ip":
      return [line];
    default:
      return expression satisfies never;
  }
}

/** An operand behind an operator: joined conditions stand in brackets. */
function layoutOperand(operand: Expression, indent: number, lead: number): readonly string[] {
  const line = flatOperand(operand);
  if (indent + lead + line.length <= WIDTH) return [line];
  if (operand.kind !== "logical") return layout(operand, indent + lead);
  return ["(", ...indented(layout(operand, indent + 2)), ")"];
}

function layoutArgument(argument: Expression, indent: number): readonly string[] {
  const line = flatArgument(argument);
  if (indent + line.length <= WIDTH) return [line];
  const inner = withoutBrackets(argument);
  if (!needsBrackets(argument)) return layout(inner, indent);
  return ["(", ...indented(layout(inner, indent + 2)), ")"];
}

function layoutComparison(comparison: Comparison, indent: number): readonly string[] {
  const { left, operator, right } = comparison;
  const lines = layout(left, indent);
  if (right.kind !== "set") return withTail(lines, ` ${operator} ${rightText(comparison)}`);
  return [...withTail(lines, ` ${operator} {`), ...indented(right.items.map(itemText)), "}"];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

function withLead(lead: string, [first = "", ...rest]: readonly string[]): readonly string[] {
  return [lead + first, ...rest];
}

function withTail(lines: readonly string[], tail: string): readonly string[] {
  return [...lines.slice(0, -1), (lines.at(-1) ?? "") + tail];
}

/** An expression on one line. */
function flat(expression: Expression): string {
  switch (expression.kind) {
    case "group":
      return flat(expression.inner);
    case "logical":
      return operandsOf(expression).map(flatOperand).join(` ${expression.operator} `);
    case "not":
      return `not ${flatOperand(withoutBrackets(expression.operand))}`;
    case "comparison":
      return `${flat(expression.left)} ${expression.operator} ${rightText(expression)}`;
    case "field":
      return expression.name;
    case "index":
      return flat(expression.of) + keyText(expression);
    case "call":
      return `${expression.name}(${expression.arguments.map(flatArgument).join(", ")})`;
    case "string":
      return stringText(expression);
    case "int":
    case "bool":
      return String(expression.value);
    case "ip":
      return expression.value;
    default:
      return expression satisfies never;
  }
}

function flatOperand(operand: Expression): string {
  return operand.kind === "logical" ? `(${flat(operand)})` : flat(operand);
}

function flatArgument(argument: Expression): string {
  return needsBrackets(argument) ? `(${flat(argument)})` : flat(argument);
}

/** Joined conditions in an argument need brackets, and so does a value with `[*]` that was meant as a condition. */
function needsBrackets(argument: Expression): boolean {
  const inner = withoutBrackets(argument);
  return inner.kind === "logical" || (inner !== argument && eachIn(inner) > 0);
}

function withoutBrackets(expression: Expression): Expression {
  return expression.kind === "group" ? withoutBrackets(expression.inner) : expression;
}

/** The operands without their brackets. Those that the same operator joins are operands of this one too. */
function operandsOf(logical: Extract<Expression, { kind: "logical" }>): readonly Expression[] {
  return logical.operands.flatMap((operand) => {
    const inner = withoutBrackets(operand);
    return inner.kind === "logical" && inner.operator === logical.operator ? operandsOf(inner) : [inner];
  });
}

function keyText({ key }: Index): string {
  if (typeof key === "object") return "[*]";
  return `[${typeof key === "number" ? key : quoted(key)}]`;
}

function rightText({ operator, right }: Comparison): string {
  if (right.kind === "string" && operator === "matches") return stringText(right, quotedRegex);
  return right.kind === "set" || right.kind === "list" ? manyText(right) : flat(right);
}

function manyText(right: LiteralSet | NamedList): string {
  return right.kind === "list" ? `$${right.name}` : `{${right.items.map(itemText).join(" ")}}`;
}

function itemText(item: SetItem): string {
  if (item.kind === "range") return `${flat(item.from)}..${flat(item.to)}`;
  return item.kind === "network" ? `${item.address}/${item.bits}` : flat(item);
}

/** A raw string stays raw only if it would need escapes in quotes. */
function stringText({ value, hashes }: TextLiteral, quote: (value: string) => string = quoted): string {
  return hashes === undefined || !/["\\]/.test(value) ? quote(value) : raw(value);
}

function raw(value: string): string {
  let hashes = "";
  while (value.includes(`"${hashes}`)) hashes += "#";
  return `r${hashes}"${value}"${hashes}`;
}

/** In quotes, with the number of each byte that cannot be seen or is no text. */
function quoted(value: string): string {
  const escaped = value.replaceAll(/["\\\p{Cc}\udc80-\udcff]/gu, (unit) => {
    if (unit === '"' || unit === "\\") return `\\${unit}`;
    const code = unit.charCodeAt(0);
    if (code >= 0x80 && isText(unit)) return unit;
    return `\\x${(code & 0xff).toString(16).padStart(2, "0")}`;
  });
  return `"${escaped}"`;
}

/** A regular expression in quotes. Only a quote outside of `[…]` is escaped; all other backslashes are its own. */
function quotedRegex(value: string): string {
  let isInClass = false;
  const escaped = value.replaceAll(/\\[\s\S]|[[\]"]/g, (part) => {
    if (part === "[") isInClass = true;
    if (part === "]") isInClass = false;
    return part === '"' && !isInClass ? '\\"' : part;
  });
  return `"${escaped}"`;
}
