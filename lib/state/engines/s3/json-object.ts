import type { Codec } from "../../../core/codec.ts";
import type { DiagnosticDetails } from "../../../core/diagnostic.ts";
import { decoded } from "../../shared-value.ts";

/** A JSON document as the bytes of an object. */
export function bytesOf<T>(codec: Codec<T>, value: T): Uint8Array {
  return Buffer.from(`${JSON.stringify(codec.encode(value))}\n`);
}

/** Reads the bytes of an object as JSON; `name` is for the message. Throws `StateError` for anything else. */
export function valueIn<T>(codec: Codec<T>, bytes: Uint8Array, name: string): T {
  return decoded(codec, Buffer.from(bytes).toString("utf8"), `the object ${name}`, objectDamage(name));
}

/** What is wrong with an object that cannot be read. */
export function objectDamage(name: string): DiagnosticDetails {
  return {
    code: "state-damaged",
    message: `the object ${name} is damaged: it is not what zoneform writes there`,
    remedy: "restore an earlier version of the object, if the bucket keeps versions, or a copy of the bucket",
  };
}
