import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText } from "../../../../lib/report/escape/json.ts";
import { htmlText, markdownCode, markdownFence, markdownText } from "../../../../lib/report/escape/markdown.ts";
import { displayedTags, displayedText } from "../../../support/comments.ts";
import { commandMessage, commandProperty, neverCommand, escape } from "../../../../lib/report/escape/terminal.ts";
import { csvCell } from "../../../../lib/report/formats/csv.ts";

/** Texts in which what some sink acts on is frequent. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      ...Array.from("aw1:#[]()<>&\"'`=+-@!|~%/\\,;*_ \n\r\t\u001b\u009b\u202e\u200b"),
      "::",
      "##[",
      "```",
      "GH-1",
      "www.",
      "http://",
    ),
  }),
);

/** A value at the start of a line and inside of one is displayed as it is, and neither Markdown nor a host acts on it. */
function expectInert(value: string): void {
  const shown = escape(value).trim();
  for (const before of ["", "x "]) {
    const markdown = before + markdownText(value);
    const text = displayedText(markdown).trimEnd();
    expect(displayedTags(markdown).filter((tag) => tag !== "<p>" && tag !== "</p>")).toEqual([]);
    expect(text.replaceAll("\u200b", "")).toBe((before + shown).trimEnd());
    // What hosts look for after they have read the Markdown: mentions, references, addresses, emoji.
    expect(text).not.toMatch(/[@#!~%$&^][\p{L}\p{N}_"]|:\/\/|:[\w+-]+:|\bGH-\d/u);
  }
}

describe("the log of GitHub Actions", () => {
  // A runner trims a line before it looks for `::`, and finds `##[` anywhere in it.
  const isCommand = (line: string): boolean => line.trimStart().startsWith("::") || line.includes("##[");

  test("has no command that came from a value, wherever the line begins", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const line of escape(text).split("\n")) expect(isCommand(neverCommand(line))).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(["\n::stop-commands::x", "\n::add-mask::a", "##[error]x", "  ::set-output name=a::b", "\r::error::x"])(
    "shows %j and does not act on it",
    (value) => {
      expect(isCommand(neverCommand(escape(value)))).toBe(false);
    },
  );

  test("reads a message and a property back as they were shown", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [message, property] = [commandMessage(text), commandProperty(text)];
        expect(message).not.toMatch(/[\r\n]/);
        expect(property).not.toMatch(/[\r\n:,]/);
        expect(property.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%25", "%")).toBe(escape(text));
      }),
    );
  });
});

describe("Markdown", () => {
  test.each([
    ["a mention of a team", "@org/admins"],
    ["a reference that closes", "fixes #1"],
    ["a reference to elsewhere", "org/repo#2"],
    ["the old form of a reference", "GH-12"],
    ["a merge request, a label, a milestone", "!1 ~bug %v1 $2 &3"],
    ["a bare address", "https://evil.example/x and www.evil.example"],
    ["an address of mail", "someone@evil.example"],
    ["an image that calls home", "![](https://evil.example/leak)"],
    ["a link to a script", "[x](javascript:alert(1))"],
    ["a tag", "<img src=x onerror=alert(1)></details><script>alert(1)</script>"],
    ["code that ends", "`` ` ``` x"],
    ["emphasis, a list and a heading", "**a** __b__ ~~c~~ - d # e"],
  ])("shows %s and does nothing with it", (_case, value) => {
    expectInert(value);
  });

  test("does nothing with any value, and shows it", () => {
    fc.assert(fc.property(hostile, expectInert), { numRuns: 1000 });
  });

  test("leaves a table its rows and cells", () => {
    fc.assert(
      fc.property(hostile, hostile, (left, right) => {
        const table = `| a | b |\n| --- | --- |\n| ${markdownText(left)} | ${markdownText(right)} |\n`;
        expect(displayedTags(table).filter((tag) => tag === "<td>")).toHaveLength(2);
        expect(displayedTags(table).filter((tag) => tag === "<tr>")).toHaveLength(2);
      }),
    );
  });

  test("shows any value as code", () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const shown = escape(value).trim();
        fc.pre(shown !== "");
        expect(displayedTags(`x ${markdownCode(value)} y`)).toEqual(["<p>", "<code>", "</code>", "</p>"]);
        expect(displayedText(`x ${markdownCode(value)} y`)).toBe(`x ${shown} y`);
      }),
    );
  });

  test("shows any value in a summary, where only HTML counts", () => {
    fc.assert(
      fc.property(hostile, (value) => {
        expect(htmlText(value)).not.toMatch(/[<>"'`\n]/);
      }),
    );
  });

  test("leaves alone what Markdown does not interpret, so that a mail can be read", () => {
    const text = 'saas-edge: update min_tls_version of app.customer.net (config), "1.3" -> 5 of 10% + 1 = 2';
    expect(markdownText(text)).toBe(text.replace(">", "\\>"));
  });

  test("has a fence that nothing inside of it ends", () => {
    fc.assert(
      fc.property(fc.array(hostile), (values) => {
        const lines = markdownFence(values.join("\n"), "diff").trimEnd().split("\n");
        const fence = lines.at(-1) ?? "";
        expect(lines[0]).toBe(`${fence}diff`);
        expect(fence).toMatch(/^`{3,}$/);
        for (const line of lines.slice(1, -1)) expect(line).not.toContain(fence);
      }),
    );
  });

  test("keeps a fence that would close early inside", () => {
    expect(markdownFence("a\n````\n</details><script>\n")).toBe("`````\na\n````\n</details><script>\n`````\n");
  });
});

describe("CSV", () => {
  test("is read back cell by cell as it was shown, and no cell is a formula", () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1 }), (values) => {
        const read: string[][] = parse(`${values.map(csvCell).join(",")}\n`, { relax_column_count: true });
        // A line of one empty cell is no line for the reader.
        if (values.every((value) => value === "") && values.length === 1) return;
        expect(read).toHaveLength(1);
        expect(read[0]?.map((cell) => cell.replace(/^'/, ""))).toEqual(
          values.map((value) => escape(value).replace(/^'/, "")),
        );
        for (const cell of read[0] ?? []) expect(cell).not.toMatch(/^\s*[=+\-@]/);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(["=HYPERLINK(1)", "+1", "-1", "@sum", " =1", "\uff1d1"])("has an apostrophe before %j", (value) => {
    expect(csvCell(value)).toBe(`'${value}`);
  });

  test("shows a tab or a line break before a formula, so that the cell does not begin with it", () => {
    expect(csvCell("\t=1")).toBe(String.raw`\u{9}=1`);
    expect(csvCell("\r=1")).toBe(String.raw`\u{d}=1`);
  });

  test("has quotes round what other countries would take for several cells", () => {
    expect(csvCell("a;=1")).toBe('"a;=1"');
  });
});

describe("JSON", () => {
  test("means the same, and has neither hidden characters nor commands of a log", () => {
    fc.assert(
      fc.property(fc.array(hostile), (values) => {
        const shown = jsonText({ values });
        expect(JSON.parse(shown)).toEqual({ values });
        expect(shown).not.toContain("##[");
        for (const line of shown.split("\n")) expect(escape(line)).toBe(line);
      }),
      { numRuns: 1000 },
    );
  });
});
