import { parseDocument, Scalar, isScalar } from "yaml";
import { describe, expect, it } from "vitest";
import { scalarOffsets } from "../../../lib/config/scalar-offsets.ts";

/** The string that a file has under `a: b:`, with the offset of each of its units. */
function read(text: string): { readonly value: string; readonly offsets: readonly number[] } {
  const document = parseDocument(text);
  const node = document.getIn(["a", "b"], true);
  if (!isScalar(node) || typeof node.value !== "string" || !node.range) throw new Error("there is no string");
  const [start, end] = node.range;
  return {
    value: node.value,
    offsets: scalarOffsets(node.value, node.type ?? undefined, text.slice(start, end), start),
  };
}

/** Each letter of the string is the letter at its offset. */
function expectLetters(text: string): void {
  const { value, offsets } = read(text);
  const there = Array.from(value, (letter, index) => [letter, text[offsets[index] ?? -1]]);
  for (const [letter, found] of there) if (letter !== " " && letter !== "\n") expect(found).toBe(letter);
  expect(offsets).toHaveLength(value.length + 1);
}

describe("each letter of a string has its place in the file", () => {
  it.each([
    ["plain", "a:\n  b: ssl and not http.host eq x # why\n"],
    ["plain over two lines", "a:\n  b: ssl and   \n     not http.host\n\n     eq x\n"],
    ["in single quotes", "a:\n  b: 'http.host eq ''x'' and ssl'\n"],
    ["in single quotes over lines", "a:\n  b: 'http.host\n    eq ''x'' and\n\n    ssl'\n"],
    ["a literal block", "a:\n  b: |\n    ssl\n      and x\n\n    or y\n"],
    ["a literal block with a header", "a:\n  b: |2-\n      ssl\n    and x\n"],
    ["a folded block", "a:\n  b: >-\n    ssl\n    and x\n\n    or y\n"],
    ["a folded block with a deeper line", "a:\n  b: >\n    ssl\n      and x\n    or y\n"],
    ["a block after a blank line", "a:\n  b: |\n\n    ssl\n"],
    ["a block with Windows line ends", "a:\r\n  b: |\r\n    ssl\r\n    and x\r\n"],
  ])("%s", (_style, text) => expectLetters(text));

  it("with escapes, at the escape", () => {
    const text = 'a:\n  b: "x eq \\"y\\" or \\u0041 \\\n    and z"\n';
    const { value, offsets } = read(text);
    expect(value).toBe('x eq "y" or A and z');
    expect(text.slice(offsets[value.indexOf('"y')] ?? 0)).toMatch(/^\\"y/);
    expect(text.slice(offsets[value.indexOf("A")] ?? 0)).toMatch(/^\\u0041/);
    expect(text.slice(offsets[value.indexOf("and")] ?? 0)).toMatch(/^and z/);
  });

  it("whatever the text, in whatever style", () => {
    const words = ["ssl", "and", "x.y", '"q"', "'s'", "  ", "\n", "\n\n", "(", "é", "#", ": "];
    const styles: readonly Scalar.Type[] = [
      Scalar.PLAIN,
      Scalar.QUOTE_DOUBLE,
      Scalar.QUOTE_SINGLE,
      Scalar.BLOCK_FOLDED,
      Scalar.BLOCK_LITERAL,
    ];
    let seed = 7;
    const draw = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * most);
    };
    for (let count = 0; count < 400; count += 1) {
      const value = Array.from({ length: 1 + draw(40) }, () => words[draw(words.length)]).join(
        draw(2) === 0 ? " " : "",
      );
      const document = parseDocument("a:\n  b: x\n");
      const node = new Scalar(value);
      const style = styles[draw(styles.length)];
      if (style !== undefined) node.type = style;
      document.setIn(["a", "b"], node);
      const text = document.toString({ lineWidth: 20 + draw(60) });
      const found = read(text);
      found.value.split("").forEach((letter, index) => {
        const there = text[found.offsets[index] ?? -1];
        if (/[\w.()#]/.test(letter)) expect(there, JSON.stringify({ text, index })).toBe(letter);
      });
    }
  });
});
