import { isObject, type Json } from "./json.ts";

/** How YAML names a secret value: from the environment, or from a file beside the configuration. Never the value itself. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** What stands for a secret wherever one would be printed. It is the same for every secret, so that not even a length shows. */
export const SENSITIVE = "(sensitive)";

/** The name under which Node asks a value how it wants to be inspected (public: `util.inspect.custom`). */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** A secret value. It prints, serialises and is inspected as `(sensitive)`; only `reveal` gives the text. */
export class Secret {
  readonly #text: string;

  static {
    // With it `console`, and every message that is made of a whole object, shows no more than a text does.
    Object.defineProperty(Secret.prototype, INSPECT, { value: () => SENSITIVE });
  }

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself, for the one place that sends it. */
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
