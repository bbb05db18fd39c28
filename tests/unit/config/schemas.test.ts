import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { SCHEMA_NAMES } from "../../../lib/core/schema-names.ts";
import { loadSchemas } from "../../support/schemas.ts";
import { isObject, type Json } from "../../../lib/core/json.ts";

const ROOT = join(import.meta.dirname, "../../..");
const schemas = await loadSchemas();

/** Every schema inside of a schema, with its path. */
function* inside(value: Json, path: string): Iterable<[string, { readonly [key: string]: Json }]> {
  if (!isObject(value)) return;
  yield [path, value];
  for (const [name, property] of Object.entries(isObject(value["properties"]) ? value["properties"] : {})) {
    yield* inside(property, `${path}.${name}`);
  }
  for (const branch of ["then", "else"]) yield* inside(value[branch] ?? null, `${path}~${branch}`);
  for (const [name, definition] of Object.entries(isObject(value["$defs"]) ? value["$defs"] : {})) {
    yield* inside(definition, `${path}#${name}`);
  }
  if (isObject(value["items"])) yield* inside(value["items"], `${path}[]`);
}

describe("each schema", () => {
  test.each(SCHEMA_NAMES)("%s compiles alone, in strict mode, and refers to nothing outside of itself", (name) => {
    expect(() => new Ajv2020({ strict: true }).compile(schemas[name])).not.toThrow();
    const references = [...JSON.stringify(schemas[name]).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = ""]) => to);
    expect(references.filter((to) => !to.startsWith("#/"))).toEqual([]);
  });

  // An address could be fetched, and would have to be served for ever; a name only has to be absolute and another's nowhere.
  test.each(SCHEMA_NAMES)("%s has an absolute id, which is no address", (name) => {
    expect(schemas[name]["$id"]).toBe(`urn:zoneform:schema:${name}`);
  });

  test.each(SCHEMA_NAMES)("%s describes each of its properties, and gives an example of each value", (name) => {
    const properties = [...inside(schemas[name], name)].filter(([path]) => /\.[^.[#~]+$/.test(path));
    const isBare = (schema: { readonly [key: string]: Json }): boolean =>
      schema["$ref"] === undefined && schema["description"] === undefined;
    expect(properties.filter(([, schema]) => isBare(schema)).map(([path]) => path)).toEqual([]);
    const isValue = (schema: { readonly [key: string]: Json }): boolean =>
      !["properties", "$ref", "items", "additionalProperties", "examples"].some((key) => schema[key] !== undefined);
    expect(properties.filter(([, schema]) => isValue(schema)).map(([path]) => path)).toEqual([]);
  });
});

test("the schemas accept the example project", async () => {
  const read = async (path: string): Promise<unknown> =>
    parse(await readFile(join(ROOT, "examples/saas", path), "utf8"));
  const ajv = new Ajv2020({ strict: true });
  const project = ajv.compile(schemas.project);
  expect([project(await read("zoneform.yaml")), project.errors]).toEqual([true, null]);
  const zone = ajv.compile(schemas.zone);
  for (const path of ["zones/saas-dev.yaml", "zones/saas-app.yaml", "profiles/tls.yaml"]) {
    expect([path, zone(await read(path)), zone.errors]).toEqual([path, true, null]);
  }
});

test("the examples of each property are valid by its own schema", () => {
  for (const name of SCHEMA_NAMES) {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(schemas[name]);
    for (const [path, schema] of inside(schemas[name], name)) {
      const { examples } = schema;
      if (!Array.isArray(examples)) continue;
      const pointer = path
        .replace(name, "")
        .replaceAll("[]", "/items")
        .replaceAll("#", "/$defs/")
        .replaceAll("~", "/")
        .replaceAll(".", "/properties/");
      const validate = ajv.compile({ $ref: `urn:zoneform:schema:${name}#${pointer}` });
      for (const example of examples) expect([path, example, validate(example)]).toEqual([path, example, true]);
    }
  }
});
