import { defined, isList, type Json, type JsonObject } from "../core/json.ts";
import { DecodeError, object, optionalText } from "../core/decode.ts";

/** The scope of a plan: enough to plan again when a saved plan is applied. */
export interface PlanScope {
  /** Names or ids of zones; empty for all. */
  readonly zones: readonly string[];
  /** Addresses, as given to `--target`, `--exclude` and `--deny`. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  readonly deny: readonly string[];
  /** `--source NAME=FILE`. */
  readonly sources: Readonly<Record<string, string>>;
  /** `--complete-source NAME`; absent for none. */
  readonly completeSources?: readonly string[];
  readonly isDestroy: boolean;
  /** The run that the plan undoes; such a plan comes from the run's record, not from the YAML. */
  readonly undo?: string;
}

/** Reads a scope from a plan file. Throws `DecodeError` if a field is wrong. */
export function decodeScope(from: JsonObject): PlanScope {
  const undo = optionalText(from, "undo");
  const sources = Object.entries(object(from, "sources"));
  return {
    zones: texts(from, "zones"),
    target: texts(from, "target"),
    exclude: texts(from, "exclude"),
    deny: texts(from, "deny"),
    sources: Object.fromEntries(sources.map(([name, file]) => [name, textOf("sources", file)])),
    ...(from["completeSources"] === undefined ? {} : { completeSources: texts(from, "completeSources") }),
    isDestroy: from["isDestroy"] === true,
    ...defined({ undo }),
  };
}

function texts(from: JsonObject, field: string): readonly string[] {
  const value = from[field];
  if (!isList(value)) throw new DecodeError(field, "a list of texts", value);
  return value.map((item) => textOf(field, item));
}

function textOf(field: string, value: Json): string {
  if (typeof value !== "string") throw new DecodeError(field, "a text", value);
  return value;
}
