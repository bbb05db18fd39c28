import { type Position, warning } from "../core/diagnostic.ts";
import type { Report } from "./report.ts";

/** Characters that change the direction of text, raw or as YAML and JSON escapes. */
const TURNING =
  /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\\u(?:061[cC]|200[eEfF]|202[a-eA-E]|206[6-9])|\\U0000(?:061[cC]|200[eEfF]|202[a-eA-E]|206[6-9])/g;

/** After this many warnings the reader knows. */
const MOST_WARNINGS = 20;

/**
 * Warns about each place where a file changes the text direction, in values and comments: reviewers then see another
 * order than the parser. Some languages need it, so it is no error.
 */
export function warnOfTurns(text: string, place: (offset: number) => Position, report: Report): void {
  for (const { index } of [...text.matchAll(TURNING)].slice(0, MOST_WARNINGS)) {
    report(
      warning({
        code: "turned-direction",
        message: "an invisible character reverses the text from here: what you see is not what is read",
        remedy:
          "remove the character, unless the text is in a language written from right to left; some editors can show it",
        at: place(index),
      }),
    );
  }
}
