import { isList, isObject, type Json, type JsonObject, type Path } from "../core/json.ts";
import { isFingerprint, isSecretReference } from "../core/secret.ts";
import type { KindName } from "../resources/kind.ts";
import { type Attributes, blockLines, type Expression, identifier, quoted } from "./hcl.ts";

/** A tracked object, as it is exported. */
export interface ExportedObject {
  readonly zone: { readonly id: string; readonly name: string };
  readonly kind: KindName;
  readonly key: string;
  readonly importId: string;
  /** What is wanted of it; secrets as references, or as fingerprints where only the state knows of them. */
  readonly values: JsonObject;
  /** Leaves that may hold secrets, as formatted paths. */
  readonly writeOnly: readonly string[];
  /** Only rules with some refs are ours: the entry point may have others. */
  readonly isShared: boolean;
}

const HEAD = [
  "# Written by zoneform export: what zoneform tracks, for the Cloudflare provider 5. Import blocks need Terraform 1.5.",
  "# Let only one of the two tools write: take the objects out of zoneform's state once Terraform has them.",
];

/** The objects as HCL2, line by line: variables for secrets, then each resource with its import block. */
export function* hclLines(objects: readonly ExportedObject[]): Iterable<string> {
  yield* HEAD;
  if (objects.length === 0) yield "# Nothing is tracked yet.";
  const names = namer();
  const variables = new Map<string, Variable>();
  const found = objects.flatMap((object) => resourceOf(object, names, variables));
  for (const { name, description } of variables.values()) {
    yield "";
    yield `variable ${quoted(name)} {`;
    yield* [`  type        = string`, `  sensitive   = true`, `  description = ${quoted(description)}`, "}"];
  }
  for (const lines of found) {
    yield "";
    yield* lines;
  }
}

interface Variable {
  readonly name: string;
  readonly description: string;
}

/** Names that are each given once. */
function namer(): (scope: string, wanted: string) => string {
  const taken = new Set<string>();
  return (scope, wanted) => {
    let name = wanted;
    for (let count = 2; taken.has(`${scope} ${name}`); count += 1) name = `${wanted}_${count}`;
    taken.add(`${scope} ${name}`);
    return name;
  };
}

function resourceOf(
  object: ExportedObject,
  names: ReturnType<typeof namer>,
  variables: Map<string, Variable>,
): readonly (readonly string[])[] {
  const resource = RESOURCES[object.kind];
  if (!resource) return [];
  const { type, attributes } = resource;
  const name = names(type, identifier(object.key === "" ? object.zone.name : object.key));
  const expression = (path: Path, value: Json): string | undefined => {
    const variable = secretAt(object, path, value, name);
    if (!variable) return undefined;
    const known = variables.get(variable.description) ?? { ...variable, name: names("variable", variable.name) };
    variables.set(variable.description, known);
    return `var.${known.name}`;
  };
  return [
    [
      ...(object.isShared
        ? ["# Rules of others are not in here, and Terraform would remove them: add them first."]
        : []),
      ...resourceLines(`resource ${quoted(type)} ${quoted(name)}`, object, attributes(object), expression),
      "",
      ...importLines(object, `${type}.${name}`),
    ],
  ];
}

/** Every change of a pack replaces it, and the new one has to be there first. */
function resourceLines(
  head: string,
  { kind }: ExportedObject,
  attributes: Attributes,
  expression: Expression,
): readonly string[] {
  const lines = blockLines(head, attributes, expression);
  if (kind !== "certificate_pack") return lines;
  return [...lines.slice(0, -1), "", "  lifecycle {", "    create_before_destroy = true", "  }", "}"];
}

/** The variable that stands for a secret; its description is what it is known by. */
function secretAt(object: ExportedObject, path: Path, value: Json, resource: string): Variable | undefined {
  if (!object.writeOnly.some((leaf) => path.join(".").startsWith(leaf))) return undefined;
  if (isSecretReference(value))
    return "env" in value
      ? variableOf("the environment variable", value["env"])
      : variableOf("the file", value["file"]);
  if (!isFingerprint(value)) return undefined;
  const leaf = path.join(".");
  return { name: identifier(`${resource} ${leaf}`), description: `${leaf} of ${object.key}` };
}

function variableOf(where: string, name: Json | undefined): Variable | undefined {
  return typeof name === "string"
    ? { name: identifier(name), description: `what zoneform reads from ${where} ${name}` }
    : undefined;
}

/** The id as zoneform prints it; provider 5 documents the one of rulesets in the plural. */
function importLines({ kind, importId }: ExportedObject, to: string): string[] {
  const plural =
    kind === "ruleset" ? [`  # where the provider wants the plural: ${importId.replace(/^zone\//, "zones/")}`] : [];
  return ["import {", ...plural, `  to = ${to}`, `  id = ${quoted(importId)}`, "}"];
}

interface Resource {
  readonly type: string;
  readonly attributes: (object: ExportedObject) => Attributes;
}

/** The resources of the provider; what it has none for is left out. */
const RESOURCES: Readonly<Partial<Record<KindName, Resource>>> = {
  fallback_origin: {
    type: "cloudflare_custom_hostname_fallback_origin",
    attributes: ({ zone, values }) => [["zone_id", zone.id], ...Object.entries(values)],
  },
  custom_hostname: {
    type: "cloudflare_custom_hostname",
    attributes: ({ zone, key, values }) => [["zone_id", zone.id], ["hostname", key], ...hostnameAttributes(values)],
  },
  certificate_pack: {
    type: "cloudflare_certificate_pack",
    attributes: ({ zone, values }) => [["zone_id", zone.id], ["type", "advanced"], ...Object.entries(values)],
  },
  ruleset: {
    type: "cloudflare_ruleset",
    attributes: ({ zone, key, values: { name = "default", rules = [], ...others } }) => [
      ["zone_id", zone.id],
      ["name", name],
      ["kind", "zone"],
      ["phase", key],
      ...Object.entries(others),
      ["rules", isList(rules) ? rules.filter(isObject).map(inReadingOrder) : rules],
    ],
  },
  total_tls: {
    type: "cloudflare_total_tls",
    attributes: ({ zone, values }) => [["zone_id", zone.id], ...Object.entries(values)],
  },
};

const FIRST = ["ref", "description", "action", "expression", "enabled"];

/** What a rule is, before how it does it. */
function inReadingOrder(rule: JsonObject): JsonObject {
  const first = FIRST.flatMap((field) => (rule[field] === undefined ? [] : [[field, rule[field]] as const]));
  return { ...Object.fromEntries(first), ...rule };
}

/** Where the service chooses the CA, the provider has the leaf computed. */
function hostnameAttributes({ ssl, ...others }: JsonObject): Attributes {
  if (!isObject(ssl)) return Object.entries(others);
  const { certificate_authority: authority, ...rest } = ssl;
  const kept =
    authority === undefined || authority === "default" ? rest : { ...rest, certificate_authority: authority };
  return [["ssl", kept], ...Object.entries(others)];
}
