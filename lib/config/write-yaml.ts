import { Document, isCollection, isScalar, Scalar, visit } from "yaml";
import type { Json } from "../core/json.ts";

/** YAML 1.1 ends a line at these characters, wherever they occur. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A plain `=` has a meaning in YAML 1.1. */
const SPECIAL = new Set(["=", "<<"]);

/**
 * A value as YAML that versions 1.2 and 1.1 read alike: what 1.1 takes for booleans (`on`, `no`), numbers, dates or
 * line ends is quoted.
 */
export function writeYaml(value: Json): string {
  return escapeLineEnds(documentOf(value).toString({ lineWidth: 0 }));
}

/** The same on one line, for a place inside of other YAML: lists in brackets, maps in braces. `quotes` are for a text. */
export function inlineYaml(value: Json, quotes?: "QUOTE_DOUBLE" | "QUOTE_SINGLE"): string {
  // Inside of brackets, a text with a comma or a bracket needs quotes.
  const document = documentOf([value]);
  const list = document.contents;
  if (!isCollection(list)) throw new Error("a list is a collection");
  list.flow = true;
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value !== "string") return;
      if (quotes && typeof value === "string") node.type ??= quotes;
      // Only double quotes can hold a line end on one line.
      if (/[\r\n]/.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const written = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity });
  return escapeLineEnds(written.trim().slice(1, -1).trim());
}

function documentOf(value: Json): Document {
  const document = new Document(value, { compat: "yaml-1.1" });
  visit(document, {
    Scalar: (_key, node) => {
      if (isScalar(node) && typeof node.value === "string" && isSpecial(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document;
}

/** Escapes the line ends of YAML 1.1, which only double quotes preserve. */
export function escapeLineEnds(text: string): string {
  return text.replace(LINE_ENDS, escapedLineEnd);
}

function isSpecial(text: string): boolean {
  return SPECIAL.has(text) || text.search(LINE_ENDS) >= 0;
}

function escapedLineEnd(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
