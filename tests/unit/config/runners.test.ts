import { describe, expect, test } from "vitest";
import { callsOf, issuancesOf, undividedBudget } from "../../../lib/core/rate-limits.ts";
import { load, PROJECT } from "./project.ts";

const ZONE = 'version: 1\nzone: { name: saas.dev, id: "023e105f4ecef8ad9ca31a8372d0c353" }\n';

async function loaded(budget: string): ReturnType<typeof load> {
  return load({ "zoneform.yaml": `${PROJECT}budget: ${budget}\n`, "zones/a.yaml": ZONE });
}

describe("budget.runners", () => {
  test.each([
    ["{ runners: 1 }", [600, 10], [600, 10]],
    ["{ runners: 4 }", [150, 2], [600, 10]],
    ["{ runners: 3, api: 100%, issuance: { per_minute: 16, reserve: 1 } }", [400, 5], [1200, 15]],
    ["{ runners: 7, api: unlimited, issuance: unlimited }", [Infinity, Infinity], [Infinity, Infinity]],
  ])("%s divides what an apply may use, and not what a job may use that only reads", async (budget, share, whole) => {
    const found = await loaded(budget);
    if (!found.ok) throw new Error(JSON.stringify(found.diagnostics));
    const { budget: read } = found.value.desired;
    expect([callsOf(read), issuancesOf(read)]).toEqual(share);
    expect([callsOf(undividedBudget(read)), issuancesOf(undividedBudget(read))]).toEqual(whole);
  });

  test.each([
    ["{ runners: 11 }", "budget.runners divides 10 certificates a minute among 11 runners, so none are left for each"],
    [
      "{ runners: 20, api: 1%, issuance: unlimited }",
      "budget.runners divides 12 API calls among 20 runners, so none are left for each",
    ],
  ])("%s leaves nothing for a runner, which is an error at its place", async (budget, message) => {
    expect(await loaded(budget)).toMatchObject({
      ok: false,
      diagnostics: [{ code: "empty-budget", message, at: { file: "zoneform.yaml", line: 4 } }],
    });
  });
});
