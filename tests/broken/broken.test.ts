import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { objects, optionalNumber, optionalObject, text } from "../../lib/core/decode.ts";
import type { Diagnostic } from "../../lib/core/diagnostic.ts";
import type { Json, JsonObject } from "../../lib/core/json.ts";
import { faults, load, type ProjectFiles } from "../unit/config/project.ts";

const FOLDER = import.meta.dirname;
const GOOD_PROJECT = `version: 1
project: broken
zones: [zones/*.yaml]
sources:
  customers:
    csv: data/customers.csv
    fields: { hostname: domain, custom_origin_server: pool, custom_metadata.tier: plan }
    labels: { region: region }
`;
const GOOD_CSV = `domain,plan,pool,region
shop.northwind-books.com,gold,pool.broken.dev,eu
www.northwind-books.com,silver,,us
`;
const GOOD_ZONE = `version: 1
zone: { id: "22222222222222222222222222222222", name: a-good.dev }
use: [../profiles/tls.yaml]
custom_hostnames:
  lifecycle: zoneform
  from: [{ source: customers }]
`;
/** Takes nothing from the source, because a hostname belongs to one zone. */
const GOOD_ZONE_BESIDE = GOOD_ZONE.replace("from: [{ source: customers }]", "entries: [{ hostname: shop.elm-shoes.com }]");
const GOOD_LAYER = `version: 1
custom_hostnames: { policies: [{ name: tls, set: { ssl: { method: txt, type: dv } } }] }
`;

/** Where the broken file stands, and the project around it, sound in every other part. */
function projectWith(seeded: JsonObject, content: Uint8Array): { name: string; files: ProjectFiles } {
  const files: ProjectFiles = {
    "zoneform.yaml": GOOD_PROJECT,
    "data/customers.csv": GOOD_CSV,
    "zones/a-good.yaml": GOOD_ZONE,
    "profiles/tls.yaml": GOOD_LAYER,
  };
  const place = (name: string, more: ProjectFiles = {}): { name: string; files: ProjectFiles } => ({
    name,
    files: { ...files, ...more, [name]: content },
  });
  const fields = optionalObject(seeded, "fields");
  switch (text(seeded, "role")) {
    case "zone":
      return place("zones/broken.yaml", { "zones/a-good.yaml": GOOD_ZONE_BESIDE });
    case "layer":
      return place("profiles/tls.yaml");
    case "project":
      return place("zoneform.yaml", {
        "zones/a-good.yaml": 'version: 1\nzone: { id: "22222222222222222222222222222222", name: a-good.dev }\n',
      });
    case "csv":
      return place("data/customers.csv", fields ? { "zoneform.yaml": projectOf(fields) } : {});
    default:
      return place("data/customers.ndjson", {
        "zoneform.yaml": GOOD_PROJECT.replace("csv: data/customers.csv", "ndjson: data/customers.ndjson"),
      });
  }
}

function projectOf(fields: JsonObject): string {
  return GOOD_PROJECT.replace(/fields: .*\n.*\n/, `fields: ${JSON.stringify(fields)}\n`);
}

/** The place of an error as the manifest writes it. */
function placed(errors: readonly JsonObject[]): readonly string[] {
  const places = errors.map((error) => {
    return `${text(error, "code")} ${optionalNumber(error, "line")}:${optionalNumber(error, "column")}`;
  });
  return places.toSorted();
}

async function manifest(): Promise<readonly JsonObject[]> {
  const listed: Json = JSON.parse(await readFile(join(FOLDER, "manifest.json"), "utf8"));
  return objects({ listed }, "listed");
}

const seededFiles = await manifest();

describe("every seeded error of a broken file is found at its line and column, and nothing else is", () => {
  test.each(seededFiles.map((seeded) => [text(seeded, "file"), seeded] as const))("%s", async (file, seeded) => {
    const { name, files } = projectWith(seeded, await readFile(join(FOLDER, file)));
    const found = faults(await load(files));
    const inFile = found.map(({ code, at }) => `${at?.file === name ? "" : `${at?.file} `}${code} ${at?.line}:${at?.column}`);
    expect(inFile.toSorted()).toEqual(placed(objects(seeded, "errors")));
    for (const { message, remedy } of found) {
      expect(message).not.toBe("");
      expect(remedy ?? "").not.toBe("");
    }
  });
});

test("the manifest speaks of every broken file, and there are at least forty", async () => {
  const files = (await readdir(FOLDER)).filter((file) => !/^(manifest\.json|broken\.test\.ts)$/.test(file));
  expect(seededFiles.map((seeded) => text(seeded, "file")).toSorted()).toEqual(files.toSorted());
  expect(files.length).toBeGreaterThanOrEqual(40);
});

test("the errors of forty broken zone files are all found in one pass", async () => {
  // Files that say whose zone they are twice, or use each other, would disturb their neighbours here.
  const alone = ["zone-duplicate-zone.yaml", "zone-layer-zone.yaml", "zone-use-self.yaml"];
  const zones = seededFiles.filter((seeded) => seeded["role"] === "zone" && !alone.includes(text(seeded, "file")));
  const files: Record<string, string | Uint8Array> = {
    "zoneform.yaml": GOOD_PROJECT,
    "data/customers.csv": GOOD_CSV,
    "profiles/tls.yaml": GOOD_LAYER,
  };
  for (const seeded of zones) files[`zones/${text(seeded, "file")}`] = await readFile(join(FOLDER, text(seeded, "file")));
  const isBetweenFiles = ({ code, at, message }: Diagnostic): boolean =>
    code === "duplicate-zone" || (code === "duplicate-hostname" && !message.includes(at?.file ?? ""));
  const found = faults(await load(files)).filter((fault) => !isBetweenFiles(fault));
  const expected = zones.flatMap((seeded) => placed(objects(seeded, "errors")).map((place) => `${text(seeded, "file")} ${place}`));
  const seen = found.map(({ code, at }) => `${at?.file.replace("zones/", "")} ${code} ${at?.line}:${at?.column}`);
  expect(seen.toSorted()).toEqual(expected.toSorted());
});
