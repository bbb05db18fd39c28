import { DecodeError, optionalObject, text, texts } from "../core/decode.ts";
import type { JsonObject } from "../core/json.ts";
import type { StateObject, Unanswered } from "./state.ts";

/** A remembered object as JSON, for the lines of a state and of a journal. */
export function encodeObject(object: StateObject): JsonObject {
  return {
    kind: object.kind,
    key: object.key,
    id: object.id,
    applied: object.applied,
    ...(object.protect ? { protect: true } : {}),
    ...(object.seen ? { seen: { status: object.seen.status, at: object.seen.at } } : {}),
    ...(object.undeclared ? { undeclared: true } : {}),
    ...(object.pending ? { pending: object.pending } : {}),
    ...(object.since === undefined ? {} : { since: object.since }),
    ...(object.asked === undefined ? {} : { asked: object.asked }),
    ...(object.unanswered ? { unanswered: { ...object.unanswered } } : {}),
    ...(object.uploaded === undefined ? {} : { uploaded: object.uploaded }),
  };
}

/** Reads what `encodeObject` wrote. Throws `DecodeError` that names the field. */
export function decodeObject(from: JsonObject): StateObject {
  const applied = optionalObject(from, "applied");
  if (!applied) throw new DecodeError("applied", "an object", from["applied"]);
  return {
    kind: text(from, "kind"),
    key: text(from, "key"),
    id: text(from, "id"),
    applied,
    ...(isMarked(from, "protect") ? { protect: true } : {}),
    ...lastSeen(from),
    ...(isMarked(from, "undeclared") ? { undeclared: true } : {}),
    ...pendingCreate(from),
    ...(from["since"] === undefined ? {} : { since: text(from, "since") }),
    ...(from["asked"] === undefined ? {} : { asked: text(from, "asked") }),
    ...unansweredWrite(from),
    ...(from["uploaded"] === undefined ? {} : { uploaded: texts(from, "uploaded") }),
  };
}

/** Strict, because a damaged mark that reads as absent would take a protection off. */
function isMarked(from: JsonObject, field: string): boolean {
  const value = from[field];
  if (value !== undefined && value !== true) throw new DecodeError(field, "true or absent", value);
  return value === true;
}

function lastSeen(from: JsonObject): Pick<StateObject, "seen"> {
  if (from["seen"] === undefined) return {};
  const seen = optionalObject(from, "seen");
  if (!seen) throw new DecodeError("seen", "an object", from["seen"]);
  return { seen: { status: text(seen, "status"), at: text(seen, "at") } };
}

function pendingCreate(from: JsonObject): { pending?: "create" } {
  const value = from["pending"];
  if (value === undefined) return {};
  if (value !== "create") throw new DecodeError("pending", '"create" or absent', value);
  return { pending: "create" };
}

function unansweredWrite(from: JsonObject): { unanswered?: Unanswered } {
  if (from["unanswered"] === undefined) return {};
  const write = optionalObject(from, "unanswered");
  if (!write) throw new DecodeError("unanswered", "an object", from["unanswered"]);
  const [run, action] = [text(write, "run"), text(write, "action")];
  if (action === "delete") return { unanswered: { run, action } };
  const sent = optionalObject(write, "sent");
  if (action !== "update" || !sent) throw new DecodeError("unanswered", "an update or a deletion", write);
  return { unanswered: { run, action, sent } };
}
