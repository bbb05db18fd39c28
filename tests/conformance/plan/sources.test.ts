import { describe, expect, it } from "vitest";
import { Refusal } from "../../../lib/core/diagnostic.ts";
import { applyApproved, statuses } from "../../support/approving.ts";
import { changesOf, failuresOf, inWords, openRig, type Rig, ZONE } from "../../support/engine.ts";

interface Rows {
  readonly eu: number;
  readonly us: number;
}

/** A file with the rows of `eu` first, then those of `us`. */
function csv({ eu, us }: Rows): Buffer {
  const rows = (region: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_item, index) => `${region}${index}.customer.net,${region}`);
  return Buffer.from(["domain,region", ...rows("eu", eu), ...rows("us", us), ""].join("\n"));
}

/** A zone that takes the regions in this order from one source, after the file was applied. */
async function applied(order: readonly string[], rows: Rows): Promise<Rig> {
  const customers = {
    csv: "data/customers.csv",
    fields: { hostname: "domain" },
    labels: { region: "region" },
    complete: { max_shrink: "2%" },
  };
  const from = order.map((region) => ({ source: "customers", where: { "label.region": region } }));
  const rig = openRig({
    files: {
      "zoneform.yaml": {
        version: 1,
        project: "rig",
        zones: ["zones/*.yaml"],
        budget: { api: "100%", issuance: { per_minute: 100_000, reserve: 0 } },
        sources: { customers },
      },
      "zones/a.yaml": { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", from } },
      "data/customers.csv": csv(rows),
    },
  });
  expect(failuresOf(await rig.run())).toEqual([]);
  return rig;
}

async function refusals(rig: Rig): Promise<readonly string[]> {
  const thrown: unknown = await rig.plan().catch((refusal: unknown) => refusal);
  return thrown instanceof Refusal ? thrown.diagnostics.map(({ code }) => code) : [];
}

function isLive(rig: Rig, hostname: string): boolean {
  const { body } = rig.admin.dashboard("GET", `/zones/${ZONE.id}/custom_hostnames?hostname=${hostname}`);
  return JSON.parse(body).result.length === 1;
}

describe.each([[["us", "eu"]], [["eu", "us"]]])("a source that a zone takes twice, first %o", (order) => {
  it("is remembered with all of its rows, and with the last row of the file", async () => {
    const rig = await applied(order, { eu: 10, us: 100 });
    expect((await rig.state())?.sources).toEqual({
      customers: expect.objectContaining({ rows: 110 }),
    });
  });

  it("is refused before a plan if it shrinks beyond its limit, and in the plan if it lost its tail", async () => {
    const rig = await applied(order, { eu: 10, us: 100 });
    rig.write("data/customers.csv", csv({ eu: 10, us: 50 }));
    expect(await refusals(rig)).toEqual(["source-shrank"]);
    rig.write("data/customers.csv", csv({ eu: 10, us: 98 }));
    expect(inWords(changesOf(await rig.plan()))).toEqual([
      'delete custom_hostname["us98.customer.net"] config refused source-tail-gone',
      'delete custom_hostname["us99.customer.net"] config refused source-tail-gone',
    ]);
  });

  it("loses its newest row, or has it replaced by another, on an ordinary day", async () => {
    const rig = await applied(order, { eu: 10, us: 100 });
    rig.write("data/customers.csv", csv({ eu: 10, us: 99 }));
    expect(inWords(changesOf(await rig.plan()))).toEqual(['delete custom_hostname["us99.customer.net"] config']);
    const replaced = csv({ eu: 10, us: 100 }).toString("utf8").replace("us99.", "us100.");
    rig.write("data/customers.csv", replaced);
    expect(failuresOf(await rig.run())).toEqual([]);
    rig.write("data/customers.csv", replaced.replace("us100.", "us101."));
    expect(failuresOf(await rig.run())).toEqual([]);
    expect([isLive(rig, "us101.customer.net"), isLive(rig, "us100.customer.net")]).toEqual([true, false]);
  });

  it.each([
    { eu: 100, us: 10 },
    { eu: 10, us: 100 },
  ])("can be planned from if its file is as it was (%o)", async (rows) => {
    const rig = await applied(order, rows);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});

describe("a missing tail", () => {
  const WHOLE = csv({ eu: 10, us: 100 });
  const CUT = csv({ eu: 10, us: 98 });
  const REFUSED = ["us98", "us99"].map((name) => `delete custom_hostname["${name}.customer.net"] refused`);

  it("stays blocked at every apply until the file is complete again, and everything else is applied", async () => {
    const rig = await applied(["eu", "us"], { eu: 10, us: 100 });
    rig.write("data/customers.csv", `${CUT.toString("utf8")}new.customer.net,us\n`);
    for (const created of [['create custom_hostname["new.customer.net"] done'], []])
      expect(statuses(await rig.run())).toEqual([...created, ...REFUSED]);
    expect(isLive(rig, "us99.customer.net")).toBe(true);
    rig.write("data/customers.csv", WHOLE);
    expect(inWords(changesOf(await rig.plan()))).toEqual(['delete custom_hostname["new.customer.net"] config']);
  });

  it("is deleted once exactly that plan is approved by its hash, and not asked about again", async () => {
    const rig = await applied(["eu", "us"], { eu: 10, us: 100 });
    rig.write("data/customers.csv", CUT);
    const { hash } = await rig.plan();
    const hashed = await applyApproved(rig, { expect: hash });
    expect(statuses(hashed)).toEqual(REFUSED);
    const approved = await applyApproved(rig, { approve: hash });
    expect(statuses(approved)).toEqual(REFUSED.map((line) => line.replace("refused", "done")));
    rig.write("data/customers.csv", csv({ eu: 10, us: 97 }));
    expect(inWords(changesOf(await rig.plan()))).toEqual(['delete custom_hostname["us97.customer.net"] config']);
  });

  it("is also blocked if its rows would be deleted one by one", async () => {
    const rig = await applied(["eu", "us"], { eu: 10, us: 100 });
    rig.write("data/customers.csv", csv({ eu: 10, us: 98 }));
    const [, last] = changesOf(await rig.plan());
    const selection = { target: [`${last?.address}`], exclude: [], deny: [] };
    expect(statuses(await rig.run({ selection }))).toEqual(REFUSED.slice(1));
    expect(statuses(await rig.run())).toEqual(REFUSED);
  });

  it("does not prevent drift from being seen", async () => {
    const rig = await applied(["eu", "us"], { eu: 10, us: 100 });
    rig.write("data/customers.csv", CUT);
    expect(await rig.drift()).toEqual([]);
  });

  it("is not a tail if the hostnames are now declared elsewhere", async () => {
    const rig = await applied(["eu", "us"], { eu: 10, us: 100 });
    rig.write("data/customers.csv", CUT);
    const entries = ["us98", "us99"].map((name) => ({ hostname: `${name}.customer.net` }));
    const from = [{ source: "customers" }];
    rig.write("zones/a.yaml", { version: 1, zone: ZONE, custom_hostnames: { lifecycle: "zoneform", from, entries } });
    expect(inWords(changesOf(await rig.plan()))).toEqual([]);
  });

  it("does not block a destroy", async () => {
    const rig = await applied(["eu", "us"], { eu: 10, us: 100 });
    rig.write("data/customers.csv", CUT);
    const changes = changesOf(await rig.plan({ isDestroy: true }));
    expect(changes.length).toBeGreaterThan(100);
    expect(changes.filter(({ refused }) => refused?.code === "source-tail-gone")).toEqual([]);
  });
});
