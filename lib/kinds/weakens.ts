import type { JsonObject } from "../core/json.ts";
import type { KindName } from "./kind.ts";
import { kindNamed } from "./registry.ts";

/**
 * Whether an object of a kind protects less with the values behind than with those before, or nobody can prove that it
 * does not. Plans ask it of live and of what an apply leaves, drift of what was applied and of live.
 */
export function weakens(kind: KindName, from: JsonObject, to: JsonObject, key: string): boolean {
  return kindNamed(kind).weakens?.(from, to, key) ?? false;
}
