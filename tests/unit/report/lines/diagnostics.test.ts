import { describe, expect, test } from "vitest";
import { type Diagnostic, error, warning } from "../../../../lib/core/diagnostic.ts";
import { formatDiagnostics } from "../../../../lib/report/lines/diagnostics.ts";

const found = [
  error({
    code: "unknown-key",
    message: 'unknown key "methd"',
    remedy: 'did you mean "method"?',
    at: { file: "zones/eu.yaml", line: 14, column: 7 },
  }),
  warning({
    code: "unexpected",
    message: "100% late,\n::error::x",
    address: 'custom_hostname["a"]',
    at: { file: "a,b:c%.yaml", line: 2, column: 1 },
  }),
];

describe("diagnostics", () => {
  test("as a text have the place first, the remedy on its own line, and a count at the end", () => {
    expect(formatDiagnostics(found, { format: "text", colour: false })).toBe(
      [
        'zones/eu.yaml:14:7: error: unknown key "methd" [unknown-key]',
        '  did you mean "method"?',
        String.raw`a,b:c%.yaml:2:1: warning: custom_hostname["a"]: 100% late,\u{a}::error::x [unexpected]`,
        "1 error, 1 warning",
        "",
      ].join("\n"),
    );
  });

  test("underline the value where the line is at hand", () => {
    const sourceLine = ({ line }: { line: number }): string | undefined =>
      line === 14 ? "      methd: http" : undefined;
    expect(formatDiagnostics(found.slice(0, 1), { format: "text", colour: false, sourceLine })).toContain(
      ["          methd: http", "          ^^^^^", '  did you mean "method"?'].join("\n"),
    );
  });

  test("never show a line that holds a secret, nor what looks like one", () => {
    const file = "zones/eu.yaml";
    const lines = ['custom_key: "hunter2"', "methd: 1, api_token: hunter2", "methd: AbCdEfGh1234567890AbCdEfGh"];
    const about = (code: "literal-secret" | "unknown-key", line: number): Diagnostic =>
      error({ code, message: "wrong", at: { file, line, column: 1 } });
    const text = formatDiagnostics(
      [about("literal-secret", 1), about("unknown-key", 1), about("unknown-key", 2), about("unknown-key", 3)],
      { format: "text", colour: false, sourceLine: ({ line }) => lines[line - 1] },
    );
    expect(text).toContain("    methd: 1, api_token: *******\n    ^^^^^\n");
    expect(text).toContain(`    methd: ${"*".repeat(26)}\n`);
    expect(text).not.toMatch(/hunter2|AbCd|custom_key/);
  });

  test("of a broken configuration end with the files that are wrong, and that nothing was sent", () => {
    const text = formatDiagnostics(found, { format: "text", colour: false, isNothingSent: true });
    expect(text).toMatch(/\n1 error, 1 warning in 2 files\. Nothing was sent\.\n$/);
  });

  test("as annotations escape what would end the property or the command", () => {
    expect(formatDiagnostics(found, { format: "github", colour: true })).toBe(
      [
        '::error file=zones/eu.yaml,line=14,col=7,title=unknown-key::unknown key "methd"%0Adid you mean "method"?',
        String.raw`::warning file=a%2Cb%3Ac%25.yaml,line=2,col=1,title=unexpected::custom_hostname["a"]: 100%25 late,\u{a}::error::x`,
        "",
      ].join("\n"),
    );
  });

  test("as JSON are all that is known, and whether one is an error", () => {
    const document: unknown = JSON.parse(formatDiagnostics(found, { format: "json", colour: false }));
    expect(document).toEqual({ format_version: "zoneform/1.0", valid: false, diagnostics: found });
  });

  test("are nothing where nothing is wrong", () => {
    expect(formatDiagnostics([], { format: "text", colour: false })).toBe("");
    const document: unknown = JSON.parse(formatDiagnostics([], { format: "json", colour: false }));
    expect(document).toEqual({ format_version: "zoneform/1.0", valid: true, diagnostics: [] });
  });
});
