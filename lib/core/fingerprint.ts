import { createHmac } from "node:crypto";
import type { Json } from "./json.ts";
import type { Secret } from "./secret.ts";

/**
 * The keyed hash of a secret that state and plan may contain: it shows that the secret changed, and is useless without
 * the key. `key` is the hex key of the state that holds it (docs/semantics.md#credentials-and-secrets).
 */
export function fingerprint(secret: Secret, key: string): string {
  return `hmac-sha256:${createHmac("sha256", Buffer.from(key, "hex")).update(secret.reveal()).digest("hex")}`;
}

/** Whether a value looks like a result of `fingerprint`. */
export function isFingerprint(value: Json | undefined): value is string {
  return typeof value === "string" && value.startsWith("hmac-sha256:");
}
