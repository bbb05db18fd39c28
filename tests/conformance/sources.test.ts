import { describe, expect, it } from "vitest";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { changesOf, failuresOf, openRig, type Rig, ZONE } from "../support/engine.ts";

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

/** A zone that takes the regions in this order from one source, in which the file has been applied. */
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

describe.each([[["us", "eu"]], [["eu", "us"]]])("a source that a zone takes twice, first %o", (order) => {
  it("is remembered with all of its rows, and with the one that is last in the file", async () => {
    const rig = await applied(order, { eu: 10, us: 100 });
    expect((await rig.state())?.sources).toEqual({
      customers: expect.objectContaining({ rows: 110, last: "us99.customer.net" }),
    });
  });

  it("is refused where its file is cut short, by many rows and by one", async () => {
    const rig = await applied(order, { eu: 10, us: 100 });
    rig.write("data/customers.csv", csv({ eu: 10, us: 50 }));
    expect(await refusals(rig)).toEqual(["source-shrank"]);
    rig.write("data/customers.csv", csv({ eu: 10, us: 99 }));
    expect(await refusals(rig)).toEqual(["source-cut-short"]);
  });

  it.each([
    { eu: 100, us: 10 },
    { eu: 10, us: 100 },
  ])("is planned from where its file is as it was (%o)", async (rows) => {
    const rig = await applied(order, rows);
    expect(changesOf(await rig.plan())).toEqual([]);
  });
});
