import { formatAddress } from "../../core/address.ts";
import { checksum } from "../../core/digest.ts";
import { isList, isObject, type Json, type Path } from "../../core/json.ts";
import { isSecretReference, isFingerprint } from "../../core/secret.ts";
import type { ExportedObject } from "../../engine/export.ts";
import type { Attributes, Exported, HclResource } from "../../kinds/hcl.ts";
import { kindNamed } from "../../kinds/registry.ts";

/** Returns the expression to write in place of a value, or undefined for the value itself. */
export type Expression = (path: Path, value: Json) => string | undefined;

/** A block of HCL2 as lines, formatted like `terraform fmt`. */
export function blockLines(head: string, attributes: Attributes, expression: Expression = noExpression): string[] {
  return [`${head} {`, ...bodyLines(attributes, [], 1, expression), "}"];
}

/** A text in HCL2: quoted, without anything that Terraform would evaluate. */
export function quoted(text: string): string {
  let written = "";
  const characters = Array.from(text);
  for (const [index, character] of characters.entries()) written += escaped(character, characters[index + 1]);
  return `"${written}"`;
}

/** Texts that an identifier can show unchanged: words joined only by dots, or only by underscores. */
const SHOWN_WHOLE = /^(?:[a-z0-9]+(?:\.[a-z0-9]+)*|[a-z0-9]+(?:_[a-z0-9]+)*|[A-Z0-9]+(?:_[A-Z0-9]+)*)$/;

/** How many digits of a hash to add, to distinguish texts that give the same identifier. */
const HASH_DIGITS = 8;

/**
 * The name of a resource or variable, which depends on its parts alone, never on what else is exported: Terraform
 * destroys and re-creates a resource whose name changes in the next export.
 */
export function nameOf(...parts: readonly string[]): string {
  const words = parts.map((part) =>
    part
      .toLowerCase()
      .replaceAll("*", "wildcard")
      .replaceAll(/[^a-z0-9]+/g, "_"),
  );
  const name = words.map((word) => word.replaceAll(/^_+|_+$/g, "")).join("__");
  const hash = parts.every((part) => SHOWN_WHOLE.test(part))
    ? ""
    : `_${checksum(parts.join(" ")).slice(0, HASH_DIGITS)}`;
  return `${/^[a-z]/.test(name) ? "" : "_"}${name}${hash}`;
}

function noExpression(): undefined {
  return undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

/** Like Terraform's own writer: a template begins with `${` or `%{`, and doubling the first character prevents that. */
function escaped(character: string, next: string | undefined): string {
  if ((character === "$" || character === "%") && next === "{") return character + character;
  const known = ESCAPES[character];
  if (known !== undefined) return known;
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  // Half a surrogate pair is no character, and Terraform would refuse the file for it.
  if (code >= 0xd800 && code <= 0xdfff) return "\u{fffd}";
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

interface Written {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Aligns the equals signs of neighbouring one-line attributes; longer ones stand by themselves. */
function bodyLines(attributes: Attributes, path: Path, depth: number, expression: Expression): string[] {
  const written = attributes
    .filter(([, value]) => value !== null)
    .map(([name, value]): Written => {
      const isPlain = depth === 1 || (/^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name));
      return {
        name: isPlain ? name : quoted(name),
        lines: valueLines(value, [...path, name], depth, expression),
      };
    });
  const lines: string[] = [];
  for (let at = 0; at < written.length;) {
    const run = alignedFrom(written, at);
    const width = Math.max(...run.map(({ name }) => columnsOf(name)));
    for (const { name, lines: own } of run) {
      const [first = "", ...others] = own;
      lines.push(`${indent(depth)}${name}${" ".repeat(width - columnsOf(name))} = ${first}`, ...others);
    }
    at += run.length;
  }
  return lines;
}

const SEGMENTER = new Intl.Segmenter();

/** Terraform aligns by visible characters. */
function columnsOf(name: string): number {
  return Array.from(SEGMENTER.segment(name)).length;
}

/** Words with a meaning of their own as a key of an object. */
const RESERVED = new Set(["for", "true", "false", "null", "if", "in"]);

function alignedFrom(written: readonly Written[], from: number): readonly Written[] {
  const rest = written.slice(from);
  const end = rest.findIndex(({ lines }) => lines.length > 1);
  return rest.slice(0, end === -1 ? rest.length : Math.max(end, 1));
}

/** The first line follows the equals sign; the others are already indented. */
function valueLines(value: Json, path: Path, depth: number, expression: Expression): readonly string[] {
  const given = expression(path, value);
  if (given !== undefined) return [given];
  if (typeof value === "string") return [quoted(value)];
  if (isList(value)) return listLines(value, path, depth, expression);
  if (!isObject(value)) return [JSON.stringify(value)];
  const body = bodyLines(Object.entries(value), path, depth + 1, expression);
  return body.length === 0 ? ["{}"] : ["{", ...body, `${indent(depth)}}`];
}

function listLines(list: readonly Json[], path: Path, depth: number, expression: Expression): readonly string[] {
  const items = list.map((item, index) => valueLines(item, [...path, `${index}`], depth + 1, expression));
  if (items.every((lines) => lines.length === 1)) return [`[${items.map(([only = ""]) => only).join(", ")}]`];
  const lines = items.flatMap(([first = "", ...others]) => {
    const own = [indent(depth + 1) + first, ...others];
    return [...own.slice(0, -1), `${own.at(-1) ?? ""},`];
  });
  return ["[", ...lines, `${indent(depth)}]`];
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}

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

/** The variable for a secret. */
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
