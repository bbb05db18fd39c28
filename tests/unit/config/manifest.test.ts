import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { faults, load, loadFolder, type ProjectFiles, projectFolder, sound } from "./project.ts";

const CSV = "domain\na.net\nb.net\n\nc.net\n";
const SHA256 = createHash("sha256").update(CSV).digest("hex");

const PROJECT = `version: 1
project: test
zones: [zones/*.yaml]
sources:
  customers:
    csv: data/customers.csv
    fields: { hostname: domain }
    complete:
      manifest: data/customers.json
`;

const ZONE = `version: 1
zone: { id: "11111111111111111111111111111111", name: saas.dev }
custom_hostnames: { lifecycle: zoneform, from: [{ source: customers }] }
`;

function files(manifest: string, csv = CSV): ProjectFiles {
  return {
    "zoneform.yaml": PROJECT,
    "zones/a.yaml": ZONE,
    "data/customers.csv": csv,
    "data/customers.json": manifest,
  };
}

/** Codes with the places of what is wrong. */
async function wrong(manifest: string, csv = CSV): Promise<readonly string[]> {
  const found = faults(await load(files(manifest, csv)));
  return found.map(({ code, at }) => `${code} ${at?.file}:${at?.line}:${at?.column}`);
}

describe("a manifest", () => {
  test("proves a file whole that has its rows and its checksum, whatever else it says", async () => {
    const manifest = JSON.stringify({ exported_at: "2026-11-22T05:00:00Z", rows: 3, sha256: SHA256.toUpperCase() });
    const { sources } = sound(await load(files(manifest)));
    expect(sources.map(({ isProven }) => isProven)).toEqual([true]);
  });

  test.each(["", "[]", "3"])("of another form says how one is written: %j", async (manifest) => {
    const [fault] = faults(await load(files(manifest)));
    expect(fault?.remedy).toMatch(/^for example: \{ "rows": 38000, "sha256": "…" \}/);
  });

  test("that nobody names proves nothing", async () => {
    const without = PROJECT.replace("    complete:\n      manifest: data/customers.json\n", "");
    const { sources } = sound(await load({ ...files("{}"), "zoneform.yaml": without }));
    expect(sources.map(({ isProven }) => isProven)).toEqual([false]);
  });

  test("of more rows is an error at its row count", async () => {
    expect(await wrong(`{\n  "rows": 4,\n  "sha256": "${SHA256}"\n}`)).toEqual([
      "manifest-mismatch data/customers.json:2:11",
    ]);
  });

  test("of other bytes is an error at its checksum", async () => {
    expect(await wrong(`{\n  "rows": 3,\n  "sha256": "${SHA256}"\n}`, CSV.replace("c.net", "d.net"))).toEqual([
      "manifest-mismatch data/customers.json:3:13",
    ]);
  });

  test.each([
    [`{ "rows": "3", "sha256": "${SHA256}" }`, "manifest-malformed data/customers.json:1:11"],
    [`{ "rows": -1, "sha256": "${SHA256}" }`, "manifest-malformed data/customers.json:1:11"],
    [`{ "rows": 3 }`, "manifest-malformed data/customers.json:1:1"],
    [`{ "rows": 3, "sha256": "abc" }`, "manifest-malformed data/customers.json:1:24"],
    [`[]`, "not-a-map data/customers.json:1:1"],
    [`{ "rows": 3,`, "yaml-syntax data/customers.json:1:1"],
  ])("that reads %s is an error at its place", async (manifest, expected) => {
    expect((await wrong(manifest))[0]).toBe(expected);
  });

  test("does not make up for a last line that does not end", async () => {
    const cut = CSV.slice(0, -1);
    const sha256 = createHash("sha256").update(cut).digest("hex");
    expect(await wrong(JSON.stringify({ rows: 3, sha256 }), cut)).toEqual(["source-cut-short data/customers.csv:5:6"]);
  });

  test("that is not there is an error at the project's line", async () => {
    const { "data/customers.json": _manifest, ...rest } = files("");
    const found = faults(await load(rest));
    expect(found.map(({ code, at }) => [code, at?.file, at?.line, at?.column])).toEqual([
      ["file-not-found", "zoneform.yaml", 9, 17],
    ]);
  });

  test("of a file that the command line names lies beside that file", async () => {
    const folder = await projectFolder(files('{ "rows": 0, "sha256": "" }'));
    const other = await projectFolder({ "today.csv": CSV });
    const override = { sources: { customers: join(other, "today.csv") } };
    expect(faults(await loadFolder(folder, override)).map(({ code }) => code)).toEqual(["file-not-found"]);
    const both = await projectFolder({
      "today.csv": CSV,
      "customers.json": JSON.stringify({ rows: 3, sha256: SHA256 }),
    });
    const { sources } = sound(await loadFolder(folder, { sources: { customers: join(both, "today.csv") } }));
    expect(sources.map(({ isProven }) => isProven)).toEqual([true]);
  });
});
