import { type Diagnostic, formatPosition } from "../../core/diagnostic.ts";

/** A diagnostic on one line: place, object, severity, message, code. */
export function diagnosticSentence(diagnostic: Diagnostic): string {
  const { at, address, severity, message, code } = diagnostic;
  const place = at === undefined ? "" : `${formatPosition(at)}: `;
  const object = address === undefined || message.includes(address) ? "" : `${address}: `;
  return `${place}${severity}: ${object}${message} [${code}]`;
}
