// Puts the schemas of the kinds into schemas/zone.schema.json, below $defs, so that this file is whole by itself: an editor
// or a validator needs no other file and no network. With --check it writes nothing, and fails when the file is another.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatted } from "./formatted.mjs";
import { readSchemas, ROOT, withoutCopies } from "./schemas.mjs";

const TARGET = join(ROOT, "schemas/zone.schema.json");
const schemas = readSchemas();
const zone = withoutCopies(schemas.zone, schemas);
const copies = Object.fromEntries(
  Object.entries(schemas)
    .filter(([name]) => name !== "zone" && name !== "project")
    .map(([name, { $schema: _dialect, $id: _id, ...body }]) => [name, moved(body, name)]),
);
const text = formatted(
  "zone.schema.json",
  JSON.stringify({ ...zone, $defs: { ...zone.$defs, ...copies } }, undefined, 2),
);
if (!process.argv.includes("--check")) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, "utf8") !== text) {
  console.error("schemas/zone.schema.json does not hold the schemas of the kinds as they are; run npm run generate");
  process.exitCode = 1;
}

/** The schema with its references as they are inside of the zone's. */
function moved(value, name) {
  if (Array.isArray(value)) return value.map((item) => moved(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === "$ref" ? [key, item.replace(/^#/, `#/$defs/${name}`)] : [key, moved(item, name)],
    ),
  );
}
