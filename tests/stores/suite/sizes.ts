import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { STORES_FULL } from "../../support/full.ts";
import { collect, given, HOLDER, ZONE } from "../../support/state-world.ts";
import type { MakeStore } from "./under-test.ts";
import { keptIn } from "./lines.ts";

const SIZES = STORES_FULL ? [0, 1, 1024 ** 2, 34_000_000] : [0, 1, 1024 ** 2];
/** Of a large snapshot in short lines: what a million hostnames take. */
const LARGE_BYTES = STORES_FULL ? 346_000_000 : 1_000_000;

/** Lines that are long, and many. */
export function describeSizes(name: string, make: MakeStore): void {
  describe(`${name}: sizes`, () => {
    test.each(SIZES)("a line of %i characters, and as many in short lines, come back as they were", async (size) => {
      const { store, other } = await make();
      const lease = await store.lock(ZONE, HOLDER, 0);
      const short = Array.from({ length: Math.ceil(size / 100) }, (_, index) => `${index}`.padEnd(99, "x"));
      const lines = ["x".repeat(size), ...short];
      await store.write(ZONE, lease, undefined, given(lines));
      await store.append(ZONE, lease, lines);
      await store.keep(ZONE, lease, "run-1", given(lines));
      const stored = (await other.view(ZONE)).state;
      expect(isSame(stored ? await collect(stored.lines) : [], lines)).toBe(true);
      expect(isSame(await collect((await other.view(ZONE)).journal()), lines)).toBe(true);
      expect(isSame(await keptIn(other, "run-1"), lines)).toBe(true);
    });
  });

  test(`${name}: a snapshot of ${LARGE_BYTES} characters in short lines goes in and out as a stream`, async () => {
    const { store, other } = await make();
    const lease = await store.lock(ZONE, HOLDER, 0);
    await store.write(ZONE, lease, undefined, shortLines(LARGE_BYTES));
    const stored = (await other.view(ZONE)).state;
    expect(stored && (await digestOf(stored.lines))).toEqual(await digestOf(shortLines(LARGE_BYTES)));
  });
}

async function* shortLines(characters: number): AsyncIterable<string> {
  for (let index = 0; index < characters / 100; index += 1) yield `${index}`.padEnd(99, "x");
}

async function digestOf(lines: AsyncIterable<string>): Promise<string> {
  const hash = createHash("sha256");
  for await (const line of lines) hash.update(line).update("\n");
  return hash.digest("hex");
}

/** Not by `toEqual`: a difference of megabytes helps nobody. */
function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((line, index) => line === right[index]);
}
