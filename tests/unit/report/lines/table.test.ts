import { expect, test } from "vitest";
import { formatTable } from "../../../../lib/report/lines/table.ts";

test("a table has columns, no lines round them, and no space at the ends", () => {
  const rows = [
    ['custom_hostname["a.example"]', "7"],
    ["total_tls", "12"],
  ];
  expect(formatTable(["address", "serial"], rows, ["left", "right"])).toBe(
    [
      "address                       serial",
      'custom_hostname["a.example"]       7',
      "total_tls                         12",
      "",
    ].join("\n"),
  );
});

test("a cell cannot break its line or colour it", () => {
  expect(formatTable(["x"], [["a\n\u001b[31mb"]])).toBe(["x", String.raw`a\u{a}\u{1b}[31mb`, ""].join("\n"));
});
