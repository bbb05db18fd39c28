import { type Codec, record } from "../core/codec.ts";
import { object, objects, text } from "../core/decode.ts";
import type { JsonObject } from "../core/json.ts";
import type { Reviewed } from "./state.ts";

/** The line of a state that has the foreign rules. */
export const REVIEWED: Codec<Reviewed> = record<Reviewed>({ at: text, entryPoints: rulesByPhase });

/** Reads lists of rules by phase. Throws `DecodeError`. */
export function rulesByPhase(from: JsonObject, name: string): Reviewed["entryPoints"] {
  const phases = object(from, name);
  return Object.fromEntries(Object.keys(phases).map((phase) => [phase, objects(phases, phase)]));
}
