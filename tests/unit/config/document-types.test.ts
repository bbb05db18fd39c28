import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KINDS } from "../../../lib/kinds/registry.ts";
import { loadSchemas } from "../../support/schemas.ts";
import { isList, isObject, type JsonObject } from "../../../lib/core/json.ts";

const SOURCE = readFileSync(join(import.meta.dirname, "../../../lib/config/document-types.ts"), "utf8");
const schemas = await loadSchemas();

/** The schema that each type is held against: of which file, and where in it. */
const PLACES = {
  ProjectFile: ["project", ""],
  StateSection: ["project", "/properties/state"],
  RulesSection: ["project", "/properties/rules"],
  BudgetSection: ["project", "/properties/budget"],
  IssuanceSection: ["project", "/properties/budget/properties/issuance/else"],
  SourceSection: ["project", "/$defs/source"],
  CompleteSection: ["project", "/$defs/source/properties/complete"],
  ZoneFile: ["zone", ""],
  DeletionLimitSections: ["zone", "/properties/deletion_limits"],
  DeletionLimitSection: ["zone", "/$defs/deletionLimit"],
  HostnamesSection: ["zone", "/properties/custom_hostnames"],
  EntrySection: ["zone", "/$defs/entry"],
  FromSection: ["zone", "/$defs/from"],
  PolicySection: ["zone", "/$defs/policy"],
  ExceptionSection: ["zone", "/$defs/exception"],
  MatchSection: ["zone", "/$defs/match"],
  MoveSection: ["zone", "/properties/moved/items"],
  CheckSection: ["zone", "/$defs/check"],
} as const;

/** Sections that kinds read by themselves. */
const OF_KINDS: ReadonlySet<string> = new Set(KINDS.flatMap(({ section }) => section?.key ?? []));

test("every document type is what its schema says, key by key", () => {
  const written = Object.keys(PLACES).map((name) => [name, declared(name)]);
  const wanted = Object.entries(PLACES).map(([name, [file, pointer]]) => {
    return [name, membersOf(at(schemas[file], pointer), schemas[file], pointer === "")];
  });
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(wanted));
});

test("no document type is without a schema, and no section of a zone is without a reader", () => {
  const names = [...SOURCE.matchAll(/^export type (\w+) = \{/gm)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(Object.keys(PLACES)));
  const sections = Object.keys(members(schemas.zone));
  expect(new Set(sections.filter((key) => !OF_KINDS.has(key)))).toEqual(new Set(keysOf(declared("ZoneFile"))));
});

/** The members of a type as the source has them, each in one line and without `readonly`. */
function declared(name: string): readonly string[] {
  const body = new RegExp(`^export type ${name} = \\{\\n(.*?)^\\};`, "ms").exec(SOURCE)?.[1] ?? "";
  const lines = body.replaceAll(/\n {4,}/g, " ").replaceAll(/\n {2}\}/g, " }");
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.trim().replaceAll("readonly ", "").replaceAll("; }", " }").replace(/;$/, ""))
    .toSorted();
}

function keysOf(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.split(/\??:/, 1)[0] ?? "");
}

/** The members that a map has by its schema. What a document lacks at its top is not taken out, so every key of it is optional. */
function membersOf(schema: JsonObject, root: JsonObject, isTop: boolean): readonly string[] {
  const required = isTop || !isList(schema["required"]) ? [] : schema["required"];
  const patterns = isObject(schema["patternProperties"]) ? schema["patternProperties"] : {};
  const known = Object.entries(members(schema)).filter(([key]) => !isTop || !OF_KINDS.has(key));
  const named = known.map(([key, value]) => `${key}${required.includes(key) ? "" : "?"}: ${typeOf(value, root)}`);
  // The schema lists the kinds that are registered, and the type means all of them.
  const byKind = known.length > 0 && known.every(([key]) => KINDS.some((kind) => kind.name === key));
  if (byKind) return [...new Set(known.map(([, value]) => `[kind in KindName]?: ${typeOf(value, root)}`))];
  const facts = Object.keys(patterns).map((pattern) => `\`${/^\^(\w+)/.exec(pattern)?.[1] ?? ""}.\${string}\``);
  const values = new Set(Object.values(patterns).map((value) => (isObject(value) ? typeOf(value, root) : "")));
  return [
    ...named,
    ...(facts.length === 0 ? [] : [`[fact: ${facts.join(" | ")}]: ${[...values].join(" | ")}`]),
  ].toSorted();
}

function members(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, value]) => (isObject(value) ? [[key, value]] : [])),
  );
}

/** The type of a value by its schema; what belongs to a kind is JSON here. */
function typeOf(schema: JsonObject, root: JsonObject): string {
  const name = Object.entries(PLACES).find(
    ([, [file, pointer]]) => pointer !== "" && shapeOf(at(schemas[file], pointer)) === shapeOf(schema),
  )?.[0];
  if (name !== undefined) return name;
  const { $ref: reference, const: constant, enum: values } = schema;
  if (typeof reference === "string") {
    const target = at(root, reference.slice(1));
    const isOfKind = /^#\/\$defs\/[a-z]+-/.test(reference);
    return isOfKind && typesIn(target).includes("object") ? orNull("JsonObject", target) : typeOf(target, root);
  }
  if (constant !== undefined) return JSON.stringify(constant);
  if (isObject(schema["then"]) && isObject(schema["else"])) return either(schema["then"], schema["else"], root);
  // An enum that says its type as well is read as that: nothing is decided by its single values.
  if (isList(values) && schema["type"] === undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (isObject(schema["items"])) {
    const item = typeOf(schema["items"], root);
    return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
  }
  if (Object.keys(members(schema)).length > 0 && !isObject(schema["additionalProperties"]))
    return `{ ${membersOf(schema, root, false).join("; ")} }`;
  if (isObject(schema["additionalProperties"]))
    return orNull(`Readonly<Record<string, ${typeOf(schema["additionalProperties"], root)}>>`, schema);
  return orNull(typesIn(schema).map((type) => (type === "integer" ? "number" : type))[0] ?? "", schema);
}

function either(list: JsonObject, otherwise: JsonObject, root: JsonObject): string {
  const [some, one] = [typeOf(list, root), typeOf(otherwise, root)];
  if (some === "string[]" && one === "string") return "Texts";
  return `${some} | ${one}`;
}

function orNull(type: string, schema: JsonObject): string {
  return typesIn(schema).includes("null") ? `${type} | null` : type;
}

function typesIn(schema: JsonObject): readonly string[] {
  return [schema["type"] ?? []].flat().filter((type) => typeof type === "string");
}

function at(schema: JsonObject, pointer: string): JsonObject {
  let found = schema;
  for (const key of pointer.split("/").slice(1)) {
    const next = found[key];
    if (!isObject(next)) throw new Error(`the schema has no ${pointer}`);
    found = next;
  }
  return found;
}

/** A schema without what it tells its reader: the same section may be described in two ways. */
function shapeOf(schema: JsonObject): string {
  return JSON.stringify(schema, (key, value: unknown) =>
    ["description", "examples"].includes(key) ? undefined : value,
  );
}
