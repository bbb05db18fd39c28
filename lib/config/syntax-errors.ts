import type { CST, YAMLParseError } from "yaml";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { looksSecret } from "../core/key-material.ts";
import { misplacedLine } from "./indentation.ts";

/** A file that is not valid YAML: its text, its tokens, and how to find a position in it. */
export interface BrokenYaml {
  readonly text: string;
  readonly tokens: readonly CST.Token[];
  readonly place: (offset: number) => Position;
}

/** After this many syntax errors, the rest only follow from the first ones. */
const MOST_SYNTAX_ERRORS = 20;

/** Errors of the YAML library about a broken structure: all errors after the first only follow from it. */
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

/** What is wrong with a file that is not valid YAML, in the words of an author, not of a parser. */
export function syntaxErrors(problems: readonly YAMLParseError[], file: BrokenYaml): readonly Diagnostic[] {
  const first = problems.findIndex(({ code }) => STRUCTURE.has(code));
  const kept = problems.filter(({ code }, index) => !STRUCTURE.has(code) || index === first);
  const found = kept.map((problem) => syntaxError(problem, file));
  return oneALine(found).slice(0, MOST_SYNTAX_ERRORS);
}

/** Keeps one error per line, because one mistake often causes several. */
function oneALine(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = new Map(diagnostics.toReversed().map((diagnostic) => [diagnostic.at?.line, diagnostic]));
  return diagnostics.filter((diagnostic) => first.get(diagnostic.at?.line) === diagnostic);
}

function syntaxError(problem: YAMLParseError, file: BrokenYaml): Diagnostic {
  const { text, place } = file;
  const offset = problem.pos[0] + blanksAt(text, problem.pos[0]);
  const say = (code: DiagnosticCode, message: string, remedy: string, at = place(offset)): Diagnostic =>
    error({ code, message, remedy, at });
  const code: string = problem.code;
  switch (code) {
    case "TAB_AS_INDENT":
      return say(
        "yaml-tab",
        "this line is indented with a tab",
        "replace the tab with spaces: YAML allows no tabs here",
      );
    case "BAD_ALIAS":
      return say("unquoted-asterisk", "a value that begins with * must be in quotes", 'write "*"');
    case "BAD_SCALAR_START":
      return badStart(file, offset, say);
    default:
      return STRUCTURE.has(code) ? brokenStructure(problem, file, offset, say) : unknownSyntax(problem, say);
  }
}

type Say = (code: DiagnosticCode, message: string, remedy: string, at?: Position) => Diagnostic;

/** The library points at the blanks before a wrongly indented line; people look for the word after them. */
function blanksAt(text: string, offset: number): number {
  const blanks = /^ *(?=[^ \r\n])/.exec(text.slice(offset, offset + 256));
  return blanks?.[0].length ?? 0;
}

function badStart({ text }: BrokenYaml, offset: number, say: Say): Diagnostic {
  const value = /^[^\r\n,}\]]*/.exec(text.slice(offset))?.[0].trimEnd() ?? "";
  return say("yaml-syntax", `a value that begins with ${value.charAt(0)} must be in quotes`, quoted(value));
}

/** Shows how to write a short value that is certainly no secret. */
function quoted(value: string): string {
  const isShown = value.length <= 60 && !looksSecret(value);
  if (!isShown) return "put the whole value in single quotes";
  return `write ${value.includes('"') && !value.includes("'") ? `'${value}'` : JSON.stringify(value)}`;
}

function brokenStructure(problem: YAMLParseError, file: BrokenYaml, offset: number, say: Say): Diagnostic {
  return (
    openQuote(problem, file, offset, say) ??
    textBehindQuote(file, problem.pos[0], say) ??
    openBracket(problem, file, say) ??
    withoutSpace(file, offset, say) ??
    colonInside(problem, file, offset, say) ??
    badIndent(file, offset, say) ??
    unknownSyntax(problem, say)
  );
}

/** A quote that is never closed, or only by the next quote in the file. */
function openQuote(
  problem: YAMLParseError,
  { text, tokens, place }: BrokenYaml,
  offset: number,
  say: Say,
): Diagnostic | undefined {
  const isOpen = problem.message.startsWith("Missing closing");
  const scalar = quotedScalars(tokens).find((token) => {
    const end = token.offset + token.source.length;
    return isOpen
      ? end >= offset
      : end <= offset && text.slice(end, offset).trim() === "" && token.source.includes("\n");
  });
  if (!scalar) return undefined;
  const at = place(scalar.offset);
  const mark = scalar.source.charAt(0);
  const message = isOpen
    ? `the ${mark} that opens here is never closed`
    : `the ${mark} that opens here is closed by another ${mark} in line ${place(scalar.offset + scalar.source.length).line}`;
  return say("yaml-syntax", message, `add the closing ${mark} on this line`, at);
}

function quotedScalars(tokens: readonly CST.Token[]): readonly CST.FlowScalar[] {
  const found: CST.FlowScalar[] = [];
  const open = [...tokens];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.type === "double-quoted-scalar" || next.type === "single-quoted-scalar") found.push(next);
    for (const token of inside(next)) open.push(token);
  }
  return found.sort((left, right) => left.offset - right.offset);
}

/** `"a" in b`: YAML takes the quotes of an expression for its own. */
function textBehindQuote({ text, place }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const [line = ""] = text.slice(start).split("\n", 1);
  const [, before = "", value = ""] =
    /^(\s*(?:- )?(?:[\w.-]+:\s+)?)(("[^"]*"|'[^']*')\s*[^\s,:#\]}].*)$/.exec(line) ?? [];
  if (value === "") return undefined;
  const remedy = `put the whole value in the other kind of quotes: ${value.includes("'") ? JSON.stringify(value) : `'${value}'`}`;
  return say("yaml-syntax", "this value continues after its closing quote", remedy, place(start + before.length));
}

function openBracket(problem: YAMLParseError, { text, place }: BrokenYaml, say: Say): Diagnostic | undefined {
  const [, close] = /(?:end with a|expected flow \w+ to end with) ([\]}])/i.exec(problem.message) ?? [];
  if (close === undefined) return undefined;
  const open = close === "]" ? "[" : "{";
  const start = lastOpen(text.slice(0, problem.pos[0]), open, close);
  if (start === undefined) return undefined;
  return say("yaml-syntax", `the ${open} that opens here is never closed`, `add the closing ${close}`, place(start));
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
function withoutSpace({ text, place }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const [line = ""] = text.slice(start).split("\n", 1);
  const [, before = "", key = "", value = ""] = /^(\s*(?:- )?)([a-z][a-z_0-9]*):([^\s/:].*)$/.exec(line) ?? [];
  if (key === "") return undefined;
  const remedy = value.length > 60 || looksSecret(value.trim()) ? "add a space" : `write ${key}: ${value.trim()}`;
  return say("yaml-syntax", "there is no space after the colon", remedy, place(start + before.length));
}

/** A colon followed by a space makes a map of what was meant as text. */
function colonInside({ code }: YAMLParseError, { text }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const [value = ""] = text.slice(offset).split("\n", 1);
  const isMap = code === "BLOCK_AS_IMPLICIT_KEY" || code === "BLOCK_IN_FLOW";
  if (!isMap || !/\S: /.test(value) || value.startsWith("- ")) return undefined;
  const [, key] = /^([a-z][a-z_0-9]*)\s+[{[]/.exec(value) ?? [];
  if (key !== undefined) return say("yaml-syntax", `there is no colon after ${key}`, `write ${key}: before the rest`);
  const mark = value.includes("'") ? '"' : "'";
  return say(
    "yaml-syntax",
    "this value has a colon followed by a space",
    `put the whole value in quotes: ${mark}…${mark}`,
  );
}

function badIndent({ text, place }: BrokenYaml, offset: number, say: Say): Diagnostic | undefined {
  const misplaced = misplacedLine(text, place(offset).line);
  if (!misplaced) return undefined;
  const { at, indent, wanted, like } = misplaced;
  const message = `this line is indented by ${spaces(indent)}, which fits no line above it`;
  return say("yaml-syntax", message, `indent it by ${spaces(wanted)}, like line ${like}`, place(at + indent));
}

function spaces(count: number): string {
  return count === 1 ? "1 space" : `${count} spaces`;
}

function unknownSyntax({ message }: YAMLParseError, say: Say): Diagnostic {
  const text = message.charAt(0).toLowerCase() + message.slice(1);
  return say(
    "yaml-syntax",
    `this is not valid YAML: ${text}`,
    "check the indentation and the quotes here and on the line above",
  );
}

/** The tokens directly inside a token. */
export function inside(token: CST.Token): CST.Token[] {
  if (token.type === "document") return token.value ? [token.value] : [];
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((part) => part !== null && part !== undefined));
}
