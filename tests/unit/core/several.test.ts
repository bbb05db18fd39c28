import { expect, test } from "vitest";
import { several } from "../../../lib/core/lists.ts";

/** Calls that end on demand, and which of them have begun. */
function calls(): { begun: string[]; act: (item: string) => Promise<string>; end: (item: string) => void } {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const act = (item: string): Promise<string> => {
    begun.push(item);
    return new Promise((resolve, reject) => {
      ends.set(item, () => (item === "bad" ? reject(new Error("bad")) : resolve(`${item}!`)));
    });
  };
  return { begun, act, end: (item) => ends.get(item)?.() };
}

/** Lets everything happen that is not waiting. */
async function settle(): Promise<void> {
  await new Promise(setImmediate);
}

test("several give each result in the order of the items, whichever ends first", async () => {
  const { begun, act, end } = calls();
  const all = several(["a", "b", "c"], act, 2);
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
  end("c");
  end("a");
  expect(await all).toEqual([
    ["a", "a!"],
    ["b", "b!"],
    ["c", "c!"],
  ]);
});

test("several start nothing more after the first error", async () => {
  const { begun, act, end } = calls();
  const all = several(["bad", "b", "c", "d"], act, 2);
  end("bad");
  await expect(all).rejects.toThrow("bad");
  end("b");
  await settle();
  expect(begun).toEqual(["bad", "b"]);
});
