import { describe, expect, test } from "vitest";
import { formatTable } from "../../../../lib/report/lines/table.ts";

test("a table has columns, no lines round them, and no space at the ends", () => {
  const rows = [
    ['custom_hostname["a.example"]', "7"],
    ["total_tls", "12"],
  ];
  expect(formatTable(["address", "serial"], rows, { alignments: ["left", "right"] })).toBe(
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

describe("a table on a narrow terminal", () => {
  const heading = ["zone", "address", "id", "last seen"];
  const row = ["saas.dev", 'custom_hostname["app.customer-one.net"]', "0d89c70d9f0f11edb5e53a8e7f0d2b4c", "active"];
  const gives = ["id", "last seen", "zone"];

  test.each([200, 97, 96, 80, 72, 60])("of %i columns fits it", (columns) => {
    for (const line of formatTable(heading, [row], { columns, gives }).trimEnd().split("\n"))
      expect(line.length).toBeLessThanOrEqual(columns);
  });

  test("shortens what is least important first, and drops it before it shortens the address", () => {
    expect(formatTable(heading, [row], { columns: 80, gives })).toBe(
      [
        "zone      address                                  id                  last seen",
        'saas.dev  custom_hostname["app.customer-one.net"]  0d89c70d9f0f11edb…  active',
        "",
      ].join("\n"),
    );
    expect(formatTable(heading, [row], { columns: 40, gives })).toBe(
      ["address", 'custom_hostname["app.customer-one.net"]', ""].join("\n"),
    );
  });

  test("keeps the address whole where even that does not fit", () => {
    expect(formatTable(heading, [row], { columns: 20, gives })).toContain('custom_hostname["app.customer-one.net"]');
  });

  test("is as wide as it is in a pipe", () => {
    expect(formatTable(heading, [row], { gives })).toContain("0d89c70d9f0f11edb5e53a8e7f0d2b4c");
  });
});
