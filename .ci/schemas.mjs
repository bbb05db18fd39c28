// Reads the schemas that are written by hand: each kind's from its folder, and those of the project and the zone file, to which
// the parts of the kinds are added. The kinds come from the build, so that no list of them stands here.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const { KINDS } = await import("../dist/lib/kinds/registry.js");

/** The kinds in the order of the documentation: first those with more than one section. */
const READ = [...KINDS.filter(({ section }) => !section), ...KINDS.filter(({ section }) => section)];

/** The names of all schemas, in the order of the documentation. */
export const NAMES = ["project", "zone", ...READ.map(schemaName)];

/** Every schema by name. References to other schemas are not resolved. */
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

/** What a reference in the schema `name` points to: another schema's name, and a pointer into that schema. */
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

/** The schema of the kind's section in a zone file: the one in its folder, or else a single object. */
function sectionOf(kind, schemas) {
  const name = schemaName(kind);
  const path = `lib/kinds/${name}/section.json`;
  if (existsSync(join(ROOT, path))) return read(path);
  if (kind.section.shape !== "object")
    throw new Error(`${kind.name} is not declared as one object: say how in ${path}`);
  return { $ref: `#/$defs/${name}`, description: schemas[name].description };
}

/** Adds a deletion limit for each kind whose objects are deleted when they leave the YAML. */
function withDeletionLimits(schema) {
  const limited = KINDS.filter(({ lifetime }) => lifetime === "while-declared");
  const limits = Object.fromEntries(limited.map(({ name }) => [name, { $ref: "#/$defs/deletionLimit" }]));
  const properties = { ...schema.properties };
  properties.deletion_limits = { ...properties.deletion_limits, properties: limits };
  return { ...schema, properties };
}
