import { isObject, type JsonObject } from "../../core/json.ts";
import type { Shared, SharedText } from "../engine.ts";

/**
 * Several JSON texts in one text of the place, so that a command reads all that it needs at its beginning with one
 * request. Each text is served once from that read; the next read of the same text gets a newer one.
 */
export class SharedTexts {
  readonly #whole: Shared;
  #answer: { readonly found: Promise<SharedText>; readonly readers: Set<string> } | undefined;
  /** The text as last read. */
  #known: SharedText | undefined;

  constructor(whole: Shared) {
    this.#whole = whole;
  }

  /** From now on, reads return nothing older than this call; for a command that begins, takes a lock or writes. */
  forget(): void {
    this.#answer = undefined;
  }

  /** One of the texts, by its name. */
  text(name: string): Shared {
    return {
      get: async (signal) => {
        const found = await this.#read(name, signal);
        const texts = textsIn(found.text);
        // Damage affects all of them.
        if (!texts) return found;
        return { ...found, text: texts[name] === undefined ? undefined : JSON.stringify(texts[name]) };
      },
      replace: async (tag, text, signal) => {
        // Another of the texts was read since, and has changed.
        if (tag !== undefined && this.#known?.tag !== tag) return false;
        const value: unknown = JSON.parse(text);
        const next = { ...(tag === undefined ? {} : textsIn(this.#known?.text)), [name]: value };
        this.forget();
        return this.#whole.replace(tag, `${JSON.stringify(next)}\n`, signal);
      },
    };
  }

  async #read(name: string, signal?: AbortSignal): Promise<SharedText> {
    if (!this.#answer || this.#answer.readers.has(name)) {
      const answer = { found: this.#whole.get(signal), readers: new Set<string>() };
      this.#answer = answer;
      answer.found.catch(() => this.#answer === answer && this.forget());
    }
    this.#answer.readers.add(name);
    this.#known = await this.#answer.found;
    return this.#known;
  }
}

/** The texts by name; undefined if they cannot be read. */
function textsIn(whole: string | undefined): JsonObject | undefined {
  try {
    const texts: unknown = JSON.parse(whole ?? "{}");
    return isObject(texts) ? texts : undefined;
  } catch {
    return undefined;
  }
}
