import { formatAddress } from "../../core/address.ts";
import type { Json, Path } from "../../core/json.ts";
import { isSecretReference, isFingerprint } from "../../core/secret.ts";
import type { ExportedObject } from "../../engine/export.ts";
import type { Exported, HclResource } from "../../kinds/hcl.ts";
import { kindNamed } from "../../kinds/registry.ts";
import { blockLines, nameOf, quoted } from "./hcl.ts";

const HEAD = [
  "# Written by zoneform export: what zoneform tracks, for the Cloudflare provider 5. Import blocks need Terraform 1.5.",
  "# Let only one of the two tools write: take the objects out of zoneform's state once Terraform has them.",
];

/** The objects as HCL2, line by line: variables for secrets, then each resource with its import block. */
export function* hclLines(objects: readonly ExportedObject[]): Iterable<string> {
  yield* HEAD;
  if (objects.length === 0) yield "# Nothing is tracked yet.";
  const variables = new Map<string, Variable>();
  const found = objects.flatMap((object) => resourceOf(object, variables));
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

function resourceOf(object: ExportedObject, variables: Map<string, Variable>): readonly (readonly string[])[] {
  const resource = kindNamed(object.kind).hcl;
  if (resource === "none") return [[`# ${addressOf(object)}: the provider has no resource for it.`]];
  if (!object.isLive) return [[`# ${addressOf(object)} is tracked, and not live: it is left out.`]];
  if (resource.isThere?.(object) === false)
    return [[`# ${addressOf(object)}: the provider has no resource for it as it is.`]];
  const { type, attributes, importId } = resource;
  const name = nameOf(...(object.key === "" ? [object.zone.name] : [object.zone.name, object.key]));
  const expression = (path: Path, value: Json): string | undefined => {
    const variable = secretAt(object, path, value, name);
    if (!variable) return undefined;
    variables.set(variable.name, variable);
    return `var.${variable.name}`;
  };
  const lines = blockLines(`resource ${quoted(type)} ${quoted(name)}`, attributes(object), expression);
  return [
    [
      ...foreignLines(object),
      ...(resource.note === undefined ? [] : [`# ${resource.note}`]),
      ...lines.slice(0, -1),
      ...lifecycleLines(resource, object),
      "}",
      "",
      "import {",
      `  to = ${type}.${name}`,
      `  id = ${quoted(importId(object))}`,
      "}",
    ],
  ];
}

function addressOf({ zone, kind, key }: ExportedObject): string {
  return formatAddress({ kind, zone: zone.name, ...(key === "" ? {} : { key }) });
}

function foreignLines({ foreignRules }: ExportedObject): string[] {
  if (foreignRules === 0) return [];
  const rules = foreignRules === 1 ? "1 foreign rule is" : `${foreignRules} foreign rules are`;
  return [`# ${rules} in here as well: Terraform owns an entry point as a whole.`];
}

function lifecycleLines({ createsBeforeDestroy, ignored }: HclResource, object: ExportedObject): string[] {
  const hidden = ignored?.(object) ?? [];
  const lines = [
    ...(createsBeforeDestroy ? ["    create_before_destroy = true"] : []),
    ...(hidden.length > 0
      ? [
          "    # Cloudflare does not show these as they were sent. Take one out to have Terraform send it.",
          `    ignore_changes = [${hidden.join(", ")}]`,
        ]
      : []),
  ];
  return lines.length === 0 ? [] : ["", "  lifecycle {", ...lines, "  }"];
}

/** The variable that stands for a secret. */
function secretAt(object: Exported, path: Path, value: Json, resource: string): Variable | undefined {
  if (!object.writeOnly.some((leaf) => path.join(".").startsWith(leaf))) return undefined;
  if (isSecretReference(value))
    return "env" in value
      ? variableOf("the environment variable", value["env"])
      : variableOf("the file", value["file"]);
  if (!isFingerprint(value)) return undefined;
  const leaf = path.join(".");
  return { name: `${resource}__${nameOf(leaf)}`, description: `${leaf} of ${object.key}` };
}

function variableOf(where: string, name: Json | undefined): Variable | undefined {
  return typeof name === "string"
    ? {
        name: nameOf(/[a-z]/.test(name) ? `${where} ${name}` : name),
        description: `what zoneform reads from ${where} ${name}`,
      }
    : undefined;
}
