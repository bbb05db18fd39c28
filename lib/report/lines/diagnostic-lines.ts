import { parseAddress } from "../../core/address.ts";
import { type Diagnostic, formatPosition } from "../../core/diagnostic.ts";

/** A diagnostic on one line: place, object, severity, message, code. */
export function diagnosticSentence(diagnostic: Diagnostic): string {
  const { at, address, severity, message, code } = diagnostic;
  const place = at === undefined ? "" : `${formatPosition(at)}: `;
  const object = address === undefined || isNamed(address, message) ? "" : `${address}: `;
  return `${place}${severity}: ${object}${message} [${code}]`;
}

/** Whether a message names the object already: by its address, or by its key where one zone is meant. */
function isNamed(address: string, message: string): boolean {
  if (message.includes(address)) return true;
  const { zone, key } = parseAddress(address) ?? {};
  return zone === undefined && key !== undefined && message.split(/[\s",]+/).includes(key);
}
