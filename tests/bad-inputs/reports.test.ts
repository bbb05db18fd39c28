import { describe, expect, test } from "vitest";
import { reportsOf } from "../../cmd/reports.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";

describe("the reports of a plan", () => {
  test("are of three forms, each in its file", () => {
    expect(reportsOf(["text=a.txt", "json=b=c.json", "markdown=comment.md"])).toEqual([
      { format: "text", file: "a.txt" },
      { format: "json", file: "b=c.json" },
      { format: "markdown", file: "comment.md" },
    ]);
  });

  test.each(["html=plan.html", "markdown=", "markdown", "=comment.md", "md=comment.md", " markdown=comment.md"])(
    "a form that there is not is refused by name, before anything is planned",
    (value) => {
      const refused = (): unknown => reportsOf(["text=plan.txt", value]);
      expect(refused).toThrow(Refusal);
      expect(refused).toThrow(JSON.stringify(value));
    },
  );
});
