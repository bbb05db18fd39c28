import { Document, isScalar, Scalar, visit } from "yaml";
import type { Json } from "../core/json.ts";

/** Readers of YAML 1.1 end a line at these, wherever they stand. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A plain `=` means something to readers of YAML 1.1. */
const SPECIAL = new Set(["=", "<<"]);

/**
 * A value as YAML that readers of version 1.2 and of version 1.1 read alike: words such as `on` and `no`, which 1.1 takes
 * for truth values, and what it takes for numbers, dates and line ends, are quoted.
 */
export function writeYaml(value: Json): string {
  const document = new Document(value, { compat: "yaml-1.1" });
  visit(document, {
    Scalar: (_key, node) => {
      if (isScalar(node) && typeof node.value === "string" && isSpecial(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeLineEnds(document.toString({ lineWidth: 0 }));
}

/** With the line ends of YAML 1.1 escaped, which mean themselves only inside of double quotes. */
export function escapeLineEnds(text: string): string {
  return text.replace(LINE_ENDS, escapedLineEnd);
}

function isSpecial(text: string): boolean {
  return SPECIAL.has(text) || text.search(LINE_ENDS) >= 0;
}

function escapedLineEnd(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
