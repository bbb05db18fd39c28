import { describe, expect, test } from "vitest";
import { line, withValues } from "../../../../lib/report/lines/lines.ts";
import { printLines } from "../../../../lib/report/printers/text.ts";
import { textPair } from "../../../../lib/report/lines/text-diff.ts";

const LONG = "a sentence of words that is longer than the forty columns of a narrow terminal";
const COMMAND = "zoneform apply plan.zfplan --approve zf1:5d6a5b3c3417180f4129361161419d6a8dcaabc5ba21101e895d4e19";

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
  const dim = (text: string): string => `\u001b[2m${text}\u001b[22m`;
  const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;
  const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;

  test("are dim before and bold after, red where they are dangerous, and plain without colour", () => {
    const given = line(2, "min_tls_version  1.2 -> 1.1  (config)");
    const printed = (isDanger: boolean): string =>
      printLines([withValues(given, "1.2", "1.1", isDanger)], { colour: true });
    expect(printed(false)).toBe(`  min_tls_version  ${dim("1.2")} -> ${bold("1.1")}  (config)\n`);
    expect(printed(true)).toBe(`  min_tls_version  ${dim("1.2")} -> ${red("1.1")}  (config)\n`);
    expect(printLines([given], { colour: false })).toBe("  min_tls_version  1.2 -> 1.1  (config)\n");
  });

  test("keep their colours where the escaper makes them longer", () => {
    const given = withValues(line(0, "description  a\nb -> c\td"), "a\nb", "c\td");
    expect(printLines([given], { colour: true })).toBe(
      `description  ${dim(String.raw`a\u{a}b`)} -> ${bold(String.raw`c\u{9}d`)}\n`,
    );
  });

  test("keep their colours where the line is broken", () => {
    const before = "one two three four five";
    const after = "six seven eight nine ten";
    const given = withValues(line(0, `expression  ${before} -> ${after}`), before, after);
    expect(printLines([given], { colour: true, columns: 40 })).toBe(
      `expression  ${dim("one two three four")}\n  ${dim("five")} -> ${bold("six seven eight nine ten")}\n`,
    );
  });
});

describe("two long texts", () => {
  const before = 'starts_with(http.request.uri.path, "/healthz")';
  const after = 'starts_with(http.request.uri.path, "/health") or ssl';

  test("stand below each other, with the words marked that the other one does not have", () => {
    const dimmed = (text: string): string => `\u001b[2m${text}\u001b[22m`;
    const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;
    expect(printLines(textPair(before, after, 2), { colour: true })).toBe(
      `  ${dimmed('- starts_with(http.request.uri.path, "/')}healthz${dimmed('")')}\n` +
        `  + starts_with(http.request.uri.path, "/${bold("health")}")${bold(" or ssl")}\n`,
    );
    expect(printLines(textPair(before, after, 2), { colour: false })).toBe(`  - ${before}\n  + ${after}\n`);
  });

  test("are marked as a whole where they have next to nothing in common", () => {
    const texts = ["a", "b"].map((word) => Array.from({ length: 3000 }, (_item, index) => `${word}${index}`).join(" "));
    const [, added] = textPair(texts[0] ?? "", texts[1] ?? "", 0, { isDanger: true });
    expect(added?.accents).toEqual([{ from: 2, to: 2 + (texts[1]?.length ?? 0), style: "bad" }]);
  });
});
