import { type Backoff, pauseBefore } from "../../core/backoff.ts";
import type { Clock, Random } from "../../core/clock.ts";
import type { Codec } from "../../core/codec.ts";
import type { DiagnosticDetails } from "../../core/diagnostic.ts";
import { isObject } from "../../core/json.ts";
import type { Shared } from "../engine.ts";
import { placeError, refuseNewer, StateError } from "../error.ts";

/** The version of each format that we write. */
export const VERSION = 1;

/** A value of the place that several processes change. */
export interface SharedValue<T> {
  /** As it is now. */
  read(): Promise<T>;
  /**
   * Changes it in one step, again from the start if another process was faster. `change` returns undefined where nothing
   * is to be done; it gets the time of the place. `check` is asked between the read and the write.
   */
  update(
    change: (value: T, now: number) => T | undefined | Promise<T | undefined>,
    check?: () => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>;
}

/** What a shared value is made of. */
export interface SharedFormat<T> {
  readonly codec: Codec<T>;
  /** What it is before anybody wrote it. */
  readonly empty: T;
  /** What it is, for messages. */
  readonly what: string;
  /** What is wrong if it cannot be read. */
  readonly damage: DiagnosticDetails;
}

/** What a process needs to change what others change too. */
export interface Contender {
  readonly clock: Clock;
  readonly random: Random;
}

/** So often in a row others may be faster. */
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
        // After the read: who takes over from now on, and writes, makes this write fail.
        await check();
        if (await shared.replace(tag, encoded(codec, changed, random), signal)) return;
        // Not all of those that lost may come back at the same moment.
        await clock.sleep(random.fraction() * pauseBefore(PAUSES, attempt), signal);
      }
      throw placeError({ code: "state-server", message: "too many processes change the same thing at once" });
    },
  };
}

/** No two versions are the same text, so that an engine that compares texts or their digests takes none for another. */
function encoded<T>(codec: Codec<T>, value: T, random: Random): string {
  return `${JSON.stringify({ ...codec.encode(value), nonce: random.uuid() })}\n`;
}

/** A value from its text; `what` names it in messages. Throws `StateError`: `damage`, or that a newer Zoneform wrote it. */
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
