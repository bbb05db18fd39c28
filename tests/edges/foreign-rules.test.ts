import { describe, expect, it } from "vitest";
import { at, type Json } from "../support/emulator.ts";
import { DANGEROUS, HARMLESS } from "./edits.ts";
import { type Edge, openEdge } from "./zone.ts";

const OF_OTHERS = DANGEROUS.filter(({ isShared, on }) => isShared && on.every((each) => each.startsWith("ruleset[")));

it("at least 11 of the dangerous edits are made to foreign rules", () => {
  expect(OF_OTHERS.length).toBeGreaterThanOrEqual(11);
});

describe("drift, drift against the YAML, status and plan name the foreign rule", () => {
  it.each(OF_OTHERS)("$title", async ({ make, on }) => {
    const edge = await openEdge();
    make(edge);
    for (const command of [["drift"], ["drift", "--against", "config"]]) {
      expect(await foreignIn(edge, ...command)).toEqual(on);
      expect(await edge.zoneform(...command)).toMatchObject({ code: 3, stdout: expect.stringMatching(/^ +DANGER /m) });
    }
    for (const command of ["status", "plan"]) expect(await foreignIn(edge, command), command).toEqual(on);
  });
});

describe("a harmless edit is no danger of foreign rules", () => {
  it.each(HARMLESS)("$title", async ({ make }) => {
    const edge = await openEdge();
    make(edge);
    expect(await foreignIn(edge, "drift")).toEqual([]);
  });
});

/** The entry points of the foreign rules that a command names. */
async function foreignIn(edge: Edge, ...command: readonly string[]): Promise<readonly (Json | undefined)[]> {
  const { stdout } = await edge.zoneform(...command, "--format", "json");
  const rules = at(JSON.parse(stdout), "zones.0.foreign_rules");
  return Array.isArray(rules) ? rules.map((rule) => at(rule, "address")) : [];
}
