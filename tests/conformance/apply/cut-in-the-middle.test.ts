import { describe, expect, it } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { makeUndo } from "../../../lib/engine/undo.ts";
import { applyExit } from "../../../lib/engine/exit.ts";
import type { HttpResponse } from "../../../lib/service/http.ts";
import { endingsOf, failuresOf, NO_LIMITS, type Rig, ZONE } from "../../support/engine.ts";
import { CASES, inTime, PATH, rigOf, statusOf, withBudget } from "./fresh-reads-world.ts";
import { runText } from "../../support/texts.ts";

const caseOf = (what: string): (typeof CASES)[number] =>
  CASES.find((each) => each.what === what) ?? expect.fail(`no case ${what}`);
const REPLACEMENT = caseOf("replace a hostname");
const HOUR_MILLISECONDS = 3_600_000;

describe("a replacement", () => {
  it("completes if the service asks for a pause after its delete, and only one certificate a minute is allowed", async () => {
    const rig = await rigOf({ ...REPLACEMENT, budget: "100%" });
    onePerMinute(rig);
    const plan = await rig.plan();
    const client = rig.world().connect(plan.budget);
    rig.network(async ({ method }, _index, pass) => {
      const answer = await pass();
      if (method !== "DELETE") return answer;
      const fault = { kind: "throttle", code: 10100, status: 429, retryAfter: 5 } as const;
      rig.service.core.faults.order({ fault, path: PATH, count: 1 });
      await client.send({ method: "GET", path: PATH, family: "zones" });
      return answer;
    });
    const report = await inTime(rig, rig.apply(plan), HOUR_MILLISECONDS);
    expect(statusOf(report, REPLACEMENT.address)).toBe("done");
  });

  it("has reserved its certificate when it deletes, even if its first read is refused with 429", async () => {
    const rig = await rigOf({ ...REPLACEMENT, budget: "100%" });
    onePerMinute(rig);
    const plan = await rig.plan();
    let reads = 0;
    rig.network(async ({ method, url }, _index, pass) => {
      if (method === "GET" && /custom_hostnames\/[0-9a-f-]{36}$/.test(url) && reads++ === 0) return tooMany();
      return pass();
    });
    rig.service.core.log.reset();
    expect(statusOf(await inTime(rig, rig.apply(plan), HOUR_MILLISECONDS), REPLACEMENT.address)).toBe("done");
    const [deleted, created] = ["DELETE", "POST"].map((method) =>
      rig.service.core.log.entries().find((entry) => entry.method === method),
    );
    expect((created?.at ?? Infinity) - (deleted?.at ?? 0)).toBeLessThan(1000);
  });

  function onePerMinute(rig: Rig): void {
    rig.write("zoneform.yaml", {
      version: 1,
      project: "rig",
      zones: ["zones/*.yaml"],
      budget: { api: "100%", issuance: { per_minute: 15, reserve: 14 } },
      deletion_limits: NO_LIMITS,
    });
  }
});

function tooMany(): HttpResponse {
  const body = JSON.stringify({ success: false, errors: [{ code: 10100, message: "too many" }], result: null });
  return { status: 429, headers: { "retry-after": "2" }, body };
}

describe("a step that fails after its overrides were deleted", () => {
  it("is reported as partly written, with code 6", async () => {
    const migration = caseOf("migrate the WAF with its entry point, overrides first");
    const rig = await rigOf({ ...migration, budget: "100%" });
    const plan = await rig.plan(migration.planOptions);
    rig.network(async ({ method }, _index, pass) => {
      if (method !== "PUT") return pass();
      const body = JSON.stringify({ success: false, errors: [{ code: 10000, message: "not allowed" }], result: null });
      return { status: 403, headers: {}, body };
    });
    const report = await inTime(rig, rig.apply(plan));
    const [ending] = endingsOf(report).filter(({ address }) => address === "waf_migration");
    expect(ending?.outcome).toMatchObject({ status: "failed", hasWritten: true });
    expect(applyExit(report).code).toBe(6);
    expect(runText(report, { colour: false }).split("\n")[0]).not.toMatch(/applied (?:nothing|none)/i);
  });
});

describe("an undo", () => {
  it("is refused as a whole if the budget is smaller than one of its attempts", async () => {
    const update = caseOf("update a hostname");
    const rig = await rigOf({ ...update, budget: "100%" });
    expect(failuresOf(await inTime(rig, rig.run()))).toEqual([]);
    await withBudget(rig, "0.1%");
    const undone = makeUndo(rig.world(), { file: rig.file, run: "last", zones: [ZONE.id] });
    const refused = await undone.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(refused).toBeInstanceOf(Refusal);
    expect(refused instanceof Refusal && refused.diagnostics.map(({ code }) => code)).toEqual(["empty-budget"]);
  });
});
