import type { JsonObject } from "../../core/json.ts";
import type { Meaning } from "../../engine/explain/explain.ts";
import { FORMAT_VERSION } from "../escape/json.ts";
import { remedyLines } from "../lines/diagnostics.ts";
import { type Line, line } from "../lines/lines.ts";
import { type Printing, printLines } from "../printers/text.ts";

/** Meanings for people: the code and where it comes from, its cause, and what to do. */
export function explanationText(meanings: readonly Meaning[], printing: Printing): string {
  return printLines(meanings.flatMap(meaningLines), printing);
}

/** Meanings for programs. */
export function explanationDocument(meanings: readonly Meaning[]): JsonObject {
  return {
    format_version: FORMAT_VERSION,
    explanations: meanings.map(({ code, of, cause, remedy }) => ({ code, of, cause, remedy })),
  };
}

function meaningLines({ code, of, cause, remedy }: Meaning): Line[] {
  return [
    line(0, `${code} (${of})`, "heading"),
    line(2, cause),
    ...(remedy === "nothing" ? [] : remedyLines(2, remedy)),
  ];
}
