// Compiles the schemas into functions, so that a start does not have to load the schema library: dist/validators.js for the files
// of a project, and dist/seed-validators.js for a seed of the emulator. They are not checked in, because they are half a
// megabyte that follows from schemas/.
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { rolldown } from "rolldown";
import { readPublished, ROOT } from "./published-schemas.mjs";

const OPTIONS = {
  allErrors: true,
  // Our messages need the schema that failed.
  verbose: true,
  strict: true,
  inlineRefs: false,
  code: { source: true, esm: true },
};

const schemas = readPublished();
await compileProject();
await compileSeed(schemas["emulator-seed"]);

async function compileProject() {
  const leaves = [...leafPointers(schemas["custom-hostname"])];
  const ajv = new Ajv2020({ ...OPTIONS, schemas: [schemas.project, schemas.zone] });
  for (const [leaf, pointer] of leaves)
    ajv.addSchema({ $ref: `${schemas.zone.$id}#/$defs/custom-hostname${pointer}` }, leaf);
  /** The names under which the generated module exports its functions, and the schema of each. */
  const functions = {
    project: schemas.project.$id,
    zone: schemas.zone.$id,
    ...Object.fromEntries(leaves.map(([leaf], index) => [`leaf${index}`, leaf])),
  };
  await write("validators", {
    "\0functions": standalone.default(ajv, functions),
    "\0validators": `import * as functions from "\\0functions";
export { project, zone } from "\\0functions";
export const leaves = new Map([${leaves.map(([leaf], index) => `[${JSON.stringify(leaf)}, functions.leaf${index}]`).join()}]);`,
  });
}

/** Compiles the schema of the seed, and of the parts of it that the admin API takes alone. */
async function compileSeed(schema) {
  const ajv = new Ajv2020({ ...OPTIONS, schemas: [schema] });
  const parts = ["waf", "dnsAnswer", "traffic"];
  for (const part of parts) ajv.addSchema({ $ref: `${schema.$id}#/$defs/${part}` }, part);
  const functions = { seed: schema.$id, ...Object.fromEntries(parts.map((part) => [part, part])) };
  await write("seed-validators", {
    "\0functions": standalone.default(ajv, functions),
    "\0seed-validators": `export * from "\\0functions";
export const schema = ${JSON.stringify(schema)};`,
  });
}

/** Bundles the generated module NAME, with the others that it imports, into `dist/NAME.js`. */
async function write(name, sources) {
  const bundle = await rolldown({
    input: { [name]: `\0${name}` },
    cwd: ROOT,
    platform: "node",
    plugins: [
      {
        name: "generated",
        resolveId: (id) => (id in sources ? id : undefined),
        load: (id) => sources[id],
      },
    ],
  });
  await bundle.write({ dir: join(ROOT, "dist"), format: "esm", minify: true });
  await bundle.close();
}

/**
 * Every field of a custom hostname that a source can set, with the pointer to its schema. Such a field is a single value, and
 * no secret.
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
