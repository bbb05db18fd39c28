import { expect, it } from "vitest";
import { format, parse, parseValue } from "../../lib/rules.ts";
import { inFull } from "../support/full.ts";
import { mutated, type Random, randomExpression, randomFrom } from "./random.ts";

it("no text makes the parser throw, and what it does not read has a problem at a place in the text", () => {
  for (let seed = 1; seed <= inFull(1_000_000, 5000); seed += 1) {
    const random = randomFrom(seed);
    const text = textOf(random);
    const read = seed % 4 === 0 ? parseValue : parse;
    const { expression, problems } = read(text, { lists: ["office"], phase: "http_request_firewall_custom" });
    const errors = problems.filter(({ isWarning }) => isWarning !== true);
    if ((expression === undefined) !== errors.length > 0) throw new Error(`seed ${seed}: ${JSON.stringify(text)}`);
    const place = problems.find(({ span: { start, end } }) => !(start >= 0 && start <= end && end <= text.length));
    if (place !== undefined) throw new Error(`seed ${seed}: ${JSON.stringify(text)}: ${JSON.stringify(place)}`);
    if (problems.some(({ message }) => message === "this is no expression")) throw new Error(`seed ${seed}: ${text}`);
    if (expression !== undefined) format(expression);
  }
  expect(true).toBe(true);
});

it("one mistake is reported once: a text of noise has no more problems than words", () => {
  for (let seed = 1; seed <= 1000; seed += 1) {
    const text = noise(randomFrom(seed), 40);
    expect(parse(text).problems.length).toBeLessThanOrEqual(text.length + 1);
  }
});

function textOf(random: Random): string {
  switch (random.below(4)) {
    case 0:
      return noise(random, 30);
    case 1:
      return mutated(random, mutated(random, mutated(random, randomExpression(random))));
    default:
      return mutated(random, randomExpression(random));
  }
}

/** Bits of expressions and of other things, in no order. */
function noise(random: Random, most: number): string {
  return Array.from({ length: random.below(most) }, () => mutated(random, "")).join(random.pick(["", " "]));
}
