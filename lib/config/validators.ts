import type { ErrorObject, ValidateFunction } from "ajv";
import { text } from "../core/decode.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { ProjectFile, ZoneFile } from "./document.ts";
import type { Schemas } from "./schemas.ts";

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
    // Tests check the schemas, and code that runs once need not be polished: that is a quarter of a start-up.
    validateSchema: false,
    code: { optimize: false },
  });
  return {
    project: ajv.compile<ProjectFile>(schemas.project),
    zone: ajv.compile<ZoneFile>(schemas.zone),
    customHostname: schemas["custom-hostname"],
    leaf: (pointer) => {
      const check = ajv.compile({ $ref: `${text(schemas.zone, "$id")}#/$defs/custom-hostname${pointer}` });
      return (value) => (check(value) ? [] : [...(check.errors ?? [])]);
    },
  };
}
