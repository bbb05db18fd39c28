// Writes the published schemas into schemas/: each kind's as it is in its folder, the zone file's with the kinds' below $defs,
// and that of the emulator's seed. Each file is complete: an editor or a validator needs no other file and no network. Also
// writes the list of them, lib/core/schema-names.ts. With --check it writes nothing, and fails if a file differs.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatted } from "./formatted.mjs";
import { readOthers, readSources, ROOT } from "./schemas.mjs";

const FOLDER = join(ROOT, "schemas");
const LIST = "lib/core/schema-names.ts";
const isCheck = process.argv.includes("--check");

const sources = readSources();
const { project, zone, ...kinds } = sources;
const published = { project, zone: whole(zone, kinds), ...kinds, ...readOthers() };
for (const [name, schema] of Object.entries(published))
  put(`schemas/${name}.schema.json`, formattedSchema(name, schema));
put(LIST, formatted("schema-names.ts", listOfNames()));
for (const file of readdirSync(FOLDER).filter((name) => name !== "output"))
  if (!(file.replace(".schema.json", "") in published)) drop(file);

/** The schema, with copies of the kinds' schemas below `$defs`. */
function whole(schema, kinds) {
  const copies = Object.keys(kinds)
    .sort()
    .map((name) => {
      const { $schema: _dialect, $id: _id, ...body } = kinds[name];
      return [name, moved(body, name)];
    });
  return { ...schema, $defs: { ...schema.$defs, ...Object.fromEntries(copies) } };
}

/** The schema with its references rewritten for the zone's schema. */
function moved(value, name) {
  if (Array.isArray(value)) return value.map((item) => moved(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === "$ref" ? [key, item.replace(/^#/, `#/$defs/${name}`)] : [key, moved(item, name)],
    ),
  );
}

function formattedSchema(name, schema) {
  return formatted(`${name}.schema.json`, JSON.stringify(schema, undefined, 2));
}

function listOfNames() {
  return `// Generated from lib/kinds/registered.ts by .ci/bundle-schemas.mjs; do not edit.

/** The documents that have a schema, in the order in which a reader meets them. */
export const SCHEMA_NAMES = ${JSON.stringify(Object.keys(published))} as const;

/** The name of a schema, as \`zoneform schema NAME\` takes it. */
export type SchemaName = (typeof SCHEMA_NAMES)[number];
`;
}

function put(path, text) {
  if (!isCheck) writeFileSync(join(ROOT, path), text);
  else if (readOrNothing(path) !== text) fail(`${path} does not match lib/kinds and lib/config`);
}

function drop(file) {
  if (isCheck) fail(`schemas/${file} belongs to no registered kind`);
  else rmSync(join(FOLDER, file));
}

function readOrNothing(path) {
  try {
    return readFileSync(join(ROOT, path), "utf8");
  } catch {
    return undefined;
  }
}

function fail(message) {
  console.error(`${message}; run npm run generate`);
  process.exitCode = 1;
}
