import { describe, expect, it } from "vitest";
import { type Expression, format, parse, parseValue } from "../../lib/rules.ts";
import { inFull } from "../support/full.ts";
import { randomExpression, randomFrom } from "./random.ts";

function formatted(text: string): string {
  const { expression, problems } = parse(text);
  expect(problems).toEqual([]);
  return expression === undefined ? "" : format(expression);
}

describe("the layout for people", () => {
  it.each([
    ["brackets that change nothing go", "((ssl) and ((not (ssl))))", "ssl and not ssl"],
    ["brackets stay where different operators meet", "ssl or ssl and ssl", "ssl or (ssl and ssl)"],
    ["brackets stay where they are needed", "not (ssl or ssl) and (ssl or ssl)", "not (ssl or ssl) and (ssl or ssl)"],
    ["what one operator joins is one list", "ssl and (ssl and (ssl and ssl))", "ssl and ssl and ssl and ssl"],
    ["operators are words", "ssl&&!ssl||ssl^^ssl", "(ssl and not ssl) or (ssl xor ssl)"],
    [
      "comparisons are words",
      'http.host=="a"&&cf.waf.score>=5&&cf.waf.score&1&&http.host~"x"',
      'http.host eq "a" and cf.waf.score ge 5 and cf.waf.score bitwise_and 1 and http.host matches "x"',
    ],
    ["a raw string that needs no escape is quoted", 'http.host eq r#"a.net"#', 'http.host eq "a.net"'],
    ["another one stays raw, with the fewest #", 'http.host matches r###"a\\."b"###', 'http.host matches r#"a\\."b"#'],
    [
      "bytes that cannot be seen are numbers",
      'http.host eq "\\x41\\012\\xff\\xc3\\xa9"',
      'http.host eq "A\\x0a\\xffé"',
    ],
    ["a quote in a regular expression", 'http.host matches "\\"[\\"]["]"', 'http.host matches "\\"[\\"]["]"'],
    ["numbers are decimal", "cf.waf.score in {0x1F 010 1..2}", "cf.waf.score in {31 8 1..2}"],
    [
      "joined conditions in an argument keep brackets",
      'any((http.request.headers.names[*]=="a")or(http.request.headers.names[*]=="b"))',
      'any((http.request.headers.names[*] eq "a" or http.request.headers.names[*] eq "b"))',
    ],
  ])("%s", (_, text, expected) => {
    expect(formatted(text)).toBe(expected);
  });

  it("what is longer than a line has a clause on each, and its operator leads", () => {
    const names = [
      "lists.example.com",
      "archive.example.com",
      "www.example.com",
      "shop.example.com",
      "api.example.com",
    ];
    const set = names.map((name) => `"${name}"`).join(" ");
    expect(
      formatted(`(http.host in {${set}} and not ssl) or (ip.src in {10.0.0.0/8} and cf.waf.score lt 20) or ssl`),
    ).toBe(
      `(
  http.host in {
    "lists.example.com"
    "archive.example.com"
    "www.example.com"
    "shop.example.com"
    "api.example.com"
  }
  and not ssl
)
or (ip.src in {10.0.0.0/8} and cf.waf.score lt 20)
or ssl`,
    );
  });

  it("a long call has an argument on each line", () => {
    const long = "x".repeat(60);
    const { expression } = parseValue(`concat("${long}", lower(http.host), "${long}")`);
    expect(expression && format(expression)).toBe(`concat(\n  "${long}",\n  lower(http.host),\n  "${long}"\n)`);
  });
});

describe("for every expression", () => {
  it("formatting keeps the meaning, and formatting again changes nothing", () => {
    let formattedOnes = 0;
    for (let seed = 1; seed <= inFull(100_000, 3000); seed += 1) {
      const text = randomExpression(randomFrom(seed));
      const before = parse(text).expression;
      if (before === undefined) continue;
      formattedOnes += 1;
      const once = format(before);
      const after = parse(once).expression;
      if (after === undefined) throw new Error(`seed ${seed}: ${once} is no expression`);
      if (meaning(after) !== meaning(before)) throw new Error(`seed ${seed}: ${text} is not ${once}`);
      if (format(after) !== once) throw new Error(`seed ${seed}: ${format(after)} was ${once}`);
    }
    expect(formattedOnes).toBeGreaterThan(inFull(70_000, 2100));
  });
});

/** What does not depend on how an expression was written. */
function meaning(expression: Expression): string {
  return JSON.stringify(bare(expression), (name, value: unknown) => {
    if (name === "span" || name === "written" || name === "hashes") return undefined;
    return typeof value === "bigint" ? String(value) : value;
  });
}

function bare(found: Expression): object {
  if (found.kind === "group") return bare(found.inner);
  if (found.kind === "logical") return { ...found, operands: operandsOf(found) };
  if (found.kind === "not") return { ...found, operand: bare(found.operand) };
  if (found.kind === "comparison") return { ...found, left: bare(found.left) };
  if (found.kind === "index") return { ...found, of: bare(found.of) };
  if (found.kind === "call") return { ...found, arguments: found.arguments.map(bare) };
  return found;
}

function operandsOf(logical: Extract<Expression, { kind: "logical" }>): readonly object[] {
  return logical.operands.flatMap((operand) => {
    let inner = operand;
    while (inner.kind === "group") inner = inner.inner;
    return inner.kind === "logical" && inner.operator === logical.operator ? operandsOf(inner) : [bare(inner)];
  });
}
