import { parseAddress } from "../../core/address.ts";
import { type Diagnostic, formatPosition } from "../../core/diagnostic.ts";
import { type Complete, type Line, line } from "./lines.ts";

/** A diagnostic on one line: place, object, severity, message, code. */
export function diagnosticSentence(diagnostic: Diagnostic): string {
  const { at, address, severity, message, code } = diagnostic;
  const place = at === undefined ? "" : `${formatPosition(at)}: `;
  const object = address === undefined || isNamed(address, message) ? "" : `${address}: `;
  return `${place}${severity}: ${object}${message} [${code}]`;
}

/**
 * What to do, and the commands that do it. A remedy may have several lines: YAML, or cases that end with a colon. Of several
 * cases each has the next of the commands below it, and the last one has all that are left.
 */
export function adviceLines({ remedy, commands = [] }: Diagnostic, indent: number, complete: Complete): Line[] {
  const texts = remedy === undefined ? [] : remedy.split("\n");
  const cases = texts.filter((text) => text.endsWith(":")).length;
  let used = 0;
  const next = (): readonly string[] => {
    const from = used;
    used += 1;
    return commands.slice(from, used < cases ? used : commands.length);
  };
  const lineOf = (command: string): Line => line(indent + 2, complete(command));
  const advice = texts.flatMap((text) => [line(indent, text), ...(text.endsWith(":") ? next().map(lineOf) : [])]);
  return cases === 0 ? [...advice, ...commands.map(lineOf)] : advice;
}

/** Whether a message names the object already: by its address, or by its key where one zone is meant. */
function isNamed(address: string, message: string): boolean {
  if (message.includes(address)) return true;
  const { zone, key } = parseAddress(address) ?? {};
  return zone === undefined && key !== undefined && message.split(/[\s",]+/).includes(key);
}
