// Compiles the schemas into functions, so that a start need not load the schema library: dist/validators.js for the files
// of a project, dist/seed-validators.js for a seed of the emulator. They are built and not checked in, because they are
// half a megabyte that follows from schemas/.
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { rolldown } from "rolldown";
import { readPublished, ROOT } from "./published-schemas.mjs";

const OPTIONS = {
  allErrors: true,
  // Messages use the schema that failed.
  verbose: true,
  strict: true,
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

/** The whole seed, and the parts of it that the admin API takes by themselves. */
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

/** Bundles generated modules by name into `dist/NAME.js`: the one called NAME, with what it imports. */
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
