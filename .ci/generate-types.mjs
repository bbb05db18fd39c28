// Writes lib/config/document.ts: the types of the YAML documents, generated from the schemas. With --check it writes
// nothing, and fails when the file is not what it would write.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "json-schema-to-typescript";
import { formatted } from "./formatted.mjs";
import { readSources, ROOT, targetOf } from "./schemas.mjs";

const TARGET = join(ROOT, "lib/config/document.ts");
const BANNER = "// Generated from schemas/ by .ci/generate-types.mjs; do not edit.\n";
const OPTIONS = {
  additionalProperties: false,
  bannerComment: "",
  format: false,
  ignoreMinAndMaxItems: true,
  unreachableDefinitions: false,
};

const text = formatted("document.ts", `${BANNER}\n${await generated()}`);
if (!process.argv.includes("--check")) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, "utf8") !== text) {
  console.error("lib/config/document.ts is not what the schemas say; run node .ci/generate-types.mjs");
  process.exitCode = 1;
}

/** One document that holds all schemas, so that what they share is declared once. */
async function generated() {
  const sources = readSources();
  const schemas = Object.entries(sources).map(([name, { $id: _id, $schema: _dialect, ...body }]) => [
    name,
    inside(body, name, sources),
  ]);
  const root = {
    title: "Documents",
    description: "The documents that people write.",
    type: "object",
    additionalProperties: false,
    required: ["project", "zone"],
    properties: { project: { $ref: "#/$defs/project" }, zone: { $ref: "#/$defs/zone" } },
    $defs: Object.fromEntries(schemas),
  };
  return compile(root, "Documents", OPTIONS);
}

/** The schema with its references as they are inside of the one document; a sibling of `$ref` would make a copy of the type. */
function inside(value, name, sources) {
  if (Array.isArray(value)) return value.map((item) => inside(item, name, sources));
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.$ref === "string") {
    const [schema, pointer] = targetOf(value.$ref, name, sources);
    return { $ref: `#/$defs/${schema}${pointer}` };
  }
  // The generator knows no condition: whatever a value may be under one or the other is a union for it.
  const { if: condition, then, else: otherwise, ...rest } = value;
  const isChoice = condition !== undefined && then?.type !== undefined && otherwise?.type !== undefined;
  const plain = isChoice ? { ...rest, anyOf: [otherwise, then] } : value;
  return Object.fromEntries(Object.entries(plain).map(([key, item]) => [key, inside(item, name, sources)]));
}
