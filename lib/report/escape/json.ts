import { replaceMisleading } from "./terminal.ts";

/**
 * A document as JSON, indented, in which every string shows what is in it: JSON itself lets C1 controls, BiDi and
 * zero-width characters through, and the old form of a CI command (`##[`), all of which a log would act on. Here they
 * are written as `\u....`, which means the same to whoever reads the JSON.
 */
export function jsonText(document: unknown): string {
  // Outside of strings, JSON has no character that this touches but its line breaks.
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
