import { type Backoff, type Clock, pauseBefore, type Random } from "../../core/clock.ts";
import type { Codec } from "../../core/codec.ts";
import type { DiagnosticDetails } from "../../core/diagnostic.ts";
import { isObject, type JsonObject, parseObject } from "../../core/json.ts";
import type { Shared, SharedText } from "../engine.ts";
import { placeError, refuseNewer, StateError } from "../error.ts";

/** The version of every format that we write. */
export const VERSION = 1;

/** A value of the place, changed by compare-and-swap. */
export interface SharedValue<T> {
  /** The current value. */
  read(): Promise<T>;
  /**
   * Changes it in one step, and starts again if another process was faster. `change` gets the time of the place, and
   * returns undefined to change nothing. `check` is called between the read and the write.
   */
  update(
    change: (value: T, now: number) => T | undefined | Promise<T | undefined>,
    check?: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>;
}

/** How a shared value is stored and reported. */
interface SharedFormat<T> {
  readonly codec: Codec<T>;
  /** The value before the first write. */
  readonly empty: T;
  /** What to call it in messages. */
  readonly what: string;
  /** The error if it cannot be read. */
  readonly damage: DiagnosticDetails;
}

/** What a process needs to compete for shared values. */
export interface Contender {
  readonly clock: Clock;
  readonly random: Random;
}

/** How often in a row other processes may be faster. */
const MOST_ATTEMPTS = 200;

const PAUSES: Backoff = { firstMilliseconds: 50, longestMilliseconds: 800 };

/** Reads and changes a shared text as a value. */
export function sharedValue<T>(
  shared: Shared,
  { codec, empty, what, damage }: SharedFormat<T>,
  { clock, random }: Contender,
): SharedValue<T> {
  const valueIn = (text: string | undefined): T => (text === undefined ? empty : decoded(codec, text, what, damage));

  return {
    read: async () => valueIn((await shared.get()).text),
    update: async (change, check = async () => undefined, signal) => {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
        signal?.throwIfAborted();
        const { text, tag, now } = await shared.get(signal);
        const changed = await change(valueIn(text), now);
        if (changed === undefined) return;
        // After the read: if another run takes over from now on and writes, this write fails.
        await check();
        if (await shared.replace(tag, encoded(codec, changed, random), signal)) return;
        // A random pause, so that those that lost do not all return at the same moment.
        await clock.sleep(random.fraction() * pauseBefore(PAUSES, attempt), signal);
      }
      throw placeError({ code: "state-server", message: "too many processes change the same thing at once" });
    },
  };
}

/** No two versions are the same text, so an engine that compares texts or digests never confuses them. */
function encoded<T>(codec: Codec<T>, value: T, random: Random): string {
  return `${JSON.stringify({ ...codec.encode(value), nonce: random.uuid() })}\n`;
}

/** Decodes a value; `what` names it in messages. Throws `StateError`: `damage`, or that a newer Zoneform wrote it. */
export function decoded<T>(codec: Codec<T>, text: string, what: string, damage: DiagnosticDetails): T {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new TypeError("an object is expected");
    const { format } = value;
    if (typeof format === "string" && format.startsWith("zoneform-")) refuseNewer(value, VERSION, what);
    return codec.decode(value);
  } catch (cause) {
    if (cause instanceof StateError) throw cause;
    throw new StateError(damage, { cause });
  }
}

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
  return parseObject(whole ?? "{}");
}
