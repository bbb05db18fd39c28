import { requestOf } from "../../lib/rules-language/evaluate/request.ts";
import type { Request, Value } from "../../lib/rules-language/evaluate/values.ts";
import { FIELDS } from "../../lib/rules-language/tables/fields.ts";
import type { Dice } from "../sim/dice.ts";

/** Few words, so that random expressions often match random requests. */
const WORDS = ["", "a", "A", "ab", "b", "/", "/a", "/ab/b", "a.b", "ä", "Ä€", "😀", "\uffee"] as const;
const PATTERNS = ["a", "^/a", "b$", "[ab]+", "a.b", "^(a|/)*$", "x?"] as const;
const WILDCARDS = ["*", "a*", "*b", "/*/b", "A", "*a*b*", ""] as const;
const ADDRESSES = ["192.0.2.1", "192.0.2.77", "10.1.2.3", "2001:db8::1", "2001:db8::ffff", "::1"] as const;
const NETWORKS = ["192.0.2.0/24", "192.0.2.64/26", "0.0.0.0/0", "2001:db8::/32", "::/0", "10.1.2.3/32"] as const;
const RANGES = ["192.0.2.1..192.0.2.9", "2001:db8::1..2001:db8::2"] as const;
const NUMBERS = ["0", "1", "2", "3", "7", "20", "443", "-5", "9223372036854775807"] as const;
const ORDERS = ["eq", "ne", "lt", "le", "gt", "ge", "==", "!=", "<", "<=", ">", ">="] as const;
const TEXTS = [
  "http.host",
  "http.request.uri.path",
  "http.request.uri.query",
  "cf.waf.score.class",
  "http.request.headers.names[0]",
  'http.request.headers["x-a"][1]',
  'http.request.uri.args["a"][0]',
] as const;
const NUMERIC = ["cf.waf.score", "cf.edge.server_port", "cf.bot_management.score"] as const;
const EACH = [
  "http.request.headers.names[*]",
  'http.request.headers["x-a"][*]',
  "http.request.headers[*][*]",
  "http.request.uri.args[*][0]",
  "cf.bot_management.tags[*]",
] as const;

/** A random condition, with brackets and functions up to a depth. */
export function randomCondition(dice: Dice, depth = 3): string {
  const kind = depth === 0 ? 0 : dice.below(9);
  if (kind < 4) return clause(dice);
  if (kind === 4)
    return `${dice.pick(["not ", "!", "not not "])}${dice.pick([clause(dice), `(${randomCondition(dice, depth - 1)})`])}`;
  if (kind < 7) return `${dice.pick(["any", "all"])}(${row(dice, depth - 1)})`;
  return joined(dice, () => randomCondition(dice, depth - 1));
}

/** Conditions that one operator joins, in brackets, so that it does not matter what stands beside them. */
function joined(dice: Dice, condition: () => string): string {
  const operands = Array.from({ length: 2 + dice.below(2) }, condition);
  return `(${operands.join(` ${dice.pick(["and", "or", "xor", "&&", "||", "^^"])} `)})`;
}

function clause(dice: Dice): string {
  const kind = dice.below(12);
  if (kind === 0) return dice.pick(["ssl", "true", "false", "cf.client.bot"]);
  if (kind === 1) return `${dice.pick(["starts_with", "ends_with"])}(${text(dice)}, ${quoted(dice)})`;
  if (kind < 5) return comparedNumber(dice, dice.pick([dice.pick(NUMERIC), `len(${text(dice)})`]));
  if (kind < 8) return comparedAddress(dice);
  return comparedText(dice, text(dice));
}

/** A condition for each element of an array. */
function row(dice: Dice, depth: number): string {
  if (depth > 0 && dice.chance(0.2)) return joined(dice, () => row(dice, depth - 1));
  if (depth > 0 && dice.chance(0.2)) return `not ${row(dice, 0)}`;
  const each = dice.pick(EACH);
  if (dice.chance(0.2)) return `starts_with(${each}, ${quoted(dice)})`;
  if (dice.chance(0.2)) return comparedNumber(dice, `len(${each})[*]`);
  return comparedText(dice, dice.pick([each, `lower(${each})[*]`]));
}

function text(dice: Dice): string {
  const field = dice.pick(TEXTS);
  if (dice.chance(0.6)) return field;
  return dice.pick([
    `lower(${field})`,
    `upper(${field})`,
    `concat(${field}, ${quoted(dice)}, ${dice.pick(TEXTS)})`,
    `substring(${field}, ${dice.below(5) - 2})`,
    `substring(${field}, 0, ${dice.below(4) - 1})`,
    `coalesce(${field}, ${quoted(dice)})`,
  ]);
}

function comparedText(dice: Dice, left: string): string {
  const kind = dice.below(8);
  if (kind === 0) return `${left} ${dice.pick(["matches", "~"])} r"${dice.pick(PATTERNS)}"`;
  if (kind === 1) return `${left} ${dice.pick(["wildcard", "strict wildcard"])} "${dice.pick(WILDCARDS)}"`;
  if (kind === 2) return `${left} in ${dice.pick(["$some", `{${quoted(dice)} ${quoted(dice)}}`])}`;
  if (kind === 3) return `${left} contains ${quoted(dice)}`;
  return `${left} ${dice.pick(ORDERS)} ${dice.pick([quoted(dice), quoted(dice), dice.pick(TEXTS)])}`;
}

function comparedNumber(dice: Dice, left: string): string {
  const number = dice.pick(NUMBERS);
  if (dice.chance(0.2)) return `${left} in {${number} ${dice.pick(["0..2", "3..7 5..20", "443"])}}`;
  return `${left} ${dice.pick([...ORDERS, "bitwise_and"])} ${number}`;
}

function comparedAddress(dice: Dice): string {
  const address = dice.pick(ADDRESSES);
  if (dice.chance(0.5)) return `ip.src ${dice.pick(ORDERS)} ${address}`;
  return `ip.src in {${dice.pick(NETWORKS)} ${dice.pick([address, dice.pick(RANGES)])}}`;
}

function quoted(dice: Dice): string {
  return `"${dice.pick(WORDS)}"`;
}

/** A random request, in which much is missing. */
export function randomRequest(dice: Dice): Request {
  const word = (): string => dice.pick(WORDS);
  const fields: [string, Value][] = [];
  if (dice.chance(0.5)) fields.push(["cf.waf.score", dice.pick([0, 1, 2, 3, 7, 20])]);
  if (dice.chance(0.5)) fields.push(["cf.waf.score.class", word()]);
  if (dice.chance(0.5)) fields.push(["cf.bot_management.tags", Array.from({ length: dice.below(3) }, word)]);
  const names = Array.from({ length: dice.below(4) }, () => dice.pick(["X-A", "x-a", "b", "host"]));
  return requestOf({
    url: `${dice.pick(["https", "http"])}://${word()}/${dice.pick(["", "a", "ab/b", "ä"])}${dice.pick(["", "?a=b", "?a&b=a&a=ab"])}`,
    headers: names.map((name) => [name, word()]),
    ...(dice.chance(0.8) && { address: dice.pick(ADDRESSES) }),
    fields: new Map(fields),
    isInList: (list, value) => list === "some" && (value === "a" || value === "/a"),
  });
}

/** A request in which each field has a value of any type, as a careless caller could make it. */
export function confusedRequest(dice: Dice): Request {
  const address = { bits: 32, value: 1n } as const;
  const map = new Map([["x-a", [true]]]);
  const values = ["", "a", 1, 1.5, -1n, true, address, [], ["a", 2], [[address]], map, [map]] as const;
  return { fields: new Map(Array.from(FIELDS.keys(), (name) => [name, dice.pick<Value>(values)])) };
}
