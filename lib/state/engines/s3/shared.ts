import { isHexId, zoneId } from "../../../core/brand.ts";
import { type Codec, record, records } from "../../../core/codec.ts";
import { text } from "../../../core/decode.ts";
import type { DiagnosticDetails } from "../../../core/diagnostic.ts";
import type { Shared, ZoneKey } from "../../engine.ts";
import { decoded, type SharedValue, sharedValue, VERSION } from "../../shared-value.ts";
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

/** A zone of a project for which something may be kept. */
interface Listed {
  readonly project: string;
  readonly zone: string;
}

/** The zones of all projects, because nothing here lists a bucket. */
interface Index {
  readonly entries: readonly Listed[];
}

const INDEX: Codec<Index> = record<Index>(
  { entries: records(record<Listed>({ project: text, zone: text })) },
  { format: "zoneform-index", version: VERSION },
);

/** Below the prefix; no project has a name that begins with an underscore. */
function indexIn(place: Place): SharedValue<Index> {
  return objectValue(place, "_index", INDEX, { entries: [] });
}

/** Names a zone before anything is kept for it. */
export async function addToIndex(place: Place, { project, zone }: ZoneKey): Promise<void> {
  await indexIn(place).update(({ entries }) => {
    if (entries.some((each) => each.project === project && each.zone === zone)) return undefined;
    return { entries: [...entries, { project, zone }] };
  });
}

/** The zones of all projects for which something may be kept. */
export async function indexed(place: Place): Promise<readonly ZoneKey[]> {
  const { entries } = await indexIn(place).read();
  return entries.flatMap(({ project, zone }) => (isHexId(zone) ? [{ project, zone: zoneId(zone) }] : []));
}
