import { escape } from "./terminal.ts";

/** The form of a CI command, which a runner finds behind any white space at the start of a line. */
const COMMAND = /^(\s*)::/;

/** Keeps an escaped line from being read as a CI command. The old form, `##[`, `escape` has taken apart already. */
export function neverCommand(line: string): string {
  return line.replace(COMMAND, String.raw`$1\u{3a}:`);
}

/**
 * A text as the message of a workflow command. There, `%`, CR and LF are written as `%25`, `%0D` and `%0A`;
 * CR and LF are made visible before, so that nothing is left of them to be decoded.
 */
export function commandMessage(text: string): string {
  return neverCommand(escape(text)).replaceAll("%", "%25");
}

/** A text as a property of a workflow command. There, `:` and `,` are written as `%3A` and `%2C` as well. */
export function commandProperty(text: string): string {
  return escape(text).replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll(",", "%2C");
}
