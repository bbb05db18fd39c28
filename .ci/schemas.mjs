// The schemas as their authors see them: each kind in a file of its own, and the zone's without the copies of the others
// that .ci/bundle-schemas.mjs puts into it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Every schema by name, as its file holds it. */
export function readSchemas() {
  const names = readdirSync(join(ROOT, "schemas")).map((file) => file.replace(".schema.json", ""));
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), "utf8"))]),
  );
}

/** Every schema by name, without the copies of others. */
export function readSources() {
  const schemas = readSchemas();
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutCopies(schema, schemas)]));
}

/** The schema without what is a copy of another file. */
export function withoutCopies(schema, schemas) {
  if (!schema.$defs) return schema;
  const { $defs, ...rest } = schema;
  return { ...rest, $defs: Object.fromEntries(Object.entries($defs).filter(([name]) => !(name in schemas))) };
}

/** What a reference inside of the schema `name` leads to: the name of a schema, and a pointer into it. */
export function targetOf(reference, name, schemas) {
  const [, first, rest = ""] = /^#\/\$defs\/([^/]+)(.*)$/.exec(reference) ?? [];
  return first in schemas ? [first, rest] : [name, reference.slice(1)];
}
