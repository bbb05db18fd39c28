import { expect, it } from "vitest";
import { DANGEROUS, HARMLESS } from "./edits.ts";
import { openEdge } from "./zone.ts";

it("the lists have at least 40 dangerous edits, 12 of them of what others share with us, and 20 harmless ones", () => {
  const titles = [...DANGEROUS, ...HARMLESS].map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(DANGEROUS.length).toBeGreaterThanOrEqual(40);
  expect(DANGEROUS.filter(({ isShared }) => isShared).length).toBeGreaterThanOrEqual(12);
  expect(HARMLESS.length).toBeGreaterThanOrEqual(20);
});

it.each([...DANGEROUS, ...HARMLESS])("the dashboard takes the edit: $title", async ({ make }) => {
  make(await openEdge());
});
