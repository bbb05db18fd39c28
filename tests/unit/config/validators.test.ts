import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadSchemas } from "../../support/schemas.ts";
import { type Check, checkProject, checkZone, LEAF_CHECKS } from "../../../lib/config/validate.ts";
import { isList, isObject, type Json } from "../../../lib/core/json.ts";

const EXAMPLE = join(import.meta.dirname, "../../../examples/saas");
const schemas = await loadSchemas();

/** The schema library itself, with the options that the validators were compiled with. */
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strict: true,
  inlineRefs: false,
  schemas: [schemas.project, schemas.zone],
});

/** What is put in the place of each part of a document: a value of each type, at the edges. */
const STRANGERS: readonly Json[] = [
  null,
  true,
  -1,
  1.5,
  "",
  "x".repeat(300),
  "😀*",
  [],
  ["a", "a"],
  {},
  { env: "A", b: 1 },
];

/** The document with each of its parts replaced or left out, one at a time, and with a key too many in each map. */
function* spoiled(document: Json): Iterable<Json> {
  yield* STRANGERS;
  if (isList(document)) {
    for (const [index, item] of document.entries())
      for (const other of spoiled(item)) yield document.map((kept, at) => (at === index ? other : kept));
  }
  if (!isObject(document)) return;
  yield { ...document, "a key too many": 1 };
  for (const [key, value] of Object.entries(document)) {
    const { [key]: _, ...rest } = document;
    yield rest;
    for (const other of spoiled(value)) yield { ...document, [key]: other };
  }
}

/** How many of the documents are found wrong; each time the library has to say the same, to the letter. */
function wrongOnes(documents: Iterable<Json>, check: Check, schema: object): number {
  const validate = ajv.compile(schema);
  let wrong = 0;
  for (const document of documents) {
    const said = validate(document) ? [] : validate.errors;
    expect(check(document)).toEqual(said);
    if (said?.length !== 0) wrong += 1;
  }
  return wrong;
}

test.each([
  ["zoneform.yaml", "project", checkProject],
  ["zones/saas-dev.yaml", "zone", checkZone],
  ["zones/saas-app.yaml", "zone", checkZone],
  ["profiles/tls.yaml", "zone", checkZone],
] as const)(
  "what was compiled ahead says of %s, spoiled in every place, what the library says",
  async (file, name, check) => {
    const document: Json = parse(await readFile(join(EXAMPLE, file), "utf8"));
    expect(check(document)).toEqual([]);
    expect(wrongOnes(spoiled(document), check, schemas[name])).toBeGreaterThan(50);
  },
);

test("what was compiled ahead says of each leaf that a source can give what the library says", () => {
  expect(LEAF_CHECKS.size).toBeGreaterThan(5);
  for (const [leaf, check] of LEAF_CHECKS) {
    const pointer = leaf.split(".").map((key) => `/properties/${key}`);
    const reference = `urn:zoneform:schema:zone#/$defs/custom-hostname${pointer.join("")}`;
    expect(wrongOnes([...STRANGERS, "http", "on", "1.2", "app.saas.dev"], check, { $ref: reference })).toBeGreaterThan(
      0,
    );
  }
});
