/** What an expression says, as far as a comparison needs it. An atom is a comparison or a call, in one spelling. */
type Term =
  | { readonly sort: "atom"; readonly text: string }
  | { readonly sort: "not"; readonly inner: Term }
  | { readonly sort: "and" | "or" | "xor"; readonly parts: readonly Term[] };

/** An expression that is nested deeper than this is compared as a whole. */
const DEEPEST = 16;

/**
 * Whether every request that the first expression matches is matched by the second as well. `true` is proven; `false` only
 * says that no proof was found.
 */
export function implies(first: string, second: string): boolean {
  return follows(termOf(first), termOf(second));
}

function follows(from: Term, to: Term): boolean {
  if (isSame(from, to) || isAtom(to, "true") || isAtom(from, "false")) return true;
  if (from.sort === "or") return from.parts.every((part) => follows(part, to));
  if (to.sort === "and") return to.parts.every((part) => follows(from, part));
  if (from.sort === "and" && from.parts.some((part) => follows(part, to))) return true;
  if (to.sort === "or" && to.parts.some((part) => follows(from, part))) return true;
  if (from.sort === "not" && to.sort === "not") return follows(to.inner, from.inner);
  return from.sort === "atom" && to.sort === "atom" && isWithin(from.text, to.text);
}

function isSame(one: Term, other: Term): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isAtom(term: Term, text: string): boolean {
  return term.sort === "atom" && term.text === text;
}

/** `field eq "a"` lies within `field in {"a" "b"}`, which lies within a larger set of the same field. */
function isWithin(from: string, to: string): boolean {
  const [inner, outer] = [membership(from), membership(to)];
  return inner !== undefined && outer?.field === inner.field && [...inner.values].every((one) => outer.values.has(one));
}

function membership(text: string): { field: string; values: ReadonlySet<string> } | undefined {
  const parts = text.split("\n");
  const [field = "", operator, opening] = parts;
  if (parts.length === 3 && opening !== undefined && (operator === "eq" || operator === "=="))
    return { field, values: new Set([opening]) };
  if (operator !== "in" || opening !== "{" || parts.at(-1) !== "}") return undefined;
  return { field, values: new Set(parts.slice(3, -1)) };
}

const TOKEN = /\s+|r(#*)".*?"\1|"(?:[^"\\]|\\.)*"|[\w.:/*-]+|&&|\|\||\^\^|[!=<>~]=|[^\s]/gsy;

/** What stands between terms, the loosest first: `or`, then `xor`, then `and`. */
const LEVELS = [
  { sort: "or", words: ["or", "||"] },
  { sort: "xor", words: ["xor", "^^"] },
  { sort: "and", words: ["and", "&&"] },
] as const;

const WORDS: readonly string[] = LEVELS.flatMap(({ words }) => words);

/** The expression as terms; one that cannot be taken apart is one atom, which only implies itself. */
function termOf(expression: string): Term {
  const tokens = [...expression.matchAll(TOKEN)].map(([token]) => token).filter((token) => token.trim() !== "");
  const reader = { tokens, at: 0 };
  const term = readLevel(reader, 0, 0);
  return term && reader.at === tokens.length ? term : { sort: "atom", text: tokens.join("\n") };
}

interface Reader {
  readonly tokens: readonly string[];
  at: number;
}

function readLevel(reader: Reader, level: number, depth: number): Term | undefined {
  const operator = LEVELS[level];
  if (!operator) return readOne(reader, depth);
  const parts: Term[] = [];
  do {
    const part = readLevel(reader, level + 1, depth);
    if (!part) return undefined;
    parts.push(part);
  } while (accept(reader, operator.words));
  const [only, another] = parts;
  return another === undefined ? only : { sort: operator.sort, parts };
}

function accept(reader: Reader, words: readonly string[]): boolean {
  const isThere = words.includes(reader.tokens[reader.at] ?? "");
  if (isThere) reader.at += 1;
  return isThere;
}

function readOne(reader: Reader, depth: number): Term | undefined {
  if (depth > DEEPEST) return undefined;
  if (accept(reader, ["not", "!"])) {
    const inner = readOne(reader, depth + 1);
    return inner && { sort: "not", inner };
  }
  if (!accept(reader, ["("])) return readAtom(reader);
  const inner = readLevel(reader, 0, depth + 1);
  return inner && accept(reader, [")"]) ? inner : undefined;
}

/** All tokens up to the next word between terms; brackets of calls and sets belong to it. */
function readAtom(reader: Reader): Term | undefined {
  const from = reader.at;
  let open = 0;
  for (; reader.at < reader.tokens.length; reader.at += 1) {
    const token = reader.tokens[reader.at] ?? "";
    if (open === 0 && (token === ")" || WORDS.includes(token))) break;
    if (["(", "{", "["].includes(token)) open += 1;
    if ([")", "}", "]"].includes(token)) open -= 1;
  }
  const text = reader.tokens.slice(from, reader.at).join("\n");
  return text === "" || open !== 0 ? undefined : { sort: "atom", text };
}
