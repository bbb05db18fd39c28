import { describe, expect, test } from "vitest";
import { line, printLines, withValues } from "../../../../lib/report/lines/lines.ts";

const LONG = "a sentence of words that is longer than the forty columns of a narrow terminal";
const COMMAND = "zoneform apply plan.zfplan --approve zf3:5d6a5b3c3417180f4129361161419d6a8dcaabc5ba21101e895d4e19";

describe("a long line", () => {
  test("stays whole in a pipe or a file", () => {
    expect(printLines([line(4, LONG)], { colour: false })).toBe(`    ${LONG}\n`);
  });

  test("is broken at the width of a terminal, and its rest stands in", () => {
    const printed = printLines([line(4, LONG)], { colour: false, columns: 40 });
    for (const each of printed.trimEnd().split("\n")) expect(each.length).toBeLessThanOrEqual(40);
    expect(printed.split("\n").slice(1, -1)).toSatisfy((rest: string[]) => rest.every((each) => /^ {6}\S/.test(each)));
    expect(printed.replaceAll(/\s+/g, " ").trim()).toBe(LONG);
  });

  test("that is a command is never broken", () => {
    expect(printLines([line(2, COMMAND)], { colour: false, columns: 40 })).toBe(`  ${COMMAND}\n`);
    expect(printLines([line(0, `to resume: ${COMMAND}`)], { colour: false, columns: 40 })).toContain(` ${COMMAND}\n`);
  });

  test("that is a row of a table is never broken", () => {
    expect(printLines([{ ...line(0, LONG), isWhole: true }], { colour: false, columns: 40 })).toBe(`${LONG}\n`);
  });
});

describe("values in a line", () => {
  const RED = "\u001b[31m";
  const GREEN = "\u001b[32m";
  const END = "\u001b[39m";

  test("are red before and green after, and plain without colour", () => {
    const given = withValues(line(2, "min_tls_version  1.2 -> 1.1  (config)"), "1.2", "1.1");
    expect(printLines([given], { colour: true })).toBe(
      `  min_tls_version  ${RED}1.2${END} -> ${GREEN}1.1${END}  (config)\n`,
    );
    expect(printLines([given], { colour: false })).toBe("  min_tls_version  1.2 -> 1.1  (config)\n");
  });

  test("keep their colours where the escaper makes them longer", () => {
    const given = withValues(line(0, "description  a\nb -> c\td"), "a\nb", "c\td");
    expect(printLines([given], { colour: true })).toBe(
      String.raw`description  ${RED}a\u{a}b${END} -> ${GREEN}c\u{9}d${END}` + "\n",
    );
  });

  test("keep their colours where the line is broken", () => {
    const before = "one two three four five";
    const after = "six seven eight nine ten";
    const given = withValues(line(0, `expression  ${before} -> ${after}`), before, after);
    expect(printLines([given], { colour: true, columns: 40 })).toBe(
      `expression  ${RED}one two three four${END}\n  ${RED}five${END} -> ${GREEN}six seven eight nine ten${END}\n`,
    );
  });
});
