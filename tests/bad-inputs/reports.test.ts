import { describe, expect, test } from "vitest";
import { reportsOf } from "../../cmd/reports.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";

describe("the reports of a plan", () => {
  test("have three formats, each in its own file", () => {
    expect(reportsOf(["text=a.txt", "json=b=c.json", "markdown=comment.md"])).toEqual([
      { format: "text", file: "a.txt" },
      { format: "json", file: "b=c.json" },
      { format: "markdown", file: "comment.md" },
    ]);
  });

  test.each(["html=plan.html", "markdown=", "markdown", "=comment.md", "md=comment.md", " markdown=comment.md"])(
    "in an unknown format are refused by name, before anything is planned",
    (value) => {
      const refused = (): unknown => reportsOf(["text=plan.txt", value]);
      expect(refused).toThrow(Refusal);
      expect(refused).toThrow(JSON.stringify(value));
    },
  );
});
