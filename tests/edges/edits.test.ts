import { describe, expect, it } from "vitest";
import { at, type Json, text } from "../support/emulator.ts";
import { type DangerousEdit, DANGEROUS, HARMLESS } from "./edits.ts";
import { type Edge, openEdge } from "./zone.ts";

/** After this time the service has deployed what was edited. */
const DEPLOYED_MILLISECONDS = 600_000;

it("the lists have at least 40 dangerous edits, 12 of them of what others share with us, and 20 harmless ones", () => {
  const titles = [...DANGEROUS, ...HARMLESS].map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(DANGEROUS.length).toBeGreaterThanOrEqual(40);
  expect(DANGEROUS.filter(({ isShared }) => isShared).length).toBeGreaterThanOrEqual(12);
  expect(HARMLESS.length).toBeGreaterThanOrEqual(20);
});

describe("an edit that opens the edge or takes customers down", () => {
  for (const edit of DANGEROUS)
    it(`is named with its danger: ${edit.title}`, async () => {
      const edge = await made(edit.make, edit.isLookedAtAtOnce);
      await expectNamed(edge, edit, "drift");
      await expectNamed(edge, edit, "status");
      await edge.forget();
      if (edit.isKnownWithoutState) await expectNamed(edge, edit, "drift", "--against", "config");
    });
});

describe("a harmless edit", () => {
  for (const { title, make } of HARMLESS)
    it(`is named without any danger: ${title}`, async () => {
      const edge = await made(make);
      expect(await dangersIn(edge, "drift")).toEqual([]);
      expect(await dangersIn(edge, "status")).toEqual([]);
      await edge.forget();
      expect(await dangersIn(edge, "drift", "--against", "config")).toEqual([]);
    });
});

describe("a DNS record of the zone", () => {
  const recordOf = (edge: Edge, name: string): string => {
    const [record] = [edge.send("GET", `dns_records?name=${name}`)].flat();
    return `dns_records/${text(record ?? null, "id")}`;
  };

  it.each([
    ["of a custom origin is deleted", (edge: Edge) => edge.send("DELETE", recordOf(edge, "origin1.saas.net"))],
    [
      "of the fallback origin is no longer proxied",
      (edge: Edge) => edge.send("PATCH", recordOf(edge, "fallback.saas.net"), { proxied: false }),
    ],
  ])("%s: an outage for status, and no drift, because records are not managed", async (_title, edit) => {
    const edge = await openEdge();
    edit(edge);
    edge.wait(DEPLOYED_MILLISECONDS);
    expect((await edge.zoneform("drift")).code).toBe(0);
    const codes = [
      await edge.zoneform("status"),
      await edge.zoneform("status", "--detailed-exitcode"),
      await edge.zoneform("status", "--fail-on", "outage"),
      await edge.zoneform("status", "--fail-on", "weakens-protection"),
    ].map(({ code }) => code);
    expect(codes).toEqual([0, 3, 3, 0]);
    const json: Json = JSON.parse((await edge.zoneform("status", "--json")).stdout);
    expect([at(json, "exit_code"), at(json, "zones.0.exit_code")]).toEqual([3, 3]);
  });
});

it("nothing is named where nobody edited anything", async () => {
  const edge = await openEdge();
  expect((await edge.zoneform("drift")).code).toBe(0);
  expect((await edge.zoneform("status", "--detailed-exitcode")).code).toBe(0);
  expect(await dangersIn(edge, "drift")).toEqual([]);
  expect(await dangersIn(edge, "status")).toEqual([]);
  await edge.forget();
  expect((await edge.zoneform("drift", "--against", "config")).code).toBe(0);
});

async function made(make: DangerousEdit["make"], isLookedAtAtOnce?: true): Promise<Edge> {
  const edge = await openEdge();
  make(edge);
  if (!isLookedAtAtOnce) edge.wait(DEPLOYED_MILLISECONDS);
  return edge;
}

async function expectNamed(edge: Edge, { hazard, on }: DangerousEdit, ...command: readonly string[]): Promise<void> {
  const told = command.join(" ");
  expect(await dangersIn(edge, ...command), told).toContainEqual({ hazard, addresses: [...on].sort() });
  const { code, stdout } = await edge.zoneform(...command);
  expect(stdout, told).toMatch(new RegExp(`^ +DANGER .* ${hazard}$`, "m"));
  expect(code, told).toBe(command[0] === "drift" ? 3 : 0);
}

/** What the JSON of a command names as a danger. */
async function dangersIn(edge: Edge, ...command: readonly string[]): Promise<readonly Json[]> {
  const { stdout } = await edge.zoneform(...command, "--json");
  const named = at(JSON.parse(stdout), "hazards");
  return (Array.isArray(named) ? named : [{ hazard: "missing", addresses: [] }]).map((each) => {
    const addresses = at(each, "addresses");
    const sorted = Array.isArray(addresses) ? addresses.map(String).sort() : [];
    return { hazard: at(each, "hazard") ?? null, addresses: sorted };
  });
}
