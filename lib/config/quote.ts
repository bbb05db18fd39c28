import type { Json } from "../core/json.ts";
import { looksSecret } from "../core/looks-secret.ts";

/** Longer values are shortened in messages. */
const LONGEST = 60;

/**
 * A value for a message: short, and hidden if it looks like a secret, because messages end up in logs and pull requests
 * (docs/semantics.md#credentials-and-secrets).
 */
export function quote(value: Json | undefined): string {
  if (typeof value === "string" && looksSecret(value)) return "a value that looks like a secret (not shown)";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "a map";
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
