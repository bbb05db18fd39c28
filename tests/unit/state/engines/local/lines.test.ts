import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linesOf } from "../../../../../lib/state/engines/local/lines.ts";
import { collect } from "../../../../support/state-world.ts";

async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

test("no bytes give no lines", async () => {
  expect(await collect(linesOf(pieces(), "f", "keep"))).toEqual([]);
  expect(await collect(linesOf(pieces(""), "f", "keep"))).toEqual([]);
});

test("lines come out complete wherever the chunks end, even in the middle of a character", async () => {
  const line = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\n"));
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const parts: Uint8Array[] = [];
      for (let start = 0; start < bytes.length; start += size) parts.push(bytes.subarray(start, start + size));
      expect(await collect(linesOf(pieces(...parts), "f", "leave out"))).toEqual(lines);
    }),
  );
});

describe("a last line without its end", () => {
  test("is kept if the whole file counts", async () => {
    expect(await collect(linesOf(pieces("a\nb"), "f", "keep"))).toEqual(["a", "b"]);
  });

  test("is omitted if a crash may have cut it, even inside a character", async () => {
    const cut = Buffer.from("a\nbé").subarray(0, 4);
    expect(await collect(linesOf(pieces(cut), "f", "leave out"))).toEqual(["a"]);
  });
});

test.each([
  ["alone", [Buffer.from("a\n\xff\nc\n", "latin1")], 2],
  ["after other pieces", ["a\nb\n", "c\n", Buffer.from("d\n\xc3\n", "latin1")], 5],
  ["in a last line that counts", ["a\n", Buffer.from("\xe2\x82", "latin1")], 2],
])("bytes that are not UTF-8 are refused with their line: %s", async (_name, parts, line) => {
  await expect(collect(linesOf(pieces(...parts), "f", "keep"))).rejects.toThrow(
    `the state is damaged: line ${line} is not UTF-8`,
  );
});

test("an endless line is refused before it fills the memory", async () => {
  async function* endless(): AsyncIterable<Uint8Array> {
    for (;;) yield Buffer.alloc(1024 * 1024, "a");
  }
  await expect(collect(linesOf(endless(), "f", "keep"))).rejects.toThrow("line 1 is longer than 64 MiB");
});

test("the message names what the lines are", async () => {
  const subject = { name: "the plan file", damage: "plan-file-damaged", remedy: "make the plan again" } as const;
  const refused = collect(linesOf(pieces(Buffer.from([0xff, 0x0a])), "f", "keep", subject));
  await expect(refused).rejects.toMatchObject({
    diagnostic: {
      code: "plan-file-damaged",
      message: "the plan file is damaged: line 1 is not UTF-8",
      remedy: subject.remedy,
    },
  });
});
