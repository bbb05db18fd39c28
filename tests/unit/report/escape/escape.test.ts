import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { neverCommand, escape } from "../../../../lib/report/escape/terminal.ts";
import { line } from "../../../../lib/report/lines/lines.ts";
import { printLines } from "../../../../lib/report/printers/text.ts";
import { planText } from "../../../../lib/report/plan.ts";
import { aChange, aLeaf, aPlan, aRule, aZone } from "../../../support/plans.ts";

/** C0 and C1 with DEL, zero-width and BiDi controls, separators, the byte order mark, the soft hyphen. */
const HIDDEN = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  [0xad, 0xad],
  [0x61c, 0x61c],
] as const;

/** The code points of a text that should not be seen in it, because they cannot be. */
function hiddenIn(text: string): number[] {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  return codes.filter((code) => HIDDEN.some(([first, last]) => code >= first && code <= last));
}

/** Texts in which what must be escaped is frequent. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("a", " ", ":", "#", "[", "\u001b", "\n", "\r", "\b", "\u009b", "\u202e", "\u200b", "\t"),
  }),
);

describe("a value on the terminal", () => {
  test.each([
    ["\u001b[31mred", String.raw`\u{1b}[31mred`],
    ["\u001b]8;;http://evil\u0007x", String.raw`\u{1b}]8;;http://evil\u{7}x`],
    ["\u009b2J", String.raw`\u{9b}2J`],
    ["a\nb\rc\bd", String.raw`a\u{a}b\u{d}c\u{8}d`],
    ["admin\u202egnp.exe", String.raw`admin\u{202e}gnp.exe`],
    ["pay\u200bpal\ufeff", String.raw`pay\u{200b}pal\u{feff}`],
    ["\ud800", String.raw`\u{d800}`],
    ["a\u00a0b", String.raw`a\u{a0}b`],
    ["##[add-mask]x", String.raw`\u{23}#[add-mask]x`],
  ])("shows what it hides: %j", (value, shown) => {
    expect(escape(value)).toBe(shown);
  });

  test("is left alone where everything is visible, whatever the script", () => {
    const plain = 'bücher.example 日本語 "quoted" \\d+ ::1 #[x]';
    expect(escape(plain)).toBe(plain);
  });

  test("is escaped once by escaping twice", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escape(escape(text))).toBe(escape(text));
      }),
    );
  });

  test("never leaves a hidden character", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(hiddenIn(escape(text))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a printed text", () => {
  test("is no command for a CI runner, wherever it is broken", () => {
    const command = /^\s*::|##\[/m;
    fc.assert(
      fc.property(hostile, fc.integer({ min: 4, max: 30 }), (value, columns) => {
        expect(printLines([line(0, value), line(2, `x ${value}`)], { colour: false, columns })).not.toMatch(command);
      }),
      { numRuns: 1000 },
    );
    expect(neverCommand("  ::error::x")).toBe(String.raw`  \u{3a}:error::x`);
  });

  test("has no hidden character but its own newlines, whatever the plan holds", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const change = aChange(text, "update", {
          leaves: [aLeaf("custom_metadata.x", text, `${text}!`), aLeaf("y", [text], { [text]: text })],
          rules: [aRule("edit", text, text, { foreign: true })],
          letGo: [["custom_metadata", text]],
          notes: [text],
          reason: text,
          held: { reason: text, leaves: [aLeaf("z", text, text)] },
          hazards: ["loses-foreign-rule"],
        });
        const finding = { severity: "warning", code: "unexpected", message: text, remedy: text } as const;
        const printed = planText(aPlan([aZone({ changes: [change], findings: [finding] })]), { colour: false });
        expect(hiddenIn(printed.replaceAll("\n", ""))).toEqual([]);
      }),
    );
  });

  test("never has a value at column 0: a newline inside a value starts no line", () => {
    const change = aChange("a.example.com", "update", {
      leaves: [aLeaf("custom_metadata.x", "a", "b\nPlan: no changes")],
    });
    expect(planText(aPlan([[change]]), { colour: false })).not.toMatch(/^Plan: no changes/m);
  });
});
