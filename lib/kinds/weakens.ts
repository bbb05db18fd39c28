import type { JsonObject } from "../core/json.ts";
import type { KindName } from "./kind.ts";
import { kindNamed } from "./registry.ts";

/**
 * Whether an object may protect less with the later values than with the earlier ones. Plans compare live with what an
 * apply leaves, drift compares what was applied with live.
 */
export function weakens(kind: KindName, from: JsonObject, to: JsonObject, key: string): boolean {
  return kindNamed(kind).weakens?.(from, to, key) ?? false;
}
