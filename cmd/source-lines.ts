import { dirname, resolve } from "node:path";
import type { Diagnostic, Position } from "../lib/core/diagnostic.ts";
import { disk } from "../lib/real/disk.ts";
import { showsItsLine } from "../lib/report/lines/source-excerpt.ts";
import type { CommonOptions, Context } from "./context.ts";
import type { Where } from "./printed-commands.ts";

/** What says where the files of a project are. */
export type SourceOptions = CommonOptions & Where & { readonly source?: Readonly<Record<string, string>> };

/** A line that begins so late in its file is not looked for: an error is printed at once. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads the lines of the project's files that diagnostics are about. A file that cannot be read, or is not UTF-8, has no
 * lines to show.
 */
export async function readSourceLines(
  { cwd }: Context,
  { config, source = {} }: SourceOptions,
  diagnostics: readonly Diagnostic[],
): Promise<(at: Position) => string | undefined> {
  const wanted = new Map<string, Set<number>>();
  for (const { at } of diagnostics.filter(showsItsLine)) {
    if (at) wanted.set(at.file, (wanted.get(at.file) ?? new Set()).add(at.line));
  }
  const found = new Map<string, ReadonlyMap<number, string>>();
  for (const [file, numbers] of config === undefined ? [] : wanted) {
    // A file that the command line names is relative to the process, all others to the project.
    const isNamed = Object.values(source).includes(file);
    const path = isNamed ? resolve(cwd, file) : resolve(cwd, dirname(config ?? ""), file);
    found.set(file, await linesIn(path, numbers));
  }
  return ({ file, line }) => found.get(file)?.get(line);
}

async function linesIn(path: string, wanted: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  const lines = new Map<number, string>();
  const last = Math.max(...wanted);
  const decoder = new TextDecoder();
  let [number, bytes, open] = [1, 0, ""];
  const keep = (line: string): void => {
    if (wanted.has(number)) lines.set(number, line.replace(/\r$/, ""));
    number += 1;
  };
  try {
    for await (const piece of disk().stream(path)) {
      bytes += piece.length;
      const parts = (open + decoder.decode(piece, { stream: true })).split("\n");
      open = parts.pop() ?? "";
      for (const line of parts) keep(line);
      if (number > last || bytes > MOST_BYTES) return lines;
    }
    keep(open);
  } catch {
    return new Map();
  }
  return lines;
}
