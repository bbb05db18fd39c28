import type { Diagnostic, Position } from "../../core/diagnostic.ts";
import { defined } from "../../core/json.ts";
import { counted } from "../../core/words.ts";
import { commandMessage, commandProperty } from "../escape/terminal.ts";

/** What a job shows beside the place that decides it. */
export interface Annotation {
  readonly severity: Diagnostic["severity"];
  /** The code of a diagnostic, or the name of a hazard. */
  readonly title: string;
  readonly lines: readonly string[];
  readonly at?: Position;
}

/** A diagnostic as an annotation, with what to do. */
export function annotationOf({ severity, code, message, remedy, commands = [], at, address }: Diagnostic): Annotation {
  const object = address === undefined || message.includes(address) ? "" : `${address}: `;
  const lines = [`${object}${message}`, ...(remedy === undefined ? [] : [remedy]), ...commands];
  return { severity, title: code, lines, ...defined({ at }) };
}

/** How to write annotations. */
export interface AnnotationOptions {
  /** The path of a file from the root of the repository; as it is when absent. */
  readonly pathOf?: (file: string) => string;
  /** Removes secrets. It has to run before the escaper, which spells them differently. */
  readonly redact?: (text: string) => string;
  /** How many annotations of each severity to write before counting the rest; all when absent. */
  readonly most?: number;
}

/** GitHub displays only so many errors, and so many warnings, of one step. */
export const MOST_DISPLAYED = 10;

/**
 * Annotations as workflow commands of GitHub (`::error file=..,line=..,col=..,title=..::message`), which a job prints in
 * its log.
 */
export function githubText(annotations: readonly Annotation[], options: AnnotationOptions = {}): string {
  const { most = Infinity } = options;
  const seen = { error: 0, warning: 0 };
  const shown = annotations.filter(({ severity }) => (seen[severity] += 1) <= most);
  const hidden = annotations.length - shown.length;
  const rest = hidden === 0 ? [] : [`${counted(hidden, "more annotation")}: GitHub displays ${most} of each level`];
  return [...shown.map((each) => command(each, options)), ...rest].map((line) => `${line}\n`).join("");
}

function command(
  { severity, title, lines, at }: Annotation,
  { pathOf = (file) => file, redact = (text) => text }: AnnotationOptions,
): string {
  const place =
    at === undefined ? [] : [`file=${commandProperty(pathOf(at.file))}`, `line=${at.line}`, `col=${at.column}`];
  const text = lines.map((line) => commandMessage(redact(line))).join("%0A");
  return `::${severity} ${[...place, `title=${commandProperty(title)}`].join(",")}::${text}`;
}
