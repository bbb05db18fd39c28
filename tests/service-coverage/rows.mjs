// The rows of docs/service-coverage.md, and which mutant of mutants.json breaks what each of them says.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

/** Every mutant, in the order of the table. */
export const MUTANTS = JSON.parse(readFileSync(join(ROOT, "tests/service-coverage/mutants.json"), "utf8"));

/** Rows of all tables: their line, their cells, and the tests that they name. */
export function readRows() {
  const lines = readFileSync(join(ROOT, "docs/service-coverage.md"), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (!line.startsWith("| ") || /^\| (where|#) \|/.test(line)) return [];
    const [where = "", what = "", ...rest] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    const tests = [...(rest.at(-1) ?? "").matchAll(/`([\w./-]+\.test\.ts) > ([^`]+)`/g)];
    return [{ line: index + 1, where, what, tests: tests.map(([, file, title]) => ({ file, title })) }];
  });
}

/** The numbers of the mutants of a row. */
export function mutantsOf({ where, what }) {
  return MUTANTS.flatMap((mutant, number) => (mutant.where === where && what.startsWith(mutant.what) ? [number] : []));
}

/** The test of a row that has to notice its mutant: the one that the mutant names by its beginning, else the row's first. */
export function testOf(row, mutant) {
  return row.tests.find(({ title }) => title.startsWith(mutant.test ?? ""));
}
