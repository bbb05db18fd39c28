import { describe, expect, it } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { changesOf, openRig, type Rig, ZONE } from "../../support/engine.ts";
import type { Plan } from "../../../lib/plan/change.ts";
import { decodePlan, encodePlan } from "../../../lib/plan/file.ts";
import type { PlanScope } from "../../../lib/plan/scope.ts";

const ENDPOINT = "https://api.test/client/v4";
const SCOPE: PlanScope = {
  zones: ["saas.net"],
  target: ["custom_hostname"],
  exclude: ["total_tls"],
  deny: ["outage"],
  sources: { customers: "new.csv" },
  isDestroy: true,
  undo: "run-1",
};

/** A plan with every sort of line: changes of every action, rules, held leaves, refusals, bookkeeping, sources, findings. */
async function richPlan(): Promise<Plan> {
  const rig = openRig({
    zone: {
      custom_hostnames: [
        { hostname: "adopt.net", custom_metadata: { tier: "silver" } },
        { hostname: "held.net", status: "pending", ssl: { method: "http", type: "dv" } },
        { hostname: "foreign.net" },
        { hostname: "same.net", ssl: null },
      ],
      rulesets: [
        { phase: "http_request_firewall_custom", rules: [{ ref: "theirs", action: "log", expression: "true" }] },
      ],
    },
    files: {
      "zoneform.yaml": {
        version: 1,
        project: "edge",
        zones: ["zones/*.yaml"],
        sources: { customers: { csv: "c.csv", fields: { hostname: "domain" } } },
      },
      "c.csv": "domain\nfrom-csv.net\n",
      "zones/a.yaml": {
        version: 1,
        zone: ZONE,
        custom_hostnames: {
          lifecycle: "zoneform",
          entries: [
            { hostname: "adopt.net", custom_metadata: { tier: "gold" }, protect: true },
            { hostname: "held.net", ssl: { method: "txt" } },
          ],
          from: [{ source: "customers" }],
        },
        entry_points: {
          http_request_firewall_custom: { rules: [{ ref: "ours", action: "block", expression: "true" }] },
        },
        total_tls: { enabled: true, certificate_authority: "lets_encrypt" },
      },
    },
  });
  await firstRun(rig);
  rig.write(
    "zones/a.yaml",
    rig
      .read("zones/a.yaml")
      .replace("tier: gold", "tier: bronze")
      .replace("method: txt", "method: email")
      .replace("action: block", "action: log"),
  );
  return rig.plan();
}

async function firstRun(rig: Rig): Promise<void> {
  await rig.run({ selection: { target: [], exclude: ["custom_hostname[from-csv.net]", "total_tls"], deny: [] } });
}

async function* streamed(lines: Iterable<string>): AsyncIterable<string> {
  yield* lines;
}

async function read(lines: Iterable<string>): ReturnType<typeof decodePlan> {
  return decodePlan(streamed(lines), "plan.zfplan");
}

describe("a plan file", () => {
  it("gives back the plan that was saved, to the last field", async () => {
    const plan = await richPlan();
    expect(changesOf(plan).map(({ action }) => action)).toEqual(
      expect.arrayContaining(["create", "update", "held", "adopt"]),
    );
    expect(changesOf(plan).some(({ refused }) => refused)).toBe(true);
    expect(changesOf(plan).some(({ hazardDetails }) => hazardDetails)).toBe(true);
    const saved = await read(encodePlan({ plan, endpoint: ENDPOINT, scope: SCOPE }));
    // What the project claims, and what needs no change, is worked out anew by each apply.
    const zones = plan.zones.map(({ claims: _claims, settled: _settled, ...zone }) => zone);
    expect(saved).toEqual({ plan: JSON.parse(JSON.stringify({ ...plan, zones })), endpoint: ENDPOINT, scope: SCOPE });
    expect(await read(encodePlan(saved))).toEqual(saved);
  });

  it("that was edited in any byte is refused", async () => {
    const lines = [...encodePlan({ plan: await richPlan(), endpoint: ENDPOINT, scope: SCOPE })];
    const text = Buffer.from(lines.join("\n"));
    // Every byte of the first and the last line, and every seventh between them.
    const footer = text.lastIndexOf(10);
    for (let index = 0; index < text.length; index += index < 400 || index > footer ? 1 : 7) {
      const edited = Buffer.from(text);
      edited[index] = (edited[index] ?? 0) ^ 1;
      await expect(read(edited.toString("utf8").split("\n")), `byte ${index}`).rejects.toThrow(Refusal);
    }
  });

  it("that was cut at any line, or is empty, is refused", async () => {
    const lines = [...encodePlan({ plan: await richPlan(), endpoint: ENDPOINT, scope: SCOPE })];
    for (let count = 0; count < lines.length; count += 1)
      await expect(read(lines.slice(0, count))).rejects.toThrow(Refusal);
    await expect(read([...lines, lines.at(-1) ?? ""])).rejects.toThrow(Refusal);
  });
});
