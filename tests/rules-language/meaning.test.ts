import { describe, expect, it } from "vitest";
import type { Expression } from "../../lib/rules-language/ast.ts";
import { compareReach, type Reach } from "../../lib/rules-language/meaning.ts";
import { parse } from "../../lib/rules-language/parser.ts";
import { compile } from "../../lib/rules-language/evaluate/evaluate.ts";
import { type Dice, diceOf } from "../sim/dice.ts";
import { inFull } from "../support/full.ts";
import { EVERYDAY_EDITS } from "./everyday-edits.ts";
import { randomCondition, randomRequest } from "./random-requests.ts";

function read(text: string): Expression {
  const { expression, problems } = parse(text);
  if (expression === undefined) throw new Error(`${text}: ${JSON.stringify(problems)}`);
  return expression;
}

describe.each(Object.entries(EVERYDAY_EDITS))("what an edit means: %s", (_sort, edits) => {
  it.each(edits)("%s -> %s: %s", (before, after, reach) => {
    expect(compareReach(read(before), read(after))).toBe(reach);
  });
});

/** Half of the pairs are edits of each other, so that many of them are related. */
function randomPair(dice: Dice): readonly [string, string] {
  const [one, other] = [randomCondition(dice, 1), randomCondition(dice, 1)];
  const joined = dice.pick([
    `(${one}) and (${other})`,
    `(${one}) or (${other})`,
    `not (${one})`,
    `(${one}) xor (${other})`,
  ]);
  const pair = dice.pick([
    [one, other],
    [one, joined],
    [joined, one],
    [joined, dice.pick([`(${other}) and (${one})`, `(${other}) or (${one})`, `not ((${one}) or (${other}))`])],
  ] as const);
  return pair;
}

/** What each answer says about a request, by whether the rule matched it before and matches it now. */
const HOLDS: Readonly<Record<Reach, (before: boolean, after: boolean) => boolean>> = {
  every: (_before, after) => after,
  none: (_before, after) => !after,
  same: (before, after) => before === after,
  more: (before, after) => after || !before,
  fewer: (before, after) => before || !after,
  other: () => true,
  unknown: () => true,
};

it(`what an edit means is true for every request, in ${inFull(100_000, 2000)} random pairs`, () => {
  const dice = diceOf(27);
  // Each request comes from an address.
  const hasAddress = compile(read("ip.src in {0.0.0.0/0 ::/0}"));
  const requests = Array.from({ length: 80 }, () => randomRequest(dice)).filter(hasAddress);
  const found = new Map<Reach, number>();
  for (let count = 0; count < inFull(100_000, 2000); count += 1) {
    const pair = randomPair(dice);
    const [before, after] = [read(pair[0]), read(pair[1])];
    const reach = compareReach(before, after);
    found.set(reach, (found.get(reach) ?? 0) + 1);
    const [was, is] = [compile(before), compile(after)];
    for (const request of requests)
      if (!HOLDS[reach](was(request), is(request))) expect.fail(`${pair.join(" -> ")}: ${reach}`);
  }
  // No answer is so rare that nothing was tested.
  for (const reach of ["every", "none", "same", "more", "fewer", "other", "unknown"] as const)
    expect(found.get(reach), reach).toBeGreaterThan(4);
});

const NAMES = 'http.request.headers.names[*] eq "a"';
const X = 'http.request.headers["x"][*] eq "b"';

// A row over two arrays is as long as the shorter one, so it can lose what the longer one has.
it.each([
  [`any(${NAMES})`, `any((${NAMES} or ${X}))`],
  [`any(${NAMES}) or any(${X})`, `any((${NAMES} or ${X}))`],
  [`not any((${NAMES} or ${X}))`, `not any(${NAMES}) and not any(${X})`],
  // Characters that stand for something in a proof.
  ['http.request.uri.path eq "/"', 'http.request.uri.path matches "\u{FFFFD}/"'],
  ['http.host wildcard "/a*b"', 'http.host wildcard "/a*b" and http.host contains "\u{FFFFF}"'],
])("nothing is proven of %s -> %s", (before, after) => {
  expect(["unknown", "fewer"]).toContain(compareReach(read(before), read(after)));
});

it("a proof ends soon, whatever it is about", () => {
  const long = (joint: string, clause: (index: number) => string, count: number): string =>
    Array.from({ length: count }, (_item, index) => clause(index)).join(joint);
  const host = (index: number): string => `http.host eq "${index}"`;
  const either = (index: number): string => `(http.host contains "a${index}" or http.host contains "b${index}")`;
  const set = `any(http.request.headers["x"][*] in {${long(" ", (index) => `"${index}"`, 300)}})`;
  for (const text of [long(" xor ", host, 100), long(" and ", either, 60), `${set} and not ssl`])
    expect(compareReach(read(text), read(`${text} and ssl`))).toMatch(/^(?:fewer|unknown|none)$/);
});
