import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { objects, optionalNumber, optionalText, text } from "../../lib/core/decode.ts";
import type { Json, JsonObject } from "../../lib/core/json.ts";
import { ROOT } from "../support/command.ts";

/** How many bad inputs there are. */
const COUNT = 59;

async function table(): Promise<readonly JsonObject[]> {
  const rows: Json = JSON.parse(await readFile(join(import.meta.dirname, "table.json"), "utf8"));
  return objects({ rows }, "rows");
}

const rows = await table();

/** The first argument of every test and group of a file that is not skipped: what `test("…"` and `])("…"` begin with. */
function namesIn(source: string): ReadonlySet<string> {
  const literals = source.matchAll(
    /(?:^|[^\w.])(?:test|it|describe)(?:\.each)?\s*\(\s*("(?:[^"\\]|\\.)*")|\)\(\s*("(?:[^"\\]|\\.)*")/g,
  );
  return new Set([...literals].map(([, plain, each]): string => JSON.parse(plain ?? each ?? '""')));
}

describe("the table of bad inputs", () => {
  test("has a row for each of them, in order, each with the expected result and its tests", () => {
    expect(rows.map((row) => row["number"])).toEqual(Array.from({ length: COUNT }, (_row, index) => index + 1));
    for (const row of rows) {
      expect(text(row, "input")).not.toBe("");
      expect(text(row, "expected")).not.toBe("");
      expect(objects(row, "tests")).not.toEqual([]);
    }
  });

  test("has no row for something that is not built", () => {
    const missing = rows.filter((row) => optionalText(row, "not_built") !== undefined);
    expect(missing.map((row) => row["number"])).toEqual([]);
  });

  const named = rows.flatMap((row) =>
    objects(row, "tests").map(
      (each) => [optionalNumber(row, "number"), text(each, "file"), text(each, "name")] as const,
    ),
  );

  test.each(named)("%s is tested in %s, by an existing test: %s", async (_number, file, name) => {
    expect([...namesIn(await readFile(join(ROOT, file), "utf8"))]).toContain(name);
  });
});
