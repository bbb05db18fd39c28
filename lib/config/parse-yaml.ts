import { Composer, type Document, LineCounter, Parser, type YAMLParseError } from "yaml";
import { type Diagnostic, error, type Position } from "../core/diagnostic.ts";
import { isList, isObject, type JsonObject } from "../core/json.ts";
import type { Place } from "./document.ts";
import { keptReport, type Report } from "./report.ts";
import { positionIn } from "./text.ts";
import { warnOfTurns } from "./text-direction.ts";
import { MOST_LEVELS, tooDeepAt, tooManyValuesAt } from "./yaml-limits.ts";
import { yamlTree } from "./yaml-tree.ts";

/** After this many syntax errors the rest is noise that the first ones caused. */
const MOST_SYNTAX_ERRORS = 20;

/**
 * Reads the text of one YAML file (YAML 1.2, core schema) into JSON in which everything has its place. A file has one
 * document, and at its top a map. With a syntax error there is no value; what merely must not be written leaves the rest
 * usable.
 */
export function parseYaml(text: string, file: string, report: Report): JsonObject | undefined {
  const lines = new LineCounter();
  const place = placeIn(file, lines);

  const large = tooManyValuesAt(text);
  if (large !== undefined) return report(tooManyValues(positionIn(text, large, file)));
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const deep = tooDeepAt(tokens);
  if (deep !== undefined) return report(tooDeep(place(deep)));
  const documents = [...new Composer({ uniqueKeys: false, merge: false, logLevel: "silent" }).compose(tokens, true)];
  const syntax = documents.flatMap((document) => document.errors);
  if (syntax.length > 0) {
    for (const problem of oneALine(syntax.map((each) => syntaxError(each, text, place)))) report(problem);
    return undefined;
  }
  const [document, second] = documents;
  if (!document) return report(emptyFile(place(0)));
  if (second) return report(severalDocuments(place(second.range[0])));
  if (changesVersion(document)) return report(yamlVersion(place(0)));

  const wrong = keptReport(report);
  const top = yamlTree(document, place, wrong.report);
  if (isObject(top?.value) || wrong.said.length > 0) {
    warnOfTurns(text, place, report);
    return isObject(top?.value) ? top.value : undefined;
  }
  if (top === undefined || top.value === null) return report(emptyFile(place(0)));
  return report(notAMap(isList(top.value) ? "a list" : "a single value", top.at));
}

/** Lives as long as the values of the file, and so does not hold on to its text. */
function placeIn(file: string, lines: LineCounter): Place {
  return (offset) => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
}

function changesVersion(document: Document.Parsed): boolean {
  return document.directives.yaml.explicit === true && document.directives.yaml.version !== "1.2";
}

function syntaxError(problem: YAMLParseError, text: string, place: (offset: number) => Position): Diagnostic {
  const at = place(problem.pos[0] + indentAt(text, problem.pos[0]));
  const message = problem.message.charAt(0).toLowerCase() + problem.message.slice(1);
  const code: string = problem.code;
  switch (code) {
    case "TAB_AS_INDENT":
      return error({ code: "yaml-tab", message: "a tab indents this line", remedy: "indent with spaces", at });
    case "BAD_ALIAS":
      return error({
        code: "unquoted-asterisk",
        message: "an unquoted * begins an alias, and this is none",
        remedy: 'put it in quotes: "*"',
        at,
      });
    case "BLOCK_AS_IMPLICIT_KEY":
    case "BLOCK_IN_FLOW":
      return error({
        code: "yaml-syntax",
        message,
        remedy: "put the whole value in quotes: a colon with a space behind it begins a map",
        at,
      });
    case "BAD_SCALAR_START":
      return error({ code: "yaml-syntax", message, remedy: "put the value in quotes", at });
    default:
      return error({ code: "yaml-syntax", message, remedy: "mend the YAML here or on the line above", at });
  }
}

/** The library points at the blanks before a line that is indented wrongly; people look for the word after them. */
function indentAt(text: string, offset: number): number {
  const blanks = /^ *(?=[^ \r\n])/.exec(text.slice(offset, offset + 256));
  return blanks?.[0].length ?? 0;
}

/** One mistake often makes the parser stumble several times on its line. */
function oneALine(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = new Map(diagnostics.toReversed().map((diagnostic) => [diagnostic.at?.line, diagnostic]));
  return diagnostics.filter((diagnostic) => first.get(diagnostic.at?.line) === diagnostic).slice(0, MOST_SYNTAX_ERRORS);
}

function tooDeep(at: Position): Diagnostic {
  return error({
    code: "nested-too-deep",
    message: `this is nested deeper than ${MOST_LEVELS} levels`,
    remedy: "no part of a configuration is that deep; look for a bracket that is not closed",
    at,
  });
}

function tooManyValues(at: Position): Diagnostic {
  return error({
    code: "file-too-large",
    message: "the file has more values than can be read",
    remedy: "split it up, or use a CSV source",
    at,
  });
}

function emptyFile(at: Position): Diagnostic {
  return error({
    code: "empty-file",
    message: "the file is empty, or has nothing but comments",
    remedy: "write at least version: 1, or remove the file",
    at,
  });
}

function severalDocuments(at: Position): Diagnostic {
  return error({
    code: "several-documents",
    message: "a second document begins here",
    remedy: "write one document in a file; put the second one into a file of its own",
    at,
  });
}

function yamlVersion(at: Position): Diagnostic {
  return error({
    code: "yaml-version",
    message: "the %YAML directive asks for another version than 1.2",
    remedy: "remove the directive: in older versions no, on and 1_000 mean something else",
    at,
  });
}

function notAMap(found: string, at: Position): Diagnostic {
  return error({
    code: "not-a-map",
    message: `the top of the file should be a map, but is ${found}`,
    remedy: "begin with version: 1",
    at,
  });
}
