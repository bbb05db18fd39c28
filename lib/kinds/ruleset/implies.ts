import { defined } from "../../core/json.ts";

/** A parsed expression, as far as comparisons need it. Terms with the same `key` are equal. */
type Term =
  | { readonly sort: "unread"; readonly key: string }
  | { readonly sort: "atom"; readonly key: string; readonly set?: Membership; readonly affix?: Affix }
  | { readonly sort: "not"; readonly key: string; readonly inner: Term }
  | { readonly sort: "and" | "or" | "xor"; readonly key: string; readonly parts: readonly Term[] };

type Atom = Extract<Term, { sort: "atom" }>;

/** What an atom says that tests for a set of values. */
interface Membership {
  readonly field: string;
  readonly values: ReadonlySet<string>;
}

/** What an atom says that tests how a text starts or ends. */
interface Affix {
  readonly test: string;
  readonly field: string;
  readonly text: string;
}

/** A more deeply nested expression is compared as a whole. */
const DEEPEST = 16;
/** The limit for the steps of a proof: with nested terms, the steps can double at each level. */
const MOST_STEPS = 10_000;

/**
 * Whether the second expression matches every request that the first one matches. `true` is proven; `false` only means
 * that no proof was found.
 */
export function implies(first: string, second: string): boolean {
  return first === second || follows(termOf(first), termOf(second), { left: MOST_STEPS });
}

/** Whether no request matches both expressions. `true` is proven, as above. */
export function excludes(first: string, second: string): boolean {
  const [one, other] = [termOf(first), termOf(second)];
  if (one.sort === "unread" || other.sort === "unread") return false;
  return areApart(one, other, { left: MOST_STEPS });
}

/** How the requests that an expression matches change when it is edited; `unknown`: nothing is proven. */
export type Reach = "every" | "none" | "same" | "more" | "fewer" | "unknown";

/** Every path starts with this. No harmlessness is derived from it: a request such as `OPTIONS *` has no such path. */
const EVERY_PATH = 'starts_with(http.request.uri.path, "/")';

/** What an edit of an expression does to the requests that it matches. */
export function compareReach(before: string, after: string): Reach {
  const [isWider, isNarrower] = [implies(before, after), implies(after, before)];
  if (isWider && isNarrower) return "same";
  if (implies("true", after) || implies(EVERY_PATH, after)) return "every";
  if (implies(after, "false")) return "none";
  return isWider ? "more" : isNarrower ? "fewer" : "unknown";
}

/** How many steps a proof may still use. */
interface Steps {
  left: number;
}

function follows(from: Term, to: Term, steps: Steps): boolean {
  steps.left -= 1;
  if (steps.left < 0) return false;
  if (from.key === to.key || isWord(to, "true") || isWord(from, "false")) return true;
  if (from.sort === "or") return from.parts.every((part) => follows(part, to, steps));
  if (to.sort === "and") return to.parts.every((part) => follows(from, part, steps));
  if (from.sort === "and" && from.parts.some((part) => follows(part, to, steps))) return true;
  if (to.sort === "or" && to.parts.some((part) => follows(from, part, steps))) return true;
  if (from.sort === "not" && to.sort === "not") return follows(to.inner, from.inner, steps);
  return from.sort === "atom" && to.sort === "atom" && (isWithin(from.set, to.set) || isAffixed(from, to.affix));
}

function areApart(one: Term, other: Term, steps: Steps): boolean {
  steps.left -= 1;
  if (steps.left < 0) return false;
  if (one.sort === "or") return one.parts.every((part) => areApart(part, other, steps));
  if (other.sort === "or") return other.parts.every((part) => areApart(one, part, steps));
  if (one.sort === "and" && one.parts.some((part) => areApart(part, other, steps))) return true;
  if (other.sort === "and" && other.parts.some((part) => areApart(one, part, steps))) return true;
  if (one.sort === "not" && follows(other, one.inner, steps)) return true;
  if (other.sort === "not" && follows(one, other.inner, steps)) return true;
  if (isWord(one, "false") || isWord(other, "false")) return true;
  return one.sort === "atom" && other.sort === "atom" && haveNothingInCommon(one.set, other.set);
}

function isWord(term: Term, word: "true" | "false"): boolean {
  return term.sort === "atom" && term.key === keyOf([word]);
}

/** `field eq "a"` is within `field in {"a" "b"}`, which is within a larger set of the same field. */
function isWithin(inner: Membership | undefined, outer: Membership | undefined): boolean {
  return inner !== undefined && outer?.field === inner.field && [...inner.values].every((one) => outer.values.has(one));
}

/** Whether all values that an atom allows start, or end, with a text. */
function isAffixed({ set, affix }: Atom, outer: Affix | undefined): boolean {
  if (outer === undefined || (set ?? affix)?.field !== outer.field) return false;
  const isWithin = (text: string): boolean =>
    outer.test === "starts_with" ? text.startsWith(outer.text) : text.endsWith(outer.text);
  if (set === undefined) return affix?.test === outer.test && isWithin(affix.text);
  return [...set.values].every((value) => value.startsWith('"') && PLAIN.test(value) && isWithin(value.slice(1, -1)));
}

/** A plain text or a plain number. Two different spellings may still be equal if they have escapes, or are networks. */
const PLAIN = /^(?:"[^"\\]*"|0|[1-9]\d*)$/;

function haveNothingInCommon(one: Membership | undefined, other: Membership | undefined): boolean {
  if (one === undefined || one.field !== other?.field) return false;
  if (![...one.values, ...other.values].every((value) => PLAIN.test(value))) return false;
  const values = new Set([...other.values].map((value) => value.toLowerCase()));
  return [...one.values].every((value) => !values.has(value.toLowerCase()));
}

/** A value of a set: no brackets, and no part of a range that is written with spaces. */
const VALUE = /^(?:r?#*".*|(?!\.)[\w.:/*-]*[\w:/*-])$/s;

function membership(tokens: readonly string[]): Membership | undefined {
  const at = tokens.findIndex((token) => token === "in" || token === "eq");
  const [operator, opening] = at < 0 ? [] : tokens.slice(at);
  const isSet = operator === "in" && opening === "{" && tokens.at(-1) === "}";
  const values = isSet ? tokens.slice(at + 2, -1) : operator === "eq" ? tokens.slice(at + 1) : [];
  const isPlain = values.length > 0 && values.every((value) => VALUE.test(value));
  return isPlain && (isSet || values.length === 1)
    ? { field: tokens.slice(0, at).join(" "), values: new Set(values) }
    : undefined;
}

/** `starts_with(field, "text")`; the field may be `lower(field)`. */
const AFFIX = /^(starts_with|ends_with) \( ([\w.]+|(?:lower|upper) \( [\w.]+ \)) , "([^"\\]*)" \)$/;

function affixOf(tokens: readonly string[]): Affix | undefined {
  const [, test, field, text] = AFFIX.exec(tokens.join(" ")) ?? [];
  return test === undefined || field === undefined || text === undefined ? undefined : { test, field, text };
}

const TOKEN = /\s+|r(#*)".*?"\1|"(?:[^"\\]|\\.)*"|[\w.:/*-]+|&&|\|\||\^\^|[!=<>~]=|[^\s]/gsy;

/** Tokens that show that text was not parsed well: an unclosed string, or a comment. */
const UNREADABLE: readonly string[] = ['"', "#"];

/** Operators with two spellings. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["==", "eq"],
  ["!=", "ne"],
]);

/** The operators between terms, loosest first: `or`, then `xor`, then `and`. */
const LEVELS = [
  { sort: "or", words: ["or", "||"] },
  { sort: "xor", words: ["xor", "^^"] },
  { sort: "and", words: ["and", "&&"] },
] as const;

const WORDS: readonly string[] = LEVELS.flatMap(({ words }) => words);

/** Parsed expressions, kept because each rule is compared with many others. */
const known = new Map<string, Term>();
/** How many expressions to keep before the cache is cleared: more than two versions of the largest entry point have. */
const MOST_KNOWN = 4000;

/** Parses an expression. One that cannot be parsed only implies itself, letter by letter. */
function termOf(expression: string): Term {
  const found = known.get(expression);
  if (found) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const term = readTerm(expression) ?? { sort: "unread", key: `unread: ${expression}` };
  known.set(expression, term);
  return term;
}

function readTerm(expression: string): Term | undefined {
  const found = [...expression.matchAll(TOKEN)].map(([token]) => token).filter((token) => token.trim() !== "");
  if (found.some((token) => UNREADABLE.includes(token))) return undefined;
  const reader = { tokens: found.map((token) => SPELLINGS.get(token) ?? token), at: 0 };
  const term = readLevel(reader, 0, 0);
  return reader.at === reader.tokens.length ? term : undefined;
}

/** The key of an atom, as a JSON list: such keys can be joined into those of terms without ambiguity. */
function keyOf(tokens: readonly string[]): string {
  return JSON.stringify(tokens);
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
  if (another === undefined) return only;
  return { sort: operator.sort, key: `(${operator.sort} ${parts.map(({ key }) => key).join(" ")})`, parts };
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
    return inner && { sort: "not", key: `(not ${inner.key})`, inner };
  }
  if (!accept(reader, ["("])) return readAtom(reader);
  const inner = readLevel(reader, 0, depth + 1);
  return inner && accept(reader, [")"]) ? inner : undefined;
}

const OPENING: readonly string[] = ["(", "{", "["];
const CLOSING: readonly string[] = [")", "}", "]"];

/** Reads all tokens up to the next word between terms; brackets of calls and sets are part of it. */
function readAtom(reader: Reader): Term | undefined {
  const from = reader.at;
  let open = 0;
  for (; reader.at < reader.tokens.length; reader.at += 1) {
    const token = reader.tokens[reader.at] ?? "";
    if (open === 0 && (token === ")" || WORDS.includes(token))) break;
    if (OPENING.includes(token)) open += 1;
    if (CLOSING.includes(token)) open -= 1;
    if (open < 0) return undefined;
  }
  const tokens = reader.tokens.slice(from, reader.at);
  return tokens.length === 0 || open !== 0
    ? undefined
    : { sort: "atom", key: keyOf(tokens), ...defined({ set: membership(tokens), affix: affixOf(tokens) }) };
}
