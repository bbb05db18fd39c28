import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const DOCUMENT = join(ROOT, "docs/service-coverage.md");

/** A row of one of the tables, with the line that it stands in. */
interface Row {
  readonly line: number;
  readonly section: string;
  readonly cells: readonly string[];
}

/** Columns of every table, and that of the tests. */
const COLUMNS = 5;
const TESTS = 4;

/** A change that breaks the behaviour of a row: the row by its place and the beginning of its text. */
interface CoverageMutant {
  readonly where: string;
  readonly what: string;
  readonly file: string;
  readonly find: string;
  /** The beginning of the named test that has to notice it; the first where it is absent. */
  readonly test?: string;
}

const MUTANTS: readonly CoverageMutant[] = JSON.parse(
  readFileSync(join(ROOT, "tests/service-coverage/mutants.json"), "utf8"),
);
const ROWS = rowsOf(readFileSync(DOCUMENT, "utf8"));
const TITLES = new Map<string, readonly string[]>();

describe("the table of what is emulated and managed", () => {
  it("has no empty cell", () => {
    const bad = ROWS.filter(({ cells }) => cells.length !== COLUMNS || cells.some((cell) => cell === ""));
    expect(bad.map(({ line }) => `line ${line}`)).toEqual([]);
  });

  it("has every section of the description, every numbered rule and every choice", () => {
    for (const section of ["1", "2", "3", "4", "5", "6", "7", "8", "9"]) {
      const count = ROWS.filter((row) => row.section.startsWith(`${section}. `)).length;
      expect([section, count > 0]).toEqual([section, true]);
    }
    const places = new Set(ROWS.map(({ cells }) => cells[0]));
    const rules = [...numbered("1, rule", 5), ...numbered("4, rule", 10), ...numbered("3.1, row", 5)];
    const parts = [...numbered("3.2, row", 3), ...numbered("6, bullet", 3), ...numbered("9, bullet", 6)];
    expect([...rules, ...parts].filter((place) => !places.has(place))).toEqual([]);
    const choices = ROWS.filter(({ section }) => section.startsWith("Choices")).map(({ cells }) => cells[0]);
    expect(choices).toEqual(choices.map((_cell, index) => String(index + 1)));
    expect(choices.length).toBeGreaterThanOrEqual(15);
  });

  it("names files that exist", () => {
    const named = ROWS.flatMap(({ line, cells }) => paths(cells).map((path) => ({ line, path })));
    expect(named.length).toBeGreaterThan(ROWS.length);
    expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("names at least one test in each row, and each that it names exists", () => {
    const missing = ROWS.flatMap(({ line, cells }) => {
      const named = testsIn(cells[TESTS] ?? "");
      if (named.length === 0) return [`line ${line}: no test`];
      return named.filter((each) => !isThere(each)).map(({ file, name }) => `line ${line}: ${file} > ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it("has one mutant for each row, whose text stands once in its file, and whose test the row names", () => {
    const wrong = ROWS.flatMap(({ line, cells }) => {
      const [where = "", what = ""] = cells;
      const own = MUTANTS.filter((mutant) => mutant.where === where && what.startsWith(mutant.what));
      const [mutant] = own;
      if (!mutant || own.length > 1) return [`line ${line}: ${own.length} mutants`];
      const count = readFileSync(join(ROOT, mutant.file), "utf8").split(mutant.find).length - 1;
      const isNamed = testsIn(cells[TESTS] ?? "").some(({ name }) => name.startsWith(mutant.test ?? ""));
      return count === 1 && isNamed ? [] : [`line ${line}: ${mutant.find} stands ${count} times in ${mutant.file}`];
    });
    expect(wrong).toEqual([]);
    expect(MUTANTS).toHaveLength(ROWS.length);
  });

  it("would notice a test that is gone or has another name", () => {
    const [first] = testsIn("`conformance/emulator/hostnames.test.ts > begins pending and initializing`");
    expect(first !== undefined && isThere(first)).toBe(true);
    expect(isThere({ file: "conformance/emulator/hostnames.test.ts", name: "begins pending" })).toBe(false);
    expect(isThere({ file: "conformance/no-such.test.ts", name: "begins pending and initializing" })).toBe(false);
  });
});

function numbered(what: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_each, index) => `${what} ${index + 1}`);
}

/** Rows of all tables, without their heads. */
function rowsOf(text: string): readonly Row[] {
  const rows: Row[] = [];
  let section = "";
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("## ")) section = line.slice(3);
    if (!line.startsWith("| ") || /^\| (where|#) \|/.test(line)) continue;
    const cells = line.replace(/^\|/, "").replace(/\|$/, "").split("|");
    rows.push({ line: index + 1, section, cells: cells.map((cell) => cell.trim()) });
  }
  return rows;
}

/** Files of the project that the cells name. */
function paths(cells: readonly string[]): readonly string[] {
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`((?:lib|cmd|docs|examples)\/[^`]*)`/g)].map(([, path]) => path ?? ""),
  );
}

interface Named {
  readonly file: string;
  readonly name: string;
}

/** The tests that a cell names: `` `file > name` ``. */
function testsIn(cell: string): readonly Named[] {
  return [...cell.matchAll(/`([\w./-]+\.test\.ts) > ([^`]+)`/g)].map(([, file = "", name = ""]) => ({ file, name }));
}

function isThere({ file, name }: Named): boolean {
  return titlesOf(file).some((title) => title === name || isFilled(title, name));
}

/** Whether the name is the title with its placeholders filled. */
function isFilled(title: string, name: string): boolean {
  const start = title.search(/%[a-zA-Z#]|\$/);
  return start > 0 && name.startsWith(title.slice(0, start));
}

/** The titles of the tests in a file below `tests/`; none where there is no such file. */
function titlesOf(file: string): readonly string[] {
  const known = TITLES.get(file);
  if (known) return known;
  const path = join(ROOT, "tests", file);
  const found = existsSync(path) ? titlesIn(readFileSync(path, "utf8")) : [];
  TITLES.set(file, found);
  return found;
}

/** The first argument of `it` and `test`, also where a table of values stands before it: `it.each([…])("…", …)`. */
function titlesIn(source: string): readonly string[] {
  const call = /(?:\b(?:it|test)(?:\.\w+)*\(|\)\()\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)\s*,/g;
  return [...source.matchAll(call)].map(([, quoted = ""]) => quoted.slice(1, -1).replaceAll(/\\(.)/g, "$1"));
}

it("every coverage test is part of the table", () => {
  const used = new Set(ROWS.flatMap(({ cells }) => testsIn(cells[TESTS] ?? "").map(({ file }) => file)));
  const own = ["conformance/emulator/coverage.test.ts", "conformance/kinds/coverage.test.ts"];
  expect(own.filter((file) => !used.has(file))).toEqual([]);
});
