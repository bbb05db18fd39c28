import { describe, expect, test } from "vitest";
import { reportsOf } from "../../cmd/reports.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";

describe("the reports of a command", () => {
  test("have a format and a file each, where - is standard output", () => {
    expect(reportsOf("plan", ["text=a.txt", "json=b=c.json", "terraform-json=plan.json", "github=-"])).toEqual([
      { format: "text", file: "a.txt" },
      { format: "json", file: "b=c.json" },
      { format: "terraform-json", file: "plan.json" },
      { format: "github", file: "/dev/stdout" },
    ]);
  });

  test.each(["pdf=plan.pdf", "markdown=", "markdown", "=comment.md", "md=comment.md", " markdown=comment.md"])(
    "in an unknown format are refused by name, before anything is planned",
    (value) => {
      const refused = (): unknown => reportsOf("plan", ["text=plan.txt", value]);
      expect(refused).toThrow(Refusal);
      expect(refused).toThrow(JSON.stringify(value));
    },
  );

  test.each([
    ["plan", "prometheus=plan.prom"],
    ["drift", "terraform-json=drift.json"],
    ["status", "gitlab-terraform=counts.json"],
    ["apply", "prometheus=apply.prom"],
  ] as const)("in a format that zoneform %s does not have are refused: %s", (command, value) => {
    expect(() => reportsOf(command, [value])).toThrow(
      `${JSON.stringify(value)} is not a report of zoneform ${command}`,
    );
  });
});
