import type { ErrorObject, ValidateFunction } from "ajv";
import type { Json, JsonObject } from "../core/json.ts";
import type { ProjectFile, ZoneFile } from "./document.ts";
import { SCHEMA_NAMES } from "../core/schema-names.ts";
import { type Schemas } from "./schemas.ts";

/** The schemas, ready to check documents with. */
export interface Validators {
  readonly project: ValidateFunction<ProjectFile>;
  readonly zone: ValidateFunction<ZoneFile>;
  /** What the schema says about one leaf of a custom hostname, by a pointer such as `/properties/ssl/properties/method`. */
  leaf(pointer: string): (value: Json) => readonly ErrorObject[];
  /** The schema of what is set on a custom hostname. */
  readonly customHostname: JsonObject;
}

const compiled = new WeakMap<Schemas, Promise<Validators>>();

/** Makes the validators. The schema library is loaded now and not before: `--version` and `--help` need none. */
export function validatorsOf(schemas: Schemas): Promise<Validators> {
  const known = compiled.get(schemas) ?? compile(schemas);
  compiled.set(schemas, known);
  return known;
}

async function compile(schemas: Schemas): Promise<Validators> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    // Tests check the schemas, and code that runs once need not be polished: that is a quarter of a start-up.
    validateSchema: false,
    code: { optimize: false },
  });
  for (const name of SCHEMA_NAMES) ajv.addSchema(schemas[name]);
  return {
    project: ajv.compile<ProjectFile>({ $ref: "project.schema.json" }),
    zone: ajv.compile<ZoneFile>({ $ref: "zone.schema.json" }),
    customHostname: schemas["custom-hostname"],
    leaf: (pointer) => {
      const check = ajv.compile({ $ref: `custom-hostname.schema.json#${pointer}` });
      return (value) => (check(value) ? [] : [...(check.errors ?? [])]);
    },
  };
}
