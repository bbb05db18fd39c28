import type { Codec } from "../../../core/codec.ts";
import type { Shared } from "../../engine.ts";
import { type SharedValue, sharedValue } from "../../shared-value.ts";
import { objectDamage } from "./json-object.ts";
import { create, find, type Place, replace, serverNow, told } from "./place.ts";

/** An object that several processes change, each from the version that it read. */
export function sharedObject(place: Place, key: string): Shared {
  return {
    get: async (signal) => {
      const found = await told(place, "read", () => find(until(place, signal), key));
      const text = found && Buffer.from(found.bytes).toString("utf8");
      return { text, tag: found?.tag, now: serverNow(place) };
    },
    replace: async (tag, text, signal) => {
      const bytes = Buffer.from(text);
      const limited = until(place, signal);
      const made = await told(place, "written", () =>
        tag === undefined ? create(limited, key, bytes) : replace(limited, key, tag, bytes),
      );
      return made !== undefined;
    },
  };
}

/** Whoever gives up waiting for others gives up waiting for the server too. */
function until(place: Place, signal: AbortSignal | undefined): Place {
  return signal ? { ...place, signal } : place;
}

/** The same as a value. It waits by the clock that nobody sets. */
export function objectValue<T>(place: Place, key: string, codec: Codec<T>, empty: T): SharedValue<T> {
  const name = place.prefix + key;
  const format = { codec, empty, what: `the object ${name}`, damage: objectDamage(name) };
  return sharedValue(sharedObject(place, key), format, { clock: place.steady, random: place.random });
}
