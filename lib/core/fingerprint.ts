import { createHmac } from "node:crypto";
import type { Json } from "./json.ts";
import type { Secret } from "./secret.ts";

/**
 * The keyed hash under which a secret may stand in state and plan: enough to see that it changed, useless without the key.
 * `key` is the hex key of the state that it is kept in (docs/semantics.md#credentials-and-secrets).
 */
export function fingerprint(secret: Secret, key: string): string {
  return `hmac-sha256:${createHmac("sha256", Buffer.from(key, "hex")).update(secret.reveal()).digest("hex")}`;
}

/** Whether a value is a fingerprint as `fingerprint` makes it. */
export function isFingerprint(value: Json | undefined): value is string {
  return typeof value === "string" && value.startsWith("hmac-sha256:");
}
