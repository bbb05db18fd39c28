import { expect, it } from "vitest";
import { EDITS } from "./edits.ts";

it("the list has forty edits, each of them once, with a reason, and really an edit", () => {
  expect(EDITS).toHaveLength(40);
  expect(new Set(EDITS.map(({ name }) => name)).size).toBe(40);
  for (const { name, from, to, because } of EDITS) {
    expect(because, name).not.toBe("");
    expect(to, name).not.toEqual(from);
  }
});
