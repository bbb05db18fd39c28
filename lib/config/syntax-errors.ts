import { type Diagnostic, error, type Position, problem } from "../core/diagnostic.ts";
import type { CST, YAMLParseError } from "yaml";
import { looksSecret } from "../core/key-material.ts";

/** A file that is not valid YAML: its text, its tokens, and how to find a position in it. */
export interface BrokenYaml {
  readonly text: string;
  readonly tokens: readonly CST.Token[];
  readonly place: (offset: number) => Position;
}

/** How many syntax errors to report; the rest only follow from the first ones. */
const MOST_SYNTAX_ERRORS = 20;

/** Errors of the YAML library about a broken structure; all errors after the first only follow from it. */
const STRUCTURE: ReadonlySet<string> = new Set([
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "IMPOSSIBLE",
  "MISSING_CHAR",
  "MULTILINE_IMPLICIT_KEY",
  "TAB_AS_INDENT",
  "UNEXPECTED_TOKEN",
]);

/** The errors of a file that is not valid YAML, in the words of an author, not of a parser. */
export function syntaxErrors(faults: readonly YAMLParseError[], file: BrokenYaml): readonly Diagnostic[] {
  const first = faults.findIndex(({ code }) => STRUCTURE.has(code));
  const kept = faults.filter(({ code }, index) => !STRUCTURE.has(code) || index === first);
  const found = kept.map((fault) => syntaxError(fault, file));
  return oneALine(found).slice(0, MOST_SYNTAX_ERRORS);
}

/** Keeps one error per line, because one mistake often causes several. */
function oneALine(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = new Map(diagnostics.toReversed().map((diagnostic) => [diagnostic.at?.line, diagnostic]));
  return diagnostics.filter((diagnostic) => first.get(diagnostic.at?.line) === diagnostic);
}

function syntaxError(fault: YAMLParseError, file: BrokenYaml): Diagnostic {
  const { text, place } = file;
  const offset = fault.pos[0] + blanksAt(text, fault.pos[0]);
  const say: Say = (message, remedy, at = offset) => error({ code: "yaml-syntax", message, remedy, at: place(at) });
  const code: string = fault.code;
  switch (code) {
    case "TAB_AS_INDENT":
      return error(problem("yaml-tab", {}, { at: place(offset) }));
    case "BAD_ALIAS":
      return error(problem("unquoted-asterisk", { value: '"*"' }, { at: place(offset) }));
    case "BAD_SCALAR_START":
      return badStart(file, offset, say);
    default:
      return STRUCTURE.has(code) ? brokenStructure(fault, file, offset, say) : unknownSyntax(fault, say);
  }
}

/** Makes the error, at the parser's place unless another offset is given. */
type Say = (message: string, remedy: string, at?: number) => Diagnostic;

/** The library points at the blanks before a wrongly indented line; the author looks for the word after them. */
function blanksAt(text: string, offset: number): number {
  const blanks = /^ *(?=[^ \r\n])/.exec(text.slice(offset, offset + 256));
  return blanks?.[0].length ?? 0;
}

function badStart({ text }: BrokenYaml, offset: number, say: Say): Diagnostic {
  const value = /^[^\r\n,}\]]*/.exec(text.slice(offset))?.[0].trimEnd() ?? "";
  return say(`a value that begins with ${value.charAt(0)} must be in quotes`, quoted(value));
}

/** Shows how to write a short value that is certainly no secret. */
function quoted(value: string): string {
  const isShown = value.length <= 60 && !looksSecret(value);
  if (!isShown) return "put the whole value in single quotes";
  return `write ${value.includes('"') && !value.includes("'") ? `'${value}'` : JSON.stringify(value)}`;
}

function brokenStructure(fault: YAMLParseError, file: BrokenYaml, offset: number, say: Say): Diagnostic {
  return (
    openQuote(fault, file, offset, say) ??
    textBehindQuote(file, fault.pos[0], say) ??
    openBracket(fault, file, say) ??
    withoutSpace(file, offset, say) ??
    colonInside(fault, file, offset, say) ??
    badIndent(file, offset, say) ??
    unknownSyntax(fault, say)
  );
}

/** The parser notices an open quote only at the end of the file; the author looks for where it opens. */
function openQuote(
  { message }: YAMLParseError,
  { tokens }: BrokenYaml,
  offset: number,
  say: Say,
): Diagnostic | undefined {
  if (!message.startsWith("Missing closing")) return undefined;
  const open = quotedScalars(tokens).find((token) => token.offset + token.source.length >= offset);
  if (!open) return undefined;
  const mark = open.source.charAt(0);
  return say(`the ${mark} that opens here is never closed`, `add the closing ${mark} on this line`, open.offset);
}

function quotedScalars(tokens: readonly CST.Token[]): readonly CST.FlowScalar[] {
  const found: CST.FlowScalar[] = [];
  const open = [...tokens];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.type === "double-quoted-scalar" || next.type === "single-quoted-scalar") found.push(next);
    open.push(...inside(next));
  }
  return found.sort((left, right) => left.offset - right.offset);
}

/** `"a" in b`: YAML takes the quotes of an expression for its own. */
function textBehindQuote({ text }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const [line = ""] = text.slice(start).split("\n", 1);
  const [, before = "", value = ""] =
    /^(\s*(?:- )?(?:[\w.-]+:\s+)?)(("[^"]*"|'[^']*')\s*[^\s,:#\]}].*)$/.exec(line) ?? [];
  if (value === "") return undefined;
  const remedy = `put the whole value in the other kind of quotes: ${value.includes("'") ? JSON.stringify(value) : `'${value}'`}`;
  return say("this value continues after its closing quote", remedy, start + before.length);
}

function openBracket(fault: YAMLParseError, { text }: BrokenYaml, say: Say): Diagnostic | undefined {
  const [, close] = /(?:end with a|expected flow \w+ to end with) ([\]}])/i.exec(fault.message) ?? [];
  if (close === undefined) return undefined;
  const open = close === "]" ? "[" : "{";
  const start = lastOpen(text.slice(0, fault.pos[0]), open, close);
  if (start === undefined) return undefined;
  return say(`the ${open} that opens here is never closed`, `add the closing ${close}`, start);
}

function lastOpen(text: string, open: string, close: string): number | undefined {
  let closed = 0;
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (text[index] === close) closed += 1;
    else if (text[index] === open && closed === 0) return index;
    else if (text[index] === open) closed -= 1;
  }
  return undefined;
}

/** `key:value` is one word in YAML. */
function withoutSpace({ text }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const [line = ""] = text.slice(start).split("\n", 1);
  const [, before = "", key = "", value = ""] = /^(\s*(?:- )?)([a-z][a-z_0-9]*):([^\s/:].*)$/.exec(line) ?? [];
  if (key === "") return undefined;
  const remedy = value.length > 60 || looksSecret(value.trim()) ? "add a space" : `write ${key}: ${value.trim()}`;
  return say("there is no space after the colon", remedy, start + before.length);
}

/** A colon followed by a space turns an intended text into a map. */
function colonInside({ code }: YAMLParseError, { text }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const [value = ""] = text.slice(offset).split("\n", 1);
  const isMap = code === "BLOCK_AS_IMPLICIT_KEY" || code === "BLOCK_IN_FLOW";
  if (!isMap || !/\S: /.test(value) || value.startsWith("- ")) return undefined;
  const mark = value.includes("'") ? '"' : "'";
  return say("this value has a colon followed by a space", `put the whole value in quotes: ${mark}…${mark}`);
}

function badIndent({ text, place }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const misplaced = misplacedLine(text, place(offset).line);
  if (!misplaced) return undefined;
  const { at, indent, wanted, like } = misplaced;
  const message = `this line is indented by ${spaces(indent)}, which fits no line above it`;
  return say(message, `indent it by ${spaces(wanted)}, like line ${like}`, at + indent);
}

function spaces(count: number): string {
  return count === 1 ? "1 space" : `${count} spaces`;
}

function unknownSyntax({ message }: YAMLParseError, say: Say): Diagnostic {
  const text = message.charAt(0).toLowerCase() + message.slice(1);
  return say(`this is not valid YAML: ${text}`, "check the indentation and the quotes here and on the line above");
}

/** The tokens directly inside a token. */
export function inside(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== null && part !== undefined));
}

/** A line whose indentation fits none of the lines above it. */
interface MisplacedLine {
  /** The offset at which the line begins. */
  readonly at: number;
  readonly indent: number;
  /** The nearest fitting indentation, and the line that has it. */
  readonly wanted: number;
  readonly like: number;
}

/** How far from the parser's position the line may be. */
const NEAR = 3;

interface Line {
  readonly number: number;
  readonly at: number;
  readonly indent: number;
  readonly text: string;
}

/** The wrongly indented line that is nearest to where the parser stopped; undefined if all indentation looks right. */
function misplacedLine(text: string, number: number): MisplacedLine | undefined {
  const lines = linesOf(text);
  const distance = (line: Line): number => Math.abs(line.number - number);
  const near = lines.filter((line) => distance(line) <= NEAR).sort((left, right) => distance(left) - distance(right));
  for (const line of near) {
    const found = misplaced(line, lines);
    if (found) return found;
  }
  return undefined;
}

/** Lines that are not blank. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const indent = line.search(/[^ ]/);
    if (indent >= 0 && !/^\s*(#|$|---)/.test(line)) lines.push({ number: index + 1, at, indent, text: line });
    at += line.length + 1;
  }
  return lines;
}

function misplaced(line: Line, lines: readonly Line[]): MisplacedLine | undefined {
  const above = lines.slice(0, lines.indexOf(line));
  const before = above.at(-1);
  if (!before) return undefined;
  const fits = fittingIndents(above);
  const opensBlock = /(:|^\s*-)\s*(#.*)?$|[|>][+-]?\d?\s*$|[[{,]\s*$/.test(before.text);
  if (fits.has(line.indent) || (opensBlock && line.indent > before.indent)) return undefined;
  const nearest = [...fits].sort(
    ([left], [right]) => Math.abs(left - line.indent) - Math.abs(right - line.indent) || right - left,
  )[0];
  return nearest && { at: line.at, indent: line.indent, wanted: nearest[0], like: nearest[1] };
}

/**
 * The indentations that a line could have, each with the last line that has it. A dash opens two: its own, and that of
 * its keys.
 */
function fittingIndents(above: readonly Line[]): ReadonlyMap<number, number> {
  const fits = new Map<number, number>();
  let lowest = Number.POSITIVE_INFINITY;
  for (const { indent, text, number } of above.toReversed()) {
    if (indent >= lowest) continue;
    const inner = indent + (/^\s*(- +)/.exec(text)?.[1]?.length ?? 0);
    if (inner < lowest) fits.set(inner, number);
    fits.set(indent, number);
    lowest = indent;
  }
  return fits;
}
