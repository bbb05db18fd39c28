import { describe, expect, it } from "vitest";
import { formatCsv } from "../../../../lib/report/formats/csv.ts";

describe("a table as CSV", () => {
  it("has the heading and a line for each row", () => {
    expect(
      formatCsv(
        ["name", "value"],
        [
          ["a", "1"],
          ["b", "2"],
        ],
      ),
    ).toBe("name,value\na,1\nb,2\n");
  });

  it("puts cells with commas and quotes into quotes", () => {
    expect(formatCsv(["a"], [['0 issue "pki.goog"'], ["x, y"]])).toBe('a\n"0 issue ""pki.goog"""\n"x, y"\n');
  });

  it.each(["=cmd()", "+1", "-1", "@sum"])("keeps a spreadsheet from running %s", (cell) => {
    expect(formatCsv(["a"], [[cell]])).toBe(`a\n'${cell}\n`);
  });

  it("leaves a mark inside of a cell alone", () => {
    expect(formatCsv(["a"], [["a=b"], ["*.customer.net"]])).toBe("a\na=b\n*.customer.net\n");
  });

  it("shows what is not visible, so that no value begins a row of its own", () => {
    expect(formatCsv(["a"], [["x\n=evil"]]).split("\n")).toHaveLength(3);
  });
});
