import { type Diagnostic, error, type Position, problem } from "../core/diagnostic.ts";
import { type CST, Composer, type Document, LineCounter, Parser } from "yaml";
import { type JsonObject, isList, isObject } from "../core/json.ts";
import type { Place } from "./document.ts";
import { type Report, keptReport } from "./report.ts";
import { inside, syntaxErrors } from "./syntax-errors.ts";
import { positionIn, warnOfTurns } from "./text.ts";
import { yamlTree } from "./yaml-tree.ts";

/**
 * Parses one YAML file (YAML 1.2, core schema) into JSON in which everything has a position. A file has one document
 * with a map at its top. A syntax error leaves no value; a forbidden feature leaves the rest usable.
 */
export function parseYaml(text: string, file: string, report: Report): JsonObject | undefined {
  const lines = new LineCounter();
  const place = placeIn(file, lines);

  const large = tooManyValuesAt(text);
  if (large !== undefined)
    return report(
      error(problem("file-too-large", { excess: "too many values to be read" }, { at: positionIn(text, large, file) })),
    );
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const deep = tooDeepAt(tokens);
  if (deep !== undefined) return report(error(problem("nested-too-deep", { most: MOST_LEVELS }, { at: place(deep) })));
  const documents = [...new Composer({ uniqueKeys: false, merge: false, logLevel: "silent" }).compose(tokens, true)];
  const syntax = documents.flatMap((document) => document.errors);
  if (syntax.length > 0) {
    for (const problem of syntaxErrors(syntax, { text, tokens, place })) report(problem);
    return undefined;
  }
  const [document, second] = documents;
  if (!document) return report(error(problem("empty-file", {}, { at: place(0) })));
  if (second) return report(error(problem("several-documents", {}, { at: place(second.range[0]) })));
  if (changesVersion(document)) return report(error(problem("yaml-version", {}, { at: place(0) })));

  const wrong = keptReport(report);
  const top = yamlTree(document, text, place, wrong.report);
  if (isObject(top?.value) || wrong.said.length > 0) {
    warnOfTurns(text, place, report);
    return isObject(top?.value) ? top.value : undefined;
  }
  if (top === undefined || top.value === null) return report(error(problem("empty-file", {}, { at: place(0) })));
  return report(
    isTerraform(text) ? terraformFile(top.at) : notAMap(isList(top.value) ? "a list" : "a single value", top.at),
  );
}

/** It lives as long as the values of the file, so it must not keep the file's text in memory. */
function placeIn(file: string, lines: LineCounter): Place {
  return (offset) => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
}

function changesVersion(document: Document.Parsed): boolean {
  return document.directives.yaml.explicit === true && document.directives.yaml.version !== "1.2";
}

function notAMap(found: string, at: Position): Diagnostic {
  return error(problem("not-a-map", { message: `the file must be a map of keys and values, but is ${found}` }, { at }));
}

/** Matches the blocks of Terraform's language. */
function isTerraform(text: string): boolean {
  return /^\s*(resource|data|module|provider|terraform|variable|locals)\s[^:\n]*\{/.test(text);
}

function terraformFile(at: Position): Diagnostic {
  return error({
    code: "not-a-map",
    message: "this is Terraform code (HCL), and Zoneform reads YAML",
    remedy:
      'begin with version: 1 and the zone; zoneform import --write declares what is live:\n    version: 1\n    zone:\n      id: "023e105f4ecef8ad9ca31a8372d0c353"\n      name: saas.dev',
    at,
  });
}

/** Deeper than any sensible file. The YAML library recurses for every level, and would overflow the stack. */
const MOST_LEVELS = 64;

/** The offset at which a document is nested too deeply, or undefined. Does not recurse. */
function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const open = tokens.map((token) => ({ token, level: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.level > MOST_LEVELS) return next.token.offset;
    for (const token of inside(next.token)) open.push({ token, level: next.level + Number("items" in token) });
  }
  return undefined;
}

/**
 * More values than this would fill the memory of a small machine: each takes about a kilobyte. A zone file with 100,000
 * hostnames on one line each has about 700,000.
 */
const MOST_VALUES = 1_500_000;

/** An alias stands for a whole value, and takes the YAML library longest. */
const VALUES_OF_AN_ALIAS = 15;

/**
 * The offset at which a file has too many values to be read. Counts the characters that begin values, before parsing.
 */
function tooManyValuesAt(text: string): number | undefined {
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    values += weightAt(text, index);
    if (values > MOST_VALUES) return index;
  }
  return undefined;
}

/** Counts newlines, commas, colons and opening brackets, and an asterisk that follows one of them or a blank. */
function weightAt(text: string, index: number): number {
  switch (text.charCodeAt(index)) {
    case 0x0a:
    case 0x2c:
    case 0x3a:
    case 0x5b:
    case 0x7b:
      return 1;
    case 0x2a:
      return /[\s,:[{]/.test(text.charAt(index - 1)) ? VALUES_OF_AN_ALIAS : 0;
    default:
      return 0;
  }
}
