import { type Json, isList, isObject } from "../core/json.ts";
import { looksSecret } from "../core/key-material.ts";
import type { Steps } from "./document.ts";
import { writeYaml } from "./write-yaml.ts";

/** A part of a schema, as the schema library returns it. */
export type Schema = Readonly<Record<string, Json | undefined>>;

/** The everyday name of a value whose key does not name it. */
const THINGS: Readonly<Record<string, string>> = {
  "zone.id": "zone id",
  "zone.name": "zone name",
};

/** The name of a value in a message: its key, because the message shows the line; an item together with its list. */
export function thingAt(path: Steps): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  if (typeof last === "number") return `${thingAt(path.slice(0, -1))}[${last}]`;
  return THINGS[path.join(".")] ?? (/^[\w.-]+$/.test(last) ? last : JSON.stringify(last));
}

/** What to write instead: the schema's example as YAML under its key. */
export function shapeOf(path: Steps, { examples }: Schema): string {
  const [first] = Array.isArray(examples) ? examples : [];
  if (first === undefined) return "write a value that docs/configuration.md allows";
  return isStructure(first) ? `write it like this:\n${shownUnder(path, first)}` : `for example: ${oneLine(first)}`;
}

/**
 * The same with the value that was found: `zones: x` becomes a list of x, and an entry that is only a name becomes a
 * map.
 */
export function shapeWith(path: Steps, { examples }: Schema, written: string): string | undefined {
  const [first] = Array.isArray(examples) ? examples : [];
  if (isList(first)) return typeof first[0] === "string" ? shapeOf(path, { examples: [[written]] }) : undefined;
  const [key, value] = isObject(first) ? (Object.entries(first)[0] ?? []) : [];
  return key !== undefined && typeof value === "string" ? shapeOf(path, { examples: [{ [key]: written }] }) : undefined;
}

function isStructure(value: Json): boolean {
  return typeof value === "object" && value !== null;
}

function oneLine(value: Json): string {
  return writeYaml(value).trim();
}

/** Shows an item inside its list. */
function shownUnder(path: Steps, value: Json): string {
  const [last, above] = [path.at(-1), path.at(-2)];
  const shown: Json =
    typeof last === "number"
      ? typeof above === "string"
        ? { [above]: [value] }
        : [value]
      : last === undefined
        ? value
        : { [last]: value };
  const lines = writeYaml(shown).trimEnd().split("\n");
  return lines.map((line) => `    ${line}`).join("\n");
}

/** Longer values are shortened in messages. */
const LONGEST = 60;

/**
 * A value for a message: short, and hidden if it looks like a secret, because messages end up in logs and pull requests
 * (docs/semantics.md#credentials-and-secrets).
 */
export function quote(value: Json | undefined): string {
  if (typeof value === "string" && looksSecret(value)) return "a value that looks like a secret (not shown)";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "a map";
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
