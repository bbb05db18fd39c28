import { createHmac } from "node:crypto";
import { type Json, isObject } from "./json.ts";

/** How YAML refers to a secret: an environment variable, or a file beside the configuration. Never the value itself. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** Replaces a secret wherever one would be printed. It is the same for every secret, so that not even the length shows. */
export const SENSITIVE = "(sensitive)";

/** The symbol by which Node asks a value how to inspect it (public: `util.inspect.custom`). */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** A secret value. It prints, serialises and is inspected as `(sensitive)`; only `reveal` gives the text. */
export class Secret {
  readonly #text: string;

  static {
    // This makes `console`, and every message built from a whole object, print `(sensitive)` too.
    Object.defineProperty(Secret.prototype, INSPECT, { value: () => SENSITIVE });
  }

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, only for the function that sends it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return SENSITIVE;
  }

  toJSON(): string {
    return SENSITIVE;
  }
}

/** Whether a value is a reference to a secret: an object with the single key `env` or `file`. */
export function isSecretReference(
  value: Json | undefined,
): value is SecretReference & { readonly [key: string]: Json } {
  if (!isObject(value)) return false;
  return Object.keys(value).length === 1 && (typeof value["env"] === "string" || typeof value["file"] === "string");
}

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
