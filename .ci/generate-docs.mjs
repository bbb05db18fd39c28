// Writes docs/configuration.md, the reference of the YAML documents, from the schemas. With --check it writes nothing,
// and fails if the file differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NAMES, readSources, ROOT, targetOf } from "./schemas.mjs";

const TARGET = join(ROOT, "docs/configuration.md");
const schemas = readSources();

const text = `${[introduction(), ...NAMES.map(section)].join("\n\n")}\n`;
if (!process.argv.includes("--check")) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, "utf8") !== text) {
  console.error("docs/configuration.md does not match the schemas; run npm run generate");
  process.exitCode = 1;
}

function introduction() {
  return `<!-- Generated from schemas/ by .ci/generate-docs.mjs; do not edit. -->
# Configuration reference

A project is a folder with a \`zoneform.yaml\` and the files that it names; [examples/saas](../examples/saas) is a complete
one. Each schema is one self-contained file. Its \`$id\` (\`urn:zoneform:schema:zone\`) is a name, not an address, so no tool
fetches anything. For completion in an editor, write a schema to a file with \`zoneform schema NAME\`, and put
\`# yaml-language-server: $schema=FILE\` on the first line of the YAML.

- **Zoneform manages the fields that the YAML sets.** A field that is absent or \`null\` is unmanaged: never compared, never
  sent. A field that is removed from the YAML is released, not reset.
- **Policies, entries, exceptions.** Values come from the policies that match, in order; then from the entry or row itself;
  then from the exceptions. Maps merge, lists replace, and the later value wins.
- **Secrets** are references: \`{ env: NAME }\` or \`{ file: PATH }\`.
- **Endpoints and credentials** come from flags and the environment, never from these files.

The rules of a ruleset run in the order in which they are written.`;
}

function section(name) {
  const schema = schemas[name];
  const parts = [`## ${schema.title}`, schema.description, table(schema, "")];
  for (const [definition, body] of Object.entries(schema.$defs ?? {})) {
    const rows = body.properties ? table(body, "") : `A ${typeOf(body)}.`;
    parts.push(`### ${schema.title}: \`${definition}\``, body.description ?? "", rows);
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

function table(schema, prefix) {
  const rows = rowsOf(schema, prefix);
  return rows.length === 0 ? "" : ["| key | type | meaning |", "|---|---|---|", ...rows].join("\n");
}

function rowsOf(schema, prefix) {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    const isRequired = (schema.required ?? []).includes(key);
    const inner = [value, value.then, value.else].flatMap((each) => (each?.properties ? rowsOf(each, `${path}.`) : []));
    const items = value.items?.properties ? rowsOf(value.items, `${path}[].`) : [];
    return [
      `| \`${path}\`${isRequired ? " (required)" : ""} | ${cell(typeOf(value))} | ${cell(meaning(value))} |`,
      ...inner,
      ...items,
    ];
  });
}

function meaning({ description = "", default: byDefault, examples }) {
  const fallback = byDefault === undefined ? "" : ` Default: \`${JSON.stringify(byDefault)}\`.`;
  const example = examples?.[0] === undefined ? "" : ` Example: \`${JSON.stringify(examples[0])}\`.`;
  return `${description}${fallback}${example}`;
}

function typeOf(schema) {
  if (schema.$ref) return linked(schema.$ref);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const choices = schema.oneOf ?? schema.anyOf ?? (schema.then?.type && [schema.else, schema.then]);
  if (choices) return choices.map(typeOf).join(" or ");
  const types = [schema.type ?? "any"].flat();
  return types
    .map((type) => (type === "array" ? `list of ${typeOf(schema.items ?? {})}` : type === "object" ? "map" : type))
    .join(" or ");
}

function linked(reference) {
  const [name, pointer] = targetOf(reference, "", schemas);
  const part = pointer.split("/").at(-1);
  if (part) return `\`${part}\``;
  return `[${schemas[name].title}](#${schemas[name].title.toLowerCase().replaceAll(" ", "-")})`;
}

function cell(value) {
  return value.replaceAll("|", "\\|").replaceAll("\n", " ");
}
