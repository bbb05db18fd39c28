import { defined } from "../core/defined.ts";
import { type Codec, nested, optional, record } from "../core/codec.ts";
import { DecodeError, object, optionalObject, text, texts } from "../core/decode.ts";
import type { JsonObject } from "../core/json.ts";
import type { AppliedBy, Seen, StateObject, Unanswered } from "./state.ts";

/** A status with its time. */
export const SEEN: Codec<Seen> = record<Seen>({ status: text, at: text });

/** A remembered object, for the lines of a state, of a journal and of a run's record. */
export const OBJECT: Codec<StateObject> = record<Omit<StateObject, "observed">>({
  kind: text,
  key: text,
  id: text,
  applied: object,
  by: optional(appliedBy),
  protect: mark,
  seen: optional(nested(SEEN)),
  undeclared: mark,
  pending: pendingCreate,
  since: optional(text),
  asked: optional(text),
  unanswered: unansweredWrite,
  uploaded: optional(texts),
});

/** Reads which runs applied what. Throws `DecodeError`. */
export function appliedBy(from: JsonObject, field: string): AppliedBy {
  const runs = Object.entries(object(from, field)).map(([path, run]): [string, string] => {
    if (typeof run !== "string") throw new DecodeError(field, "a run for each path", run);
    return [path, run];
  });
  return Object.fromEntries(runs);
}

/** Strict, because a damaged mark that reads as absent would remove a protection. */
function mark(from: JsonObject, field: string): true | undefined {
  const value = from[field];
  if (value !== undefined && value !== true) throw new DecodeError(field, "true or absent", value);
  return value;
}

function pendingCreate(from: JsonObject, field: string): "create" | undefined {
  const value = from[field];
  if (value !== undefined && value !== "create") throw new DecodeError(field, '"create" or absent', value);
  return value;
}

function unansweredWrite(from: JsonObject, field: string): Unanswered | undefined {
  if (from[field] === undefined) return undefined;
  const write = optionalObject(from, field);
  if (!write) throw new DecodeError(field, "an object", from[field]);
  const [run, action] = [text(write, "run"), text(write, "action")];
  if (action === "delete") return { run, action };
  const sent = optionalObject(write, "sent");
  if (action !== "update" || !sent) throw new DecodeError(field, "an update or a deletion", write);
  return { run, action, sent, ...defined({ by: optional(appliedBy)(write, "by") }) };
}
