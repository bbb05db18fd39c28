import type { JsonObject } from "../../core/json.ts";
import type { SpecProblem } from "../traits/declared.ts";

/** There is one spelling already. */
export function normalise(spec: JsonObject): JsonObject {
  return spec;
}

/** Whether the step is allowed depends on where the zone stands, so it is said when that is known. */
export function problems(): readonly SpecProblem[] {
  return [];
}
