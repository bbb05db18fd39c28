import { texts } from "../../core/decode.ts";
import { equal, type JsonObject } from "../../core/json.ts";

/** Values of a rate limit that stop more when they are higher. */
const HIGHER_IS_STRICTER: readonly string[] = ["period", "mitigation_timeout"];
/** Values of a rate limit that stop more when they are lower. */
const LOWER_IS_STRICTER: readonly string[] = ["requests_per_period", "score_per_period"];

/** Whether a rate limit may stop less than the previous one. Without a rate limit, every request is stopped. */
export function isLooser(from: JsonObject | undefined, to: JsonObject | undefined): boolean {
  if (equal(from, to) || !to) return false;
  if (!from) return true;
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].some((field) => isLooserIn(field, from, to));
}

function isLooserIn(field: string, from: JsonObject, to: JsonObject): boolean {
  const [before, after] = [from[field], to[field]];
  if (equal(before, after)) return false;
  // Without it, requests that the cache answers count too.
  if (field === "requests_to_origin") return after === true;
  if (field === "characteristics") return areCountedApart(texts(from, field), texts(to, field));
  if (typeof before !== "number" || typeof after !== "number") return true;
  if (HIGHER_IS_STRICTER.includes(field)) return after < before;
  return !LOWER_IS_STRICTER.includes(field) || after > before;
}

/**
 * Requests that differ in a characteristic are counted separately, so with fewer characteristics more requests count
 * together.
 */
function areCountedApart(before: readonly string[], after: readonly string[]): boolean {
  return after.length === 0 || after.some((characteristic) => !before.includes(characteristic));
}
