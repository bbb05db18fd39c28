import { isObject, type JsonObject } from "../../core/json.ts";
import type { Codec } from "../../core/codec.ts";
import type { DiagnosticDetails } from "../../core/diagnostic.ts";
import { refuseNewer, StateError } from "../error.ts";

/** The version of each format that we write. */
export const VERSION = 1;

/** A JSON document as the bytes of an object. */
export function bytesOf<T>(codec: Codec<T>, value: T): Uint8Array {
  return Buffer.from(`${JSON.stringify(codec.encode(value))}\n`);
}

/**
 * Reads the bytes of an object as JSON. Throws `StateError` for anything else: `damage` says what that is, `name` is for
 * the message.
 */
export function valueIn<T>(
  codec: Codec<T>,
  bytes: Uint8Array,
  name: string,
  damage: (name: string) => DiagnosticDetails = stateDamage,
): T {
  try {
    const found = parsed(bytes);
    const { format } = found;
    if (typeof format === "string" && format.startsWith("zoneform-")) refuseNewer(found, VERSION, `the object ${name}`);
    return codec.decode(found);
  } catch (cause) {
    if (cause instanceof StateError) throw cause;
    throw new StateError(damage(name), { cause });
  }
}

function stateDamage(name: string): DiagnosticDetails {
  return {
    code: "state-damaged",
    message: `the object ${name} is damaged: it is not what zoneform writes there`,
    remedy: "restore an earlier version of the object, if the bucket keeps versions, or a copy of the bucket",
  };
}

function parsed(bytes: Uint8Array): JsonObject {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  if (!isObject(value)) throw new TypeError("an object is expected");
  return value;
}
