// Compiles the schemas into functions, dist/validators.js, so that a start need not load the schema library. The file
// is built and not checked in, because it is half a megabyte that follows from schemas/.
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { rolldown } from "rolldown";
import { readPublished, ROOT } from "./published-schemas.mjs";

const schemas = readPublished();
const leaves = [...leafPointers(schemas["custom-hostname"])];
const ajv = new Ajv2020({
  allErrors: true,
  // Messages use the schema that failed.
  verbose: true,
  strict: true,
  schemas: [schemas.project, schemas.zone],
  code: { source: true, esm: true },
});
for (const [leaf, pointer] of leaves)
  ajv.addSchema({ $ref: `${schemas.zone.$id}#/$defs/custom-hostname${pointer}` }, leaf);

/** The names under which the generated module exports its functions, and the schema of each. */
const functions = {
  project: schemas.project.$id,
  zone: schemas.zone.$id,
  ...Object.fromEntries(leaves.map(([leaf], index) => [`leaf${index}`, leaf])),
};
const SOURCES = {
  "\0functions": standalone.default(ajv, functions),
  "\0validators": `import * as functions from "\\0functions";
export { project, zone } from "\\0functions";
export const leaves = new Map([${leaves.map(([leaf], index) => `[${JSON.stringify(leaf)}, functions.leaf${index}]`).join()}]);`,
};

const bundle = await rolldown({
  input: { validators: "\0validators" },
  cwd: ROOT,
  platform: "node",
  plugins: [
    {
      name: "generated",
      resolveId: (id) => (id in SOURCES ? id : undefined),
      load: (id) => SOURCES[id],
    },
  ],
});
await bundle.write({ dir: join(ROOT, "dist"), format: "esm", minify: true });
await bundle.close();

/**
 * Every field of a custom hostname that a source can set: a single value that is not a secret. With the pointer to its
 * schema.
 */
function leafPointers(schema, pointer = "", prefix = "") {
  return new Map(
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const at = `${pointer}/properties/${name}`;
      if (name === "custom_metadata") return [];
      if (property.properties) return [...leafPointers(property, at, `${prefix}${name}.`)];
      const isOneValue = property.$ref === undefined && ![property.type].flat().includes("array");
      return isOneValue ? [[`${prefix}${name}`, at]] : [];
    }),
  );
}
