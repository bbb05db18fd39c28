import { expect, test } from "vitest";
import { editedCells } from "../../../lib/config/edit-csv.ts";

const ROWS = 'domain;pool;note\r\na.net;eu;"two\r\nlines"\r\nb.net;"eu";x\r\nc.net;;\r\nd.net;eu';

test.each([
  ["a cell", { line: 2, column: 7, value: "us" }, "a.net;eu", "a.net;us"],
  ["a cell in quotes keeps them", { line: 4, column: 7, value: "us" }, 'b.net;"eu"', 'b.net;"us"'],
  ["a value that needs quotes gets them", { line: 2, column: 7, value: 'u;"s"' }, "a.net;eu", 'a.net;"u;""s"""'],
  ["an empty cell", { line: 5, column: 7, value: "us" }, "c.net;;", "c.net;us;"],
  ["the last cell of the file", { line: 6, column: 7, value: "us" }, "d.net;eu", "d.net;us"],
  ["a cell that becomes empty", { line: 2, column: 7, value: "" }, "a.net;eu", "a.net;"],
])("%s", (_what, edit, from, to) => {
  expect(editedCells(ROWS, [{ ...edit, delimiter: ";" }])).toBe(ROWS.replace(from, () => to));
});

test("several, in any order", () => {
  const edits = [
    { line: 6, column: 7, delimiter: ";", value: "us" },
    { line: 2, column: 10, delimiter: ";", value: "one" },
  ];
  expect(editedCells(ROWS, edits)).toBe(ROWS.replace('"two\r\nlines"', '"one"').replace(/eu$/, "us"));
});
