import { describe, expect, it } from "vitest";
import { parse, type Problem } from "../../lib/rules.ts";

/** A broken expression, its wrong parts between « and »; then for each of them what is said about it. */
type Broken = readonly [marked: string, ...messages: string[]];

const SYNTAX: readonly Broken[] = [
  ["«»", 'the expression is empty (write "true" to match every request)'],
  ["«(»ssl", "this ( is never closed (close it with a ))"],
  ["ssl«)»", "no bracket is open here (take this ) away, or open a ( before)"],
  ['starts_with«(»http.host, "a"', "this ( is never closed (close it with a ))"],
  [
    'any«(»http.request.headers«[»"a"',
    "this ( is never closed (close it with a ))",
    "this [ is never closed (close it with a ])",
  ],
  ['any(http.host in «{»"a")', "this set is never closed (close it with a })"],
  ['(lower(http.host) eq «"»a)', 'this string is never closed (close it with a ")'],
  ['http.host in «{»"a"', "this set is never closed (close it with a })"],
  ['http.host eq «"»a', 'this string is never closed (close it with a ")'],
  ['http.host eq «r#"»a"', 'this raw string is never closed (close it with "#)'],
  ["ssl and«»", "the expression ends too early (write a condition here)"],
  ["«and» ssl", "a condition is missing in front of and"],
  ["ssl or «or» ssl", "a condition is missing in front of or"],
  ["ssl «ssl»", "unexpected ssl"],
  ["ssl «AND» ssl", "operators are written in lower case (write and, or, xor or not)"],
  ["ssl «\t»and ssl", "a tab is not allowed here (write a blank)"],
  ["ssl «#» tls only", "an expression has no comments (use the description of the rule)"],
  ["(«)»", "unexpected )"],
  [
    "«5» eq http.host",
    'a comparison begins with a field or a function (write the field first, as in http.host eq "a.net")',
  ],
  ['http.host «=» "a"', "there is no operator = (use eq)"],
  ['http.host «equals» "a"', "there is no operator equals (use eq)"],
  ['http.host «starts_with» "a"', 'there is no operator starts_with (call the function: starts_with(http.host, "…"))'],
  ['http.host «not» in {"a"}', "there is no operator not (write not in front: not http.host …)"],
  ['http.host «strict»  wildcard "a"', "there is no operator strict (write strict wildcard, with one blank)"],
  ["http.host eq «'a'»", 'strings are written in straight double quotes (write "…")'],
  [
    'http.host in «(»"a")',
    "in needs a set in braces, or a list such as $office (write http.host in {…}, with blanks between the values)",
  ],
  ['http.host in {"a"«,» "b", "c"}', "a set has no commas (separate the values by blanks)"],
  ["ip.src in «1.2.3.0/24»", "in needs a set in braces, or a list such as $office (write in {1.2.3.0/24})"],
  [
    "ip.src eq «1.2.3.0/24»",
    "1.2.3.0/24 is more than one address, and only in compares with more than one (write in {1.2.3.0/24})",
  ],
  [
    "ip.src in {«1.2.3.4/24»}",
    "1.2.3.4 is no address of a network of 24 bits: it has bits behind them (clear the bits of the address behind the length, or lengthen it)",
  ],
  ["ip.src in {«1.2.3.0/33»}", 'the length of an IPv4 network is from 0 to 32, not "33"'],
  [
    "ip.src in {«1.2.3.9..1.2.3.4»}",
    "nothing is in the range 1.2.3.9..1.2.3.4: it ends before it begins (swap its ends)",
  ],
  [
    "ip.src in {«1.2.3.9..::1»}",
    "a range cannot begin with an IPv4 address and end with an IPv6 address, or the reverse",
  ],
  ["ip.src eq «01.2.3.4»", "01.2.3.4 is no IP address: a number in it begins with 0"],
  ["cf.waf.score in {«5..1»}", "nothing is in the range 5..1: it ends before it begins (swap its ends)"],
  [
    "cf.waf.score eq «08»",
    "08 begins with 0, which makes it an octal number, and 8 and 9 are no octal digits (write the number without the 0)",
  ],
  ["cf.waf.score eq «9223372036854775808»", "9223372036854775808 does not fit in 64 bits"],
  [
    'http.host eq "a«\\n»b"',
    '\\n is no escape of a quoted string: there are \\" and \\\\, \\x with two hexadecimal digits, and \\ with three octal digits up to \\377 (write \\\\n for a backslash, or a raw string such as r"\\n")',
  ],
  [
    'any(http.request.headers["a"][*] eq "b" «and» http.request.headers["c"][*] eq "d")',
    'conditions that are joined in an argument need brackets around them (write (http.request.headers["a"][*] eq "b" and …))',
  ],
  ['lower(http.host«,») eq "a"', "an argument is missing behind this comma"],
];

const TYPES: readonly Broken[] = [
  ["http.host eq «5»", 'http.host is a String: compare it with a string in quotes (write "5")'],
  [
    'ip.src eq «"1.2.3.4"»',
    "ip.src is an IP address: compare it with an IP address without quotes (take the quotes away)",
  ],
  ['cf.waf.score gt «"5"»', "cf.waf.score is an Integer: compare it with a whole number (take the quotes away)"],
  [
    "http.host eq «cf.waf.score»",
    "http.host is a String, and cf.waf.score is an Integer (compare values of the same type)",
  ],
  ['http.host in {"a" «5»}', "this set holds strings, and 5 is none (write it in quotes)"],
  ['ip.src «contains» "1."', "ip.src is an IP address, and contains works on strings (use eq, ne or in)"],
  ["http.host «&» 1", "http.host is a String, and bitwise_and works on whole numbers (use eq, contains or in)"],
  ["ssl «eq» true", "ssl is a Boolean, which is a condition by itself (write ssl or not ssl)"],
  ["«http.host» and ssl", "http.host is a String, and no condition (compare it with a value)"],
  [
    'http.request.headers["a"] «eq» "b"',
    'http.request.headers["a"] is an Array<String>, and eq compares single values (compare each element, as in any(http.request.headers["a"][*] eq …))',
  ],
  [
    '«http.request.headers["a"][*] eq "b"»',
    "this is a condition for each element, and a rule needs one for the request (put it into any(…) or all(…))",
  ],
  ['http.host«[0]» eq "a"', "http.host is a String, which has no elements"],
  [
    'http.request.headers«[0]» eq "a"',
    'http.request.headers is a Map<Array<String>>, which has no elements (write the key in quotes: ["…"])',
  ],
  ['lower(«"A"») eq "a"', "source of lower() has to be a field or a call, not a literal"],
  ['lower(«ssl») eq "a"', "source of lower() is a String, and this is a Boolean"],
  ['«lower()» eq "a"', "lower() has no argument, and needs 1 (write lower(source))"],
  ["any(«http.request.headers.names»)", "argument 1 of any() is an Array<Boolean>, and this is an Array<String>"],
  [
    "any(starts_with(http.host, «http.request.headers.names[*]»))",
    "[*] only stands in the first argument of a function, and this is argument 2",
  ],
  ['concat(http.host, «5») eq "a"', "argument 2 of concat() is a String or an Array, and this is an Integer"],
  ["cidr(ip.src, «0», 64) eq 1.2.3.0", "ipv4_network_bits of cidr() is a number from 1 to 32"],
];

const PATTERNS: readonly Broken[] = [
  [
    'http.host matches "a«(?=»b)"',
    "the service's regular expressions have no look-around (match the text itself, or join two conditions)",
  ],
  ['http.host matches "(a)«\\1»"', "the service's regular expressions have no references back"],
  ['http.host matches r#"a"«(»b"#', "this group is never closed (close it with a ))"],
  ['http.host matches "[a«z-b»]"', "this range ends before it begins (swap its ends)"],
  ['http.host wildcard "a«**»"', "a wildcard may not have two * in a row (write one *)"],
];

const NAMES: readonly Broken[] = [
  ['«http.request.uri.paht» eq "/"', 'unknown field "http.request.uri.paht" (did you mean "http.request.uri.path"?)'],
  ['«start_with»(http.host, "a")', 'unknown function "start_with" (did you mean "starts_with"?)'],
  ["ip.src in «$ofice»", "unknown list $ofice (did you mean $office?)"],
  ["ip.src in «$cf.anonymiser»", "unknown list $cf.anonymiser (did you mean $cf.anonymizer?)"],
  ['«HTTP.host» eq "a"', 'unknown field "HTTP.host" (did you mean "http.host"?)'],
  ['«lower» eq "a"', "lower is a function, and needs its arguments (write lower(…))"],
  ["«http.host»(ssl)", "http.host is a field, and no function (write http.host without brackets)"],
];

const MANY: readonly Broken[] = [
  [
    'http.host eq «5» and («ip.src.contry» eq "DE" or ssl «&» 1) and not lower(«"A"») eq "a" or http.host wildcard "«**»"',
    'http.host is a String: compare it with a string in quotes (write "5")',
    'unknown field "ip.src.contry" (did you mean "ip.src.country"?)',
    "ssl is a Boolean, which is a condition by itself (write ssl or not ssl)",
    "source of lower() has to be a field or a call, not a literal",
    "a wildcard may not have two * in a row (write one *)",
  ],
];

describe("what is wrong is said at its place, with a remedy where there is one", () => {
  for (const [marked, ...messages] of [...SYNTAX, ...TYPES, ...PATTERNS, ...NAMES, ...MANY]) {
    it(`finds what is wrong with ${marked}`, () => {
      const text = marked.replaceAll(/[«»]/g, "");
      const { expression, problems } = parse(text, { lists: ["office"] });
      expect([mark(text, problems), ...problems.map(told)]).toEqual([marked, ...messages]);
      expect(expression).toBeUndefined();
    });
  }
});

describe("names that are in no table", () => {
  it("a name that is close to none is a warning, and anything may stand beside it", () => {
    for (const text of [
      'new.field eq 5 or new.field contains "a"',
      "new.flag",
      'any(new.map["a"][*] in {"b"})',
      'sha512(http.host) eq "a"',
      'f(ssl, 5) eq "a"',
    ]) {
      const { expression, problems } = parse(text);
      expect(expression).toBeDefined();
      expect(problems.every(({ code, isWarning }) => code === "unknown-name" && isWarning === true)).toBe(true);
      expect(problems.length).toBeGreaterThan(0);
    }
  });

  it("with unknownNames: allow nothing is said about any name", () => {
    expect(
      parse('http.hots eq 5 and lowr(new.field) eq "a" and ip.src in $x', { unknownNames: "allow", lists: [] })
        .problems,
    ).toEqual([]);
  });

  it("a name that is not in the phase is a warning with the phases that have it", () => {
    const [problem] = parse("http.response.code eq 500", { phase: "http_request_firewall_custom" }).problems;
    expect(problem).toMatchObject({ code: "not-in-phase", isWarning: true, span: { start: 0, end: 18 } });
    expect(parse("http.response.code eq 500", { phase: "http_response_headers_transform" }).problems).toEqual([]);
  });
});

describe("limits", () => {
  it("4,096 bytes are accepted, and one more is not", () => {
    const longest = `http.host eq "${"a".repeat(4096 - 15)}"`;
    expect(parse(longest).problems).toEqual([]);
    expect(parse(` ${longest}`).problems.map(told)).toEqual([
      "the expression has 4097 bytes, at most 4096 are allowed (split the rule, or move values to a list)",
    ]);
    expect(parse(`http.host eq "${"é".repeat(2041)}"`).problems).toHaveLength(1);
  });

  it("brackets, calls and not are nested 128 times at most", () => {
    for (const [open, close] of [
      ["(", ")"],
      ["not ", ""],
      ["! ", ""],
    ]) {
      const nested = (depth: number): string => `${open?.repeat(depth)}ssl${close?.repeat(depth)}`;
      expect(parse(nested(128)).problems).toEqual([]);
      expect(parse(nested(129)).problems.map(({ code }) => code)).toEqual(["too-large"]);
      expect(parse(nested(1000)).problems.map(({ code }) => code)).toEqual(["too-large"]);
    }
  });

  it("a text of a megabyte is refused at once", () => {
    expect(parse("(".repeat(1e6)).problems.map(({ code }) => code)).toEqual(["too-large"]);
  });
});

function mark(text: string, problems: readonly Problem[]): string {
  return [...problems]
    .toSorted((one, other) => other.span.start - one.span.start)
    .reduce((marked, { span: { start, end } }) => {
      return `${marked.slice(0, start)}«${marked.slice(start, end)}»${marked.slice(end)}`;
    }, text);
}

function told({ message, remedy }: Problem): string {
  return remedy === undefined ? message : `${message} (${remedy})`;
}
