import { escape } from "./terminal.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "=": "&#61;",
};

/**
 * A value as text of HTML, or inside of an attribute in quotes: no tag, no attribute and no entity can begin in it, and
 * what cannot be seen is made visible. Never inside of a script, a style or an attribute that holds a URL.
 */
export function htmlText(value: string): string {
  return escape(value).replace(/[&<>"'`=]/g, (character) => ENTITIES[character] ?? "");
}
