import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LoadedProject } from "../../../lib/config/desired.ts";
import type { JsonObject } from "../../../lib/core/json.ts";
import { faults, load, loadFolder, type ProjectFiles, projectFolder, sound } from "./project.ts";
import { onProcessor } from "../../support/processor.ts";

const ZONE = (where: string): string => `version: 1
zone: { id: "11111111111111111111111111111111", name: saas.dev }
custom_hostnames:
  lifecycle: zoneform
  from: [{ source: customers${where} }]
`;
const FIELDS =
  "{ hostname: domain, custom_origin_server: pool, custom_metadata.tier: plan, ssl.method: method, ssl.cloudflare_branding: wild }";

function files(source: string, content: string, where = ""): ProjectFiles {
  return {
    "zoneform.yaml": `version: 1
project: sources
zones: [zones/*.yaml]
sources:
  customers:
    ${source}
    fields: ${FIELDS}
    labels: { region: region }
`,
    "zones/a.yaml": ZONE(where),
    "data/customers": content,
  };
}

function valuesOf(loaded: LoadedProject): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    loaded.desired.zones.flatMap(({ objects }) => objects.map(({ key, values }) => [key, values] as const)),
  );
}

const CSV = `\uFEFFdomain;plan;pool;method;wild;region;unused
A.customer.net.;gold;pool.saas.dev;txt;true;eu;x

"b.customer.net"; silver ;;http;false;us;
c.customer.net;;;;;eu;y
`;
const NDJSON = `{"domain":"A.customer.net.","plan":"gold","pool":"pool.saas.dev","method":"txt","wild":true,"region":"eu"}
{"domain":"b.customer.net","plan":"silver","pool":null,"method":"http","wild":false,"region":"us"}

{"domain":"c.customer.net","region":"eu"}
`;
const SPECS = {
  "a.customer.net": {
    custom_origin_server: "pool.saas.dev",
    custom_metadata: { tier: "gold" },
    ssl: { method: "txt", cloudflare_branding: true },
  },
  "b.customer.net": { custom_metadata: { tier: "silver" }, ssl: { method: "http", cloudflare_branding: false } },
  "c.customer.net": {},
};

describe.each([
  ["csv", 'csv: data/customers\n    delimiter: ";"', CSV],
  ["ndjson", "ndjson: data/customers", NDJSON],
])("a source in %s", (_format, source, content) => {
  test("gives each row its own values, and an empty cell or null is unset", async () => {
    expect(valuesOf(sound(await load(files(source, content))))).toEqual(SPECS);
  });

  test("gives only the rows of which the facts of where hold", async () => {
    const eu = sound(await load(files(source, content, ", where: { label.region: eu }")));
    expect(Object.keys(valuesOf(eu))).toEqual(["a.customer.net", "c.customer.net"]);
    expect(eu.sources).toMatchObject([{ zone: "saas.dev", source: "customers", rows: 2, maxShrink: 0.1 }]);
    const gold = sound(await load(files(source, content, ", where: { metadata.tier: gold }")));
    expect(Object.keys(valuesOf(gold))).toEqual(["a.customer.net"]);
  });

  test("of which no row is for the zone is an error, and never means that all go", async () => {
    const found = faults(await load(files(source, content, ", where: { label.region: mars }")));
    expect(found.map(({ code, at }) => `${code} ${at?.file}:${at?.line}`)).toEqual(["source-empty zones/a.yaml:5"]);
  });

  test("is read from another file when the command line says so", async () => {
    const folder = await projectFolder(files(source, content));
    const other = join(await projectFolder({}), "other");
    await writeFile(other, content.replace("c.customer.net", "other.customer.net"));
    const loaded = sound(await loadFolder(folder, { sources: { customers: other } }));
    expect(Object.keys(valuesOf(loaded))).toEqual(["a.customer.net", "b.customer.net", "other.customer.net"]);
    const wrong = faults(await loadFolder(folder, { sources: { custmers: other, customers: `${other}.none` } }));
    expect(wrong.map(({ code, remedy }) => [code, remedy])).toEqual([
      ["unknown-source", 'did you mean "customers"?'],
      ["file-not-found", "check the path"],
    ]);
  });
});

test("each row has its own values, however much the cells of two rows look alike when they are joined", async () => {
  const rowsOf = (cells: readonly (readonly [string, string])[]): string =>
    cells.map(([plan, region], row) => `h${row}.customer.net,"${plan}","${region}"\n`).join("");
  const cell = fc.stringMatching(/^[ab,]{0,3}$/);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 12 }), async (cells) => {
      const loaded = sound(
        await load({
          ...files("csv: data/customers", `domain,plan,region\n${rowsOf(cells)}`),
          "zoneform.yaml": `version: 1
project: sources
zones: [zones/*.yaml]
sources:
  customers:
    csv: data/customers
    fields: { hostname: domain, custom_metadata.tier: plan, custom_metadata.region: region }
`,
        }),
      );
      const wanted = cells.map(([tier, region], row) => [
        `h${row}.customer.net`,
        tier === "" && region === ""
          ? {}
          : { custom_metadata: { ...(tier === "" ? {} : { tier }), ...(region === "" ? {} : { region }) } },
      ]);
      expect(valuesOf(loaded)).toEqual(Object.fromEntries(wanted));
    }),
    { numRuns: 60 },
  );
});

test("fewer rows than min_rows are an error, and max_shrink is read as a share", async () => {
  const sharesOf = async (minRows: number): Promise<unknown> => {
    const source = `csv: data/customers\n    delimiter: ";"\n    complete: { min_rows: ${minRows}, max_shrink: 2.5% }`;
    const loaded = await load(files(source, CSV));
    return loaded.ok ? loaded.value.sources.map(({ maxShrink }) => maxShrink) : faults(loaded).map(({ code }) => code);
  };
  expect(await sharesOf(3)).toEqual([0.025]);
  expect(await sharesOf(4)).toEqual(["source-incomplete"]);
});

test("of a thousand wrong rows twenty are shown and the rest is counted, and so with duplicates", async () => {
  const header = "domain;plan;pool;method;wild;region\n";
  const wrong = `${header}${Array.from({ length: 1000 }, (_, index) => `${index}.customer.net;;;dns;;eu\n`).join("")}`;
  const found = faults(await load(files('csv: data/customers\n    delimiter: ";"', wrong)));
  expect(found.filter(({ code }) => code === "unknown-value")).toHaveLength(20);
  expect(found.filter(({ code }) => code === "more-errors").map(({ message }) => message)).toEqual([
    "980 more errors of this kind in this source: unknown-value",
  ]);
  const double = `${header}${"a.customer.net;;;;;eu\n".repeat(1001)}`;
  const again = faults(await load(files('csv: data/customers\n    delimiter: ";"', double)));
  expect(again.map(({ code }) => code)).toEqual(Array.from({ length: 21 }, () => "duplicate-hostname"));
  expect(again.map(({ message }) => message)).toContain("980 more hostnames are declared twice");
});

test("10,000 rows load in linear time, and rows that want the same share one object of values", async () => {
  const rows = Array.from(
    { length: 10_000 },
    (_, index) => `app-${index}.customer.net;${index % 3 ? "gold" : "silver"};;txt;;eu\n`,
  );
  const folder = await projectFolder(
    files('csv: data/customers\n    delimiter: ";"', `domain;plan;pool;method;wild;region\n${rows.join("")}`),
  );
  const [found, seconds] = await onProcessor(() => loadFolder(folder));
  // About a second; what grows with the square of so many rows takes far more.
  expect(seconds).toBeLessThan(60);
  const loaded = sound(found);
  const objects = loaded.desired.zones.flatMap((zone) => zone.objects);
  expect(objects).toHaveLength(10_000);
  expect(new Set(objects.map(({ values }) => values)).size).toBe(2);
  expect(new Set(objects.map(({ options }) => options)).size).toBe(1);
});
