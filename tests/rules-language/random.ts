import { FIELDS, type Type } from "../../lib/rules.ts";

/** A source of random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 up to, and without, a limit. */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  /** Whether something with a probability in percent happens. */
  chance(percent: number): boolean;
}

/** Random choices from a seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return {
    below,
    pick: (from) => {
      const found = from[below(from.length)];
      if (found === undefined) throw new Error("there is nothing to pick from");
      return found;
    },
    chance: (percent) => below(100) < percent,
  };
}

/** A random condition that the service accepts, except where its own limits are narrower. */
export function randomExpression(random: Random, depth = 4): string {
  if (depth > 0 && random.chance(55)) {
    const operator = random.pick(["and", "or", "xor", "&&", "||", "^^"]);
    const operands = Array.from({ length: 2 + random.below(3) }, () => operand(random, depth - 1));
    return operands.join(`${space(random)}${operator}${space(random)}`);
  }
  return operand(random, depth - 1);
}

/** A regular expression of pieces in no order, which is most often a wrong one. */
export function randomPattern(random: Random): string {
  const pieces = Array.from({ length: 1 + random.below(8) }, () => random.pick(random.chance(50) ? PARTS : BITS));
  return pieces.join("").replaceAll('"', "");
}

/** The same text with one or two small mistakes, which may leave it valid. */
export function mutated(random: Random, text: string): string {
  let result = text;
  for (let times = 1 + random.below(2); times > 0; times -= 1) {
    const at = random.below(result.length + 1);
    const end = Math.min(result.length, at + 1 + random.below(random.chance(70) ? 2 : 12));
    const part = random.pick([random.pick(BITS), result.slice(at, end).repeat(2), result.slice(at, end), ""]);
    result = result.slice(0, at) + part + result.slice(random.chance(50) ? at : end);
  }
  return result;
}

/** What makes a difference for the parser, anywhere. */
const BITS = [
  ...`( ) [ ] { } " \\ # $ * , . .. / : :: & && | ^^ ~ ! = == != < >= ' - é ☁ \u{1f600} 0 -1 08 0x 0xff r" r#" "#`.split(
    " ",
  ),
  ...'and or xor not any( all( lower( in eq matches wildcard strict true false ssl http.host ip.src [*] [0] ["a"]'.split(
    " ",
  ),
  ...'{1..2} 1.2.3.4 10.0.0.0/8 $list "a" (?i) (?= \\d \\p{L} \\x41 \\x \\1 a{2} a{,2} [a-z [[:alpha:]] **'.split(" "),
  " ",
  "\n",
  "\t",
  "\r",
  "\0",
];

const FIELDS_BY_TYPE = {
  bool: fieldsOf("bool"),
  int: fieldsOf("int"),
  string: fieldsOf("string"),
  ip: fieldsOf("ip"),
};

function fieldsOf(type: Type): readonly string[] {
  return [...FIELDS].filter(([, entry]) => entry.type === type && entry.packets !== "only").map(([name]) => name);
}

const MAPS = ["http.request.headers", "http.request.uri.args", "http.request.cookies", "http.request.body.form"];
const LISTS = ["http.request.headers.names", "http.request.uri.args.values", "http.request.accepted_languages"];

function space(random: Random): string {
  return random.pick([" ", " ", " ", " ", "  ", "\n", "\r\n "]);
}

function operand(random: Random, depth: number): string {
  if (depth > 0 && random.chance(20)) return `(${gap(random)}${randomExpression(random, depth)}${gap(random)})`;
  if (depth > 0 && random.chance(15))
    return `${random.pick(["not ", "not  ", "!", "! "])}${operand(random, depth - 1)}`;
  return clause(random, depth);
}

function gap(random: Random): string {
  return random.chance(80) ? "" : space(random);
}

function clause(random: Random, depth: number): string {
  switch (random.below(12)) {
    case 0:
      return random.pick(FIELDS_BY_TYPE.bool);
    case 1:
      return `${random.pick(["starts_with", "ends_with"])}(${textValue(random, depth)}, ${quoted(random)})`;
    case 2:
    case 3:
      return `${random.pick(["any", "all"])}(${gap(random)}${eachCondition(random, depth)}${gap(random)})`;
    case 4:
    case 5:
      return compared(random, random.pick(FIELDS_BY_TYPE.ip), "ip");
    case 6:
    case 7:
      return compared(random, numberValue(random, depth), "int");
    default:
      return compared(random, textValue(random, depth), "string");
  }
}

function eachCondition(random: Random, depth: number): string {
  if (depth > 0 && random.chance(15)) return `not ${eachCondition(random, depth - 1)}`;
  if (depth > 0 && random.chance(15)) {
    const operator = random.pick(["and", "or", "||", "xor"]);
    return `(${eachCondition(random, depth - 1)} ${operator} ${eachCondition(random, depth - 1)})`;
  }
  if (random.chance(15)) return `${random.pick(["starts_with", "ends_with"])}(${each(random)}, ${quoted(random)})`;
  if (random.chance(20)) return compared(random, `len(${each(random)})[*]`, "int");
  return compared(random, random.chance(30) ? `lower(${each(random)})[*]` : each(random), "string");
}

function each(random: Random): string {
  const map = random.pick(MAPS);
  return random.pick([`${random.pick(LISTS)}[*]`, `${map}[${key(random)}][*]`, `${map}[*][*]`, `${map}[*][0]`]);
}

function key(random: Random): string {
  return quoted(random);
}

function textValue(random: Random, depth: number): string {
  if (depth > 0 && random.chance(20)) {
    const inner = textValue(random, depth - 1);
    return random.pick([
      `lower(${inner})`,
      `upper (${inner})`,
      `url_decode(${inner})`,
      `concat(${inner}, ${quoted(random)})`,
      `substring(${inner}, ${random.below(5)}, -1)`,
      `remove_bytes(${inner}, ${quoted(random)})`,
    ]);
  }
  if (random.chance(15)) return `${random.pick(MAPS)}[${key(random)}][${random.below(3)}]`;
  if (random.chance(5)) return `${random.pick(LISTS)}[${random.pick(["0", "0x1", " 7 "])}]`;
  return random.pick(FIELDS_BY_TYPE.string);
}

function numberValue(random: Random, depth: number): string {
  return random.chance(25) ? `len(${textValue(random, depth - 1)})` : random.pick(FIELDS_BY_TYPE.int);
}

function compared(random: Random, value: string, type: "string" | "int" | "ip"): string {
  if (random.chance(30)) {
    if (random.chance(20)) return `${value} in $${random.pick(["office", "cf.anonymizer", "a1_b"])}`;
    const items = Array.from({ length: random.below(5) }, () => item(random, type));
    return `${value} in {${items.join(space(random))}}`;
  }
  if (type === "string" && random.chance(50)) return patterned(random, value);
  if (type === "int" && random.chance(10)) return `${value} ${random.pick(["&", "bitwise_and"])} ${number(random)}`;
  const equal = ["eq", "ne", "==", "!="];
  const operator = random.pick(type === "ip" ? equal : [...equal, "lt", "le", "gt", "ge", "<", "<=", ">", ">="]);
  return `${value}${random.chance(90) ? " " : ""}${operator}${random.chance(90) ? " " : ""}${literal(random, type)}`;
}

function patterned(random: Random, value: string): string {
  switch (random.below(4)) {
    case 0:
      return `${value} contains ${quoted(random)}`;
    case 1:
      return `${value} ${random.pick(["wildcard", "strict wildcard"])} ${random.pick(['"*"', '"a*b"', 'r"\\*\\\\*"', '"\\\\*x"'])}`;
    default:
      return `${value} ${random.pick(["matches", "~"])} ${random.chance(50) ? `r##"${regex(random, 3)}"##` : `"${regex(random, 3)}"`}`;
  }
}

function literal(random: Random, type: "string" | "int" | "ip"): string {
  return type === "string" ? quoted(random) : type === "int" ? number(random) : address(random);
}

function item(random: Random, type: "string" | "int" | "ip"): string {
  if (type === "string") return quoted(random);
  if (type === "int") {
    const from = random.below(100);
    return random.chance(60) ? number(random) : `${from}..${from + random.below(100)}`;
  }
  const last = random.below(200);
  return random.pick([
    address(random),
    `10.${random.below(256)}.0.0/16`,
    "2001:db8::/32",
    `192.0.2.${last}..192.0.2.${last + random.below(50)}`,
    "::1..::ff",
    "10/8",
  ]);
}

function number(random: Random): string {
  return random.pick(["0", "1", "-7", "42", "0x1F", "010", String(random.below(1_000_000)), "-9223372036854775808"]);
}

function address(random: Random): string {
  const four = Array.from({ length: 4 }, () => random.below(256)).join(".");
  return random.pick([four, "::", "::1", "2001:db8::a", "fe80:0:0:0:1:2:3:4", "::ffff:1.2.3.4", "1::"]);
}

const LETTERS = [..."a b z / . - _ é ☁ # ' { } ( ) *".split(" "), " "];

function quoted(random: Random): string {
  const letters = Array.from({ length: random.below(8) }, () => random.pick(LETTERS)).join("");
  switch (random.below(8)) {
    case 0:
      return `"${letters}\\"\\\\"`;
    case 1:
      return `"\\x41\\101${letters}\\xff\\xc3\\xa9"`;
    case 2:
      return `r"${letters.replaceAll("#", "")}\\"`;
    case 3:
      return `r#"${letters}"b"#`;
    default:
      return `"${letters}"`;
  }
}

/** A regular expression, most often a valid one. It has no quotes. */
function regex(random: Random, depth: number): string {
  const parts = Array.from({ length: 1 + random.below(4) }, () => regexPart(random, depth));
  return parts.join(random.chance(20) ? "|" : "");
}

function regexPart(random: Random, depth: number): string {
  if (depth > 0 && random.chance(25)) {
    const open = random.pick(["(", "(?:", "(?i:", "(?P<n>", "(?<m>", "(?s-i:", "(?u:", "(?x: ", "(?i)(", "(?=", "(?!"]);
    return `${open}${regex(random, depth - 1)})${random.chance(30) ? repetition(random) : ""}`;
  }
  const part = random.pick(PARTS);
  return random.chance(25) ? part + repetition(random) : part;
}

const PARTS = [
  ..."a b / - é \\. \\d \\W \\s \\b ^ $ . \\/ \\- \\x41 \\x{e9} \\n } ] \\< \\z \\Z \\1 { a{2} b{1,} c{0,3} \\b{start}".split(
    " ",
  ),
  ..."[a-z] [^/] [a-z0-9_.-] [[:alpha:]_] [^\\d\\s] [a&&b] []a] [\\]\\\\] [a-\\d] [z-a] [^\\x80-\\xff] [é]".split(" "),
  ..."\\p{L} \\u00e9 \\cA \\pN".split(" "),
];

function repetition(random: Random): string {
  return random.pick(["*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{2,}", "{3,1}", "{,3}", "{}", "{x}", "**", "{1000}"]);
}
