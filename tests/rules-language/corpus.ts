import { readFileSync } from "node:fs";

/** An expression with what the parser has to find. */
export interface Example {
  /** The page of the documentation that shows it. */
  readonly page: string;
  readonly text: string;
  /** The name of its type; undefined if it is wrong. */
  readonly type?: string;
  /** What is wrong, as positions in its text. */
  readonly wrong?: { readonly start: number; readonly end: number };
}

/** The expressions that the public documentation shows (documented.txt says how they are written). */
export function documented(): readonly Example[] {
  const text = readFileSync(new URL("documented.txt", import.meta.url), "utf8");
  return text
    .split(/^# /m)
    .slice(1)
    .flatMap((section) => {
      const [page = "", ...lines] = section.split("\n");
      return lines
        .join("\n")
        .split(/^(?=\S)/m)
        .filter((entry) => entry.trim() !== "")
        .map((entry) => readExample(page, entry));
    });
}

function readExample(page: string, entry: string): Example {
  const [, type = ""] = /^(.*?) *\|/.exec(entry) ?? [];
  const lines = entry
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^[^|]*\| /, ""));
  if (type !== "error") return { page, type, text: lines.join("\n") };
  const carets = lines.pop() ?? "";
  return { page, text: lines.join("\n"), wrong: { start: carets.indexOf("^"), end: carets.length } };
}
