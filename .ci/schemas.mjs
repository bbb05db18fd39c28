// The schemas as their authors write them: each kind's in its own folder, and those of the project and the zone file
// without what follows from the kinds. The kinds are read from the build, so that nothing is listed twice.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const { KINDS } = await import("../dist/lib/kinds/registry.js");

/** The kinds in the order of the documentation: first those with more than one section. */
const READ = [...KINDS.filter(({ section }) => !section), ...KINDS.filter(({ section }) => section)];

/** The names of all schemas, in the order of the documentation. */
export const NAMES = ["project", "zone", ...READ.map(schemaName)];

/** Every schema by name, without copies of others. */
export function readSources() {
  const kinds = READ.map((kind) => [schemaName(kind), read(`lib/kinds/${schemaName(kind)}/schema.json`)]);
  const project = withDeletionLimits(read("lib/config/project.schema.json"));
  const zone = withSections(withDeletionLimits(read("lib/config/zone.schema.json")), Object.fromEntries(kinds));
  return Object.fromEntries([["project", project], ["zone", zone], ...kinds]);
}

/** The schemas of files that are not part of a project, by name. */
export function readOthers() {
  return { "emulator-seed": read("lib/emulator/seed/seed.schema.json") };
}

/** What a reference in the schema `name` points to: the name of a schema, and a pointer into it. */
export function targetOf(reference, name, schemas) {
  const [, first, rest = ""] = /^#\/\$defs\/([^/]+)(.*)$/.exec(reference) ?? [];
  return first in schemas ? [first, rest] : [name, reference.slice(1)];
}

/** A kind's schema and its folder have the same name. */
function schemaName({ name }) {
  return name.replaceAll("_", "-");
}

function read(path) {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

/** The schema of a zone file with the section of each kind, in the order in which the kinds are applied. */
function withSections(zone, schemas) {
  const sections = KINDS.flatMap((kind) => {
    if (!kind.section) return Object.entries(zone.properties).filter(([key]) => key === "custom_hostnames");
    return [[kind.section.key, sectionOf(kind, schemas)]];
  });
  const properties = Object.entries(zone.properties).flatMap((property) =>
    property[0] === "custom_hostnames" ? sections : [property],
  );
  return { ...zone, properties: Object.fromEntries(properties) };
}

/** The kind's place in a zone file: as its folder says, else one object under its key. */
function sectionOf(kind, schemas) {
  const name = schemaName(kind);
  const path = `lib/kinds/${name}/section.json`;
  if (existsSync(join(ROOT, path))) return read(path);
  if (kind.section.shape !== "object")
    throw new Error(`${kind.name} is not declared as one object: say how in ${path}`);
  return { $ref: `#/$defs/${name}`, description: schemas[name].description };
}

/** A limit for each kind whose objects are deleted when they leave the YAML. */
function withDeletionLimits(schema) {
  const limited = KINDS.filter(({ lifetime }) => lifetime === "while-declared");
  const limits = Object.fromEntries(limited.map(({ name }) => [name, { $ref: "#/$defs/deletionLimit" }]));
  const properties = { ...schema.properties };
  properties.deletion_limits = { ...properties.deletion_limits, properties: limits };
  return { ...schema, properties };
}
