import { replaceMisleading } from "./terminal.ts";

/**
 * A document as indented JSON in which every character of a string is visible. JSON itself lets C1 controls, BiDi and
 * zero-width characters through, and the old form of a CI command (`##[`); a log would act on all of these. Here they
 * are written as `\u....`, which means the same to a JSON reader.
 */
export function jsonText(document: unknown): string {
  // Outside strings, JSON has no character that this changes, except its line breaks.
  return JSON.stringify(document, undefined, 2)
    .split("\n")
    .map((line) => replaceMisleading(line, unicode).replaceAll("##[", String.raw`\u0023#[`))
    .join("\n");
}

function unicode(character: string): string {
  return Array.from({ length: character.length }, (_unit, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}

/**
 * The version of the documents. The minor version rises when fields are added, the major version with any other change.
 * It names the program, because Terraform's plans have a `format_version` too: a reader of those must refuse ours, and
 * not take it for a plan without changes.
 */
export const FORMAT_VERSION = "zoneform/1.0";
