import { texts } from "../../core/decode.ts";
import { equal, type JsonObject } from "../../core/json.ts";

/** Numbers of a rate limit of which a higher one stops more. */
const HIGHER_IS_STRICTER: readonly string[] = ["period", "mitigation_timeout"];
/** Numbers of a rate limit of which a lower one stops more. */
const LOWER_IS_STRICTER: readonly string[] = ["requests_per_period", "score_per_period"];

/** Whether a rate limit stops less than the one before, or nobody can prove that it does not. Without one every request is stopped. */
export function isLooser(from: JsonObject | undefined, to: JsonObject | undefined): boolean {
  if (equal(from, to) || !to) return false;
  if (!from) return true;
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].some((field) => isLooserIn(field, from, to));
}

function isLooserIn(field: string, from: JsonObject, to: JsonObject): boolean {
  const [before, after] = [from[field], to[field]];
  if (equal(before, after)) return false;
  // Without it, requests that the cache answers count as well.
  if (field === "requests_to_origin") return after === true;
  if (field === "characteristics") return areCountedApart(texts(from, field), texts(to, field));
  if (typeof before !== "number" || typeof after !== "number") return true;
  if (HIGHER_IS_STRICTER.includes(field)) return after < before;
  return !LOWER_IS_STRICTER.includes(field) || after > before;
}

/** Requests that differ in a characteristic are counted apart: with fewer of them more requests are counted together. */
function areCountedApart(before: readonly string[], after: readonly string[]): boolean {
  return after.length === 0 || after.some((characteristic) => !before.includes(characteristic));
}
