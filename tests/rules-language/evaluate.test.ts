import { describe, expect, it } from "vitest";
import { compile } from "../../lib/rules-language/evaluate/evaluate.ts";
import { requestOf, type RequestInput } from "../../lib/rules-language/evaluate/request.ts";
import { format } from "../../lib/rules-language/format.ts";
import { parse } from "../../lib/rules-language/parser.ts";
import { diceOf } from "../sim/dice.ts";
import { inFull } from "../support/full.ts";
import { evaluateAgain } from "./second-evaluator.ts";
import { confusedRequest, randomCondition, randomRequest } from "./random-requests.ts";

function read(text: string) {
  const { expression, problems } = parse(text);
  if (expression === undefined) throw new Error(`${text}: ${JSON.stringify(problems)}`);
  return expression;
}

/** A request, and the conditions that it meets. */
const MET: readonly (readonly [what: string, input: RequestInput, conditions: readonly string[]])[] = [
  [
    "a missing value meets no comparison, and its negation is met",
    { url: "/" },
    [
      'not cf.waf.score.class eq "a"',
      'not cf.waf.score.class ne "a"',
      'not cf.waf.score.class in {"a"}',
      "not cf.waf.score < 5",
      'not http.request.headers["x"][0] ne http.request.headers["x"][0]',
      'not starts_with(http.request.headers["x"][0], "")',
    ],
  ],
  [
    "a comparison over an array that is missing has no elements",
    { url: "/" },
    [
      'not any(http.request.headers["x"][*] eq "a")',
      'all(http.request.headers["x"][*] eq "a")',
      'not any(starts_with(http.request.headers["x"][*], "a"))',
      'not all(starts_with(http.request.headers["x"][*], "a"))',
      'not len(http.request.headers["x"]) ge 0',
    ],
  ],
  ["a header that is missing is empty in its field", { url: "/" }, ['http.user_agent eq "" and http.referer eq ""']],
  [
    "texts are compared by their bytes",
    {
      url: "/",
      headers: [
        ["a", "\uffee"],
        ["b", "😀"],
        ["c", "ä"],
      ],
    },
    [
      'http.request.headers["a"][0] lt http.request.headers["b"][0]',
      'http.request.headers["c"][0] contains "\\xa4"',
      'http.request.headers["c"][0] contains "\\xc3"',
      'starts_with(http.request.headers["c"][0], "\\xc3")',
      'ends_with(http.request.headers["c"][0], "\\xa4")',
      'http.request.headers["c"][0] eq "\\xc3\\xa4"',
      'http.request.headers["c"][0] matches "^..$"',
      'http.request.headers["c"][0] matches "(?u)^.$"',
      'http.request.headers["c"][0] matches "^ä{1}$"',
      'http.request.headers["c"][0] matches r"^\\u00e4+$"',
      'http.request.headers["c"][0] matches r"^\\xc3\\xa4$"',
      'substring(http.request.headers["c"][0], 1) eq "\\xa4"',
      'http.request.headers["c"][0] strict wildcard "\\xc3*"',
    ],
  ],
  [
    "wildcards match a whole text, whatever its case unless they are strict",
    { url: "https://Example.com/a/b*c\\" },
    [
      'http.host wildcard "*.COM"',
      'not http.host strict wildcard "*.COM"',
      'http.host strict wildcard "E*e*.com"',
      'not http.host wildcard "xample*"',
      'http.request.uri.path wildcard r"/a/b\\*c\\\\"',
      'not http.request.uri.path wildcard r"/a\\*\\\\"',
      'not http.host wildcard "Example.com*Example.com"',
    ],
  ],
  [
    "regular expressions have the dialect of the service",
    { url: "/x-1Ab" },
    [
      'http.request.uri.path matches "(?i)X-\\d[a-z]+"',
      'http.request.uri.path matches r"^/\\u{78}-\\x31\\u0041b$"',
      'http.request.uri.path matches r"(?i-u:XAB)|(?-u)1A"',
      'http.request.uri.path matches r"^/x-1[\\u0041-\\u{43}]b$"',
      'http.request.uri.path matches r"[[:alpha:]]-[0-9]"',
      'not http.request.uri.path matches r"x-[0-9--2]"',
      'not http.request.uri.path matches r"\\<x"',
    ],
  ],
  [
    "addresses of different versions differ, and have no order",
    { url: "/", address: "192.0.2.9" },
    [
      "ip.src ne ::1",
      "not ip.src lt ::1",
      "not ip.src ge ::1",
      "ip.src gt 192.0.2.1",
      "ip.src in {192.0.2.0/28}",
      "not ip.src in {192.0.2.8/32}",
      "not ip.src in {::/0}",
      "ip.src in {10.0.0.0/8 192.0.2.7..192.0.2.9 192.0.2.8..192.0.2.8}",
    ],
  ],
  [
    "numbers have 64 bits",
    { url: "/", fields: new Map([["cf.waf.score", 9_223_372_036_854_775_807n]]) },
    [
      "cf.waf.score eq 9223372036854775807",
      "not cf.waf.score eq 9223372036854775806",
      "cf.waf.score in {1 9223372036854775806..9223372036854775807}",
      "cf.waf.score & 1",
    ],
  ],
  [
    "the examples of the documentation",
    { url: "https://example.com/?filter=waf&filter=botm&filter=cdn" },
    [
      'all(len(http.request.uri.args["filter"][*])[*] in {3 4})',
      'not all(not len(http.request.uri.args["filter"][*])[*] in {3 4})',
      'len(http.request.uri.args["filter"]) >= 0',
      'not len(http.request.uri.args["order"]) >= 0',
      'http.request.full_uri wildcard "https://example.com/*"',
    ],
  ],
  [
    "over elements, what is missing for one is left out, and conditions are joined one by one",
    {
      url: "/",
      headers: [
        ["x", "!"],
        ["x", "YQ"],
      ],
    },
    [
      'all(decode_base64(http.request.headers["x"][*])[*] eq "a")',
      'any((http.request.headers["x"][*] eq "!" and len(http.request.headers["x"][*])[*] eq 1))',
      'not any((http.request.headers["x"][*] eq "!" and len(http.request.headers["x"][*])[*] eq 2))',
      'all((http.request.headers["x"][*] ne "" xor len(http.request.headers["x"][*])[*] ge 1 xor len(http.request.headers["x"][*])[*] ge 1))',
    ],
  ],
  [
    "named lists are the world's",
    { url: "/", address: "192.0.2.9", isInList: (list) => list === "office" },
    ["ip.src in $office", "not ip.src in $home"],
  ],
];

describe.each(MET)("%s", (_, input, conditions) => {
  it.each(conditions)("%s", (condition) => {
    expect(compile(read(condition))(requestOf(input))).toBe(true);
  });
});

const EXPRESSIONS = inFull(10_000, 200);
const REQUESTS_OF_EACH = 10;

it(`agrees with a second implementation on ${EXPRESSIONS * REQUESTS_OF_EACH} pairs, also in the formatter's layout`, () => {
  const dice = diceOf(27);
  let met = 0;
  for (let number = 0; number < EXPRESSIONS; number += 1) {
    const text = randomCondition(dice);
    const expression = read(text);
    const conditions = [compile(expression), compile(read(format(expression)))];
    for (let of = 0; of < REQUESTS_OF_EACH; of += 1) {
      const request = randomRequest(dice);
      const expected = evaluateAgain(expression, request);
      met += Number(expected);
      const found = conditions.map((isMet) => isMet(request));
      if (found.includes(!expected)) expect([text, request.fields, found]).toEqual([text, request.fields, expected]);
    }
  }
  // Both answers come often enough.
  expect(met / EXPRESSIONS / REQUESTS_OF_EACH).toBeGreaterThan(0.25);
  expect(met / EXPRESSIONS / REQUESTS_OF_EACH).toBeLessThan(0.75);
});

it("never throws, whatever the values of the fields are", () => {
  const dice = diceOf(28);
  for (let number = 0; number < inFull(10_000, 300); number += 1) {
    expect(typeof compile(read(randomCondition(dice)))(confusedRequest(dice))).toBe("boolean");
  }
});
