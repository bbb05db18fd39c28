import { type Diagnostic, error, problem, topOf } from "../core/diagnostic.ts";
import type { Report } from "./report.ts";
import { controlCharacter, findControlCharacter, invalidUtf8, positionIn } from "./text.ts";

/** A file as text, piece by piece. */
export interface TextStream {
  /** Ends at the first error in the text, which is reported. */
  readonly chunks: AsyncIterable<string>;
  /** Whether the text was valid so far. */
  isSound(): boolean;
}

/**
 * Decodes a file that may be larger than memory: UTF-8, no control characters, and a newline at its end. A file whose
 * last line has no newline may be truncated (docs/semantics.md#truncated-sources).
 */
export function textStream(bytes: AsyncIterable<Uint8Array>, file: string, report: Report): TextStream {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let isSound = true;
  let line = 1;
  let column = 1;
  let last = "";

  const refuse = (problem: Diagnostic): undefined => {
    isSound = false;
    return report(problem);
  };
  const decode = (chunk: Uint8Array | undefined): string | undefined => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      const sound = chunk ? soundPrefix(chunk) : "";
      return refuse(invalidUtf8(shifted(sound, sound.length)));
    }
  };
  const shifted = (text: string, index: number): { file: string; line: number; column: number } => {
    const at = positionIn(text, index, file);
    return { file, line: line + at.line - 1, column: at.line === 1 ? column + at.column - 1 : at.column };
  };
  const check = (text: string): boolean => {
    const control = findControlCharacter(text);
    if (control !== undefined) refuse(controlCharacter(text.charCodeAt(control), shifted(text, control)));
    const end = shifted(text, text.length);
    ({ line, column } = end);
    if (text !== "") last = text.slice(-1);
    return control === undefined;
  };

  async function* pieces(): AsyncIterable<string> {
    for await (const chunk of bytes) {
      const text = decode(chunk);
      if (text === undefined || !check(text)) return;
      yield text;
    }
    const rest = decode(undefined);
    if (rest === undefined || !isSound) return;
    if (last === "") refuse(emptySource(file));
    else if (last !== "\n") refuse(cutShort(file, line, column));
  }
  return { chunks: pieces(), isSound: () => isSound };
}

/** The text of a piece before its first byte that is not UTF-8. */
function soundPrefix(chunk: Uint8Array): string {
  const loose = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("utf8");
  const bad = loose.indexOf("\uFFFD");
  return bad < 0 ? loose : loose.slice(0, bad);
}

/** The error for a source without rows, which never means "delete all" (docs/semantics.md#truncated-sources). */
export function emptySource(file: string): Diagnostic {
  return error(problem("source-empty", { message: "the source has no rows" }, { at: topOf(file) }));
}

function cutShort(file: string, line: number, column: number): Diagnostic {
  return error(problem("source-cut-short", {}, { at: { file, line, column } }));
}
