import { type Diagnostic, error, type Position, problem } from "../core/diagnostic.ts";
import { isList, isObject, type Json, type JsonObject, parseJson } from "../core/json.ts";
import { find, placeOf } from "./document.ts";
import { parseYaml } from "./parse-yaml.ts";
import type { Report } from "./report.ts";

/** Lines about a hostname are shorter. */
const LONGEST_LINE = 64 * 1024;

/** Reads NDJSON line by line, without blank lines. Reports wrong lines and continues. */
export async function readNdjson(
  chunks: AsyncIterable<string>,
  file: string,
  onLine: (value: JsonObject, raw: string, line: number) => void,
  report: Report,
): Promise<void> {
  let open = "";
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (open + chunk).split("\n");
    open = lines.pop() ?? "";
    for (const raw of lines) {
      line += 1;
      readLine(raw, { file, line, column: 1 }, onLine, report);
    }
    // The line may be much longer; what was read is enough to refuse it.
    if (open.length > LONGEST_LINE) return report(tooLong({ file, line: line + 1, column: 1 }));
  }
}

function readLine(
  raw: string,
  at: Position,
  onLine: (value: JsonObject, raw: string, line: number) => void,
  report: Report,
): void {
  if (raw.trim() === "") return;
  if (raw.length > LONGEST_LINE) return report(tooLong(at));
  const value = parseJson(raw);
  if (isObject(value) && keysWritten(raw) === keysOf(value)) return onLine(value, raw, at.line);
  if (isObject(value)) {
    // The reader with positions finds the key.
    const twice = {
      code: "duplicate-key",
      message: "this row has this key twice",
      remedy: "keep one of the two",
    } as const;
    parseYaml(raw, at.file, (found) => report(error({ ...twice, at: { ...at, column: found.at?.column ?? 1 } })));
    return;
  }
  const expected = value === undefined ? "valid JSON" : "a JSON object";
  report(error(problem("ndjson-syntax", { expected }, { at })));
}

/** How many keys a JSON text has: strings followed by a colon. */
function keysWritten(raw: string): number {
  let count = 0;
  for (const [, colon] of raw.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) if (colon !== undefined) count += 1;
  return count;
}

/** How many keys were kept: the parser keeps one of two equal keys. */
function keysOf(value: Json): number {
  if (isList(value)) return value.reduce((sum: number, item) => sum + keysOf(item), 0);
  if (!isObject(value)) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + 1 + keysOf(item), 0);
}

function tooLong(at: Position): Diagnostic {
  return error(problem("ndjson-line-too-long", { most: LONGEST_LINE }, { at }));
}

/** The value for a column: a key of the object, or a path of keys with dots. */
export function jsonValue(value: JsonObject, column: string): Json | undefined {
  const path = jsonPath(value, column);
  let current: Json | undefined = value;
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

function jsonPath(value: JsonObject, column: string): readonly string[] {
  return Object.hasOwn(value, column) ? [column] : column.split(".");
}

/** The position of a value in its line. JSON is YAML, so the reader with positions parses the line again. */
export function jsonPosition(raw: string, file: string, line: number, column: string): Position {
  const root = parseYaml(raw, file, () => undefined);
  const value = parseJson(raw);
  const found = root && isObject(value) ? find(root, jsonPath(value, column)) : undefined;
  return { file, line, column: (found?.at ?? (root && placeOf(root)))?.column ?? 1 };
}
