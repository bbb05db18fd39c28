import { copy, isObject, type JsonObject } from "../json.ts";
import { badInput } from "./gone.ts";
import type { UriOverride } from "./record.ts";

/** The part of a URI-based override that a caller sets. */
export type OverrideInput = Omit<UriOverride, "id">;

/** Reads an override; what is not sent takes its default. Throws a 400. */
export function readOverride(body: JsonObject): OverrideInput {
  const { urls, paused = false, priority = null, description = null } = body;
  if (!Array.isArray(urls) || urls.length === 0) throw badInput("urls must not be empty");
  if (typeof paused !== "boolean") throw badInput("paused must be true or false");
  if (priority !== null && typeof priority !== "number") throw badInput("priority must be a number");
  if (description !== null && typeof description !== "string") throw badInput("description must be a string");
  return {
    urls: urls.map((url) => {
      if (typeof url !== "string" || url === "") throw badInput("urls must be strings");
      return url;
    }),
    paused,
    priority,
    description,
    groups: objectIn(body, "groups"),
    rules: objectIn(body, "rules"),
    rewriteAction: objectIn(body, "rewrite_action"),
  };
}

/** An override as the API shows it. */
export function overrideView({ rewriteAction, ...override }: UriOverride): JsonObject {
  return copy({ ...override, rewrite_action: rewriteAction });
}

function objectIn(body: JsonObject, name: string): JsonObject {
  const value = body[name] ?? {};
  if (!isObject(value)) throw badInput(`${name} must be an object`);
  return copy(value);
}
