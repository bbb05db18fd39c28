import type { JsonObject } from "../../core/json.ts";
import type { SpecProblem } from "../traits/declared.ts";

/** There is nothing to normalise. */
export function normalise(spec: JsonObject): JsonObject {
  return spec;
}

/** Whether the step is allowed depends on live, so `compare` reports that. */
export function problems(): readonly SpecProblem[] {
  return [];
}
