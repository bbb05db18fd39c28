import { describe, expect, it } from "vitest";
import { parse, parseValue } from "../../lib/rules-language/parser.ts";
import { typeName } from "../../lib/rules-language/types.ts";
import { documented } from "./corpus.ts";

/** The type of a text, or where its first mistake is. */
function resultOf(text: string, isCondition: boolean) {
  const { expression, problems } = (isCondition ? parse : parseValue)(text);
  const mistake = problems.find(({ isWarning }) => !isWarning);
  return mistake === undefined ? { type: expression && typeName(expression.type) } : { wrong: mistake.span };
}

describe("expressions of the documentation", () => {
  const examples = documented();

  it("there are at least 250", () => {
    expect(new Set(examples.map(({ text }) => text)).size).toBeGreaterThanOrEqual(250);
  });

  it.each(examples)("$page: $text", ({ text, type, wrong }) => {
    const isCondition = type === undefined || type === "Boolean";
    expect(resultOf(text, isCondition)).toEqual(wrong === undefined ? { type } : { wrong });
  });
});

const ORDER = ["eq", "==", "ne", "!=", "lt", "<", "le", "<=", "gt", ">", "ge", ">="];
const TEXT = ["contains", "matches", "~", "wildcard", "strict wildcard"];
const BITS = ["bitwise_and", "&"];

/** A field of each type, a literal of it and a set, and the operators that the documentation or the service's parser knows. */
const TYPES = [
  { type: "String", field: "http.host", literal: '"a"', set: '{"a" "b"}', operators: [...ORDER, ...TEXT, "in"] },
  { type: "Integer", field: "cf.waf.score", literal: "1", set: "{1 3..5}", operators: [...ORDER, ...BITS, "in"] },
  { type: "IP address", field: "ip.src", literal: "192.0.2.1", set: "{192.0.2.0/24 ::1}", operators: [...ORDER, "in"] },
  { type: "Boolean", field: "ssl", literal: "true", set: "{true}", operators: [] },
  { type: "Array<String>", field: "http.request.headers.names", literal: '"a"', set: '{"a"}', operators: [] },
  { type: "Map<Array<String>>", field: "http.request.headers", literal: '"a"', set: '{"a"}', operators: [] },
];

/** An operator with what it needs on its right. */
function comparison({ field, literal, set }: (typeof TYPES)[number], operator: string): readonly string[] {
  if (operator === "in") return [`${field} in ${set}`, `${field} in $a_list`];
  if (TEXT.includes(operator)) return [`${field} ${operator} "a"`];
  return [`${field} ${operator} ${BITS.includes(operator) ? "1" : literal}`];
}

describe("operators and types", () => {
  it.each(TYPES)("$type: the operators of the type, and no others", (row) => {
    for (const operator of [...ORDER, ...TEXT, ...BITS, "in"]) {
      const start = row.field.length + 1;
      const isKnown = row.operators.includes(operator);
      const expected = isKnown ? { type: "Boolean" } : { wrong: { start, end: start + operator.length } };
      for (const text of comparison(row, operator)) expect([text, resultOf(text, true)]).toEqual([text, expected]);
    }
  });

  it.each(TYPES.filter(({ operators }) => operators.length > 0))(
    "$type: literals of the type, and no others",
    (row) => {
      for (const literal of ['"a"', "1", "192.0.2.1", "true"]) {
        const text = `${row.field} eq ${literal}`;
        const start = text.length - literal.length;
        const expected = literal === row.literal ? { type: "Boolean" } : { wrong: { start, end: text.length } };
        expect([text, resultOf(text, true)]).toEqual([text, expected]);
      }
    },
  );

  it.each(TYPES)("$type: each of its elements or parts in a value", ({ field, type }) => {
    expect(resultOf(field, false)).toEqual({ type });
  });
});
