import { isHexId, zoneId } from "../../../core/brand.ts";
import { type Codec, struct, structs } from "../../../core/codec.ts";
import { text, texts } from "../../../core/decode.ts";
import type { DiagnosticDetails } from "../../../core/diagnostic.ts";
import { collected, streamed, turns } from "../../../core/lists.ts";
import type { Shared, Sightings, ZoneKey } from "../../engine.ts";
import { decoded, type SharedValue, sharedValue, VERSION } from "../../zone/shared-value.ts";
import { type Keys, keysOf } from "./head.ts";
import { create, find, type Place, replace, serverNow, withStateErrors } from "./place.ts";

/** A shared text in an object, replaced by compare-and-swap on the version that was read. */
export function sharedObject(place: Place, key: string): Shared {
  return {
    get: async (signal) => {
      const found = await withStateErrors(place, "read", () => find({ ...place, signal }, key));
      const text = found && Buffer.from(found.bytes).toString("utf8");
      return { text, tag: found?.tag, now: serverNow(place) };
    },
    replace: async (tag, text, signal) => {
      const bytes = Buffer.from(text);
      const limited = { ...place, signal };
      const made = await withStateErrors(place, "written", () =>
        tag === undefined ? create(limited, key, bytes) : replace(limited, key, tag, bytes),
      );
      return made !== undefined;
    },
  };
}

/** The same as a value. It waits by the clock that is never set. */
function objectValue<T>(place: Place, key: string, codec: Codec<T>, empty: T): SharedValue<T> {
  const name = place.prefix + key;
  const format = { codec, empty, what: `the object ${name}`, damage: objectDamage(name) };
  return sharedValue(sharedObject(place, key), format, { clock: place.steady, random: place.random });
}

/** A JSON document as the bytes of an object. */
export function bytesOf<T>(codec: Codec<T>, value: T): Uint8Array {
  return Buffer.from(`${JSON.stringify(codec.encode(value))}\n`);
}

/** Decodes the bytes of an object as JSON; `name` is for the message. Throws `StateError` for anything else. */
export function valueIn<T>(codec: Codec<T>, bytes: Uint8Array, name: string): T {
  return decoded(codec, Buffer.from(bytes).toString("utf8"), `the object ${name}`, objectDamage(name));
}

function objectDamage(name: string): DiagnosticDetails {
  return {
    code: "state-damaged",
    message: `the object ${name} is damaged: it is not what zoneform writes there`,
    remedy: "restore an earlier version of the object, if the bucket keeps versions, or a copy of the bucket",
  };
}

/** The observed hostnames of a zone. */
interface Seen {
  readonly lines: readonly string[];
}

const SEEN: Codec<Seen> = struct<Seen>({ lines: texts }, { format: "zoneform-seen", version: VERSION });

/** Observed hostnames: an object for each zone that every runner may change without the lock, one after the other. */
export function seenObjects(place: Place): Sightings {
  const seenIn = (key: ZoneKey): SharedValue<Seen> => objectValue(place, keysOf(key).seen, SEEN, { lines: [] });
  return {
    lines: async function* (key) {
      yield* (await seenIn(key).read()).lines;
    },
    bytes: async (key) => (await seenIn(key).read()).lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
    // After a lost reply they may be added twice. The newer of two observations counts, and these are the same.
    add: (key, lines) => seenIn(key).update((seen) => ({ lines: [...seen.lines, ...lines] })),
    condense: async (key, keep) => {
      const { lines: read } = await seenIn(key).read();
      const kept = await collected(keep(streamed(read)));
      await seenIn(key).update(({ lines }) => {
        // If they differ, another process condensed the same lines, and its result stands.
        const isSame = read.every((line, index) => line === lines[index]);
        return isSame && read.length + kept.length > 0 ? { lines: [...kept, ...lines.slice(read.length)] } : undefined;
      });
    },
  };
}

/** Makes the object of a zone if it is missing, so that a job with read-only access finds one. */
export async function makeSeen(place: Place, { seen }: Keys): Promise<void> {
  if (!(await find(place, seen))) await create(place, seen, bytesOf(SEEN, { lines: [] }));
}

/** A zone of a project that may have something kept. */
interface Listed {
  readonly project: string;
  readonly zone: string;
}

/** The zones of all projects, so that Zoneform never has to list the bucket. */
interface Index {
  readonly entries: readonly Listed[];
}

const INDEX: Codec<Index> = struct<Index>(
  { entries: structs(struct<Listed>({ project: text, zone: text })) },
  { format: "zoneform-index", version: VERSION },
);

/** The list of the zones, below the prefix. No project has a name that begins with an underscore. */
export class ZoneIndex {
  readonly #value: SharedValue<Index>;
  readonly #inTurn = turns();
  /** The zones to add with the next change of the list. */
  readonly #waiting = new Set<ZoneKey>();

  constructor(place: Place) {
    this.#value = objectValue(place, "_index", INDEX, { entries: [] });
  }

  /** Lists a zone before anything is kept for it. Concurrent calls share one change. */
  add(key: ZoneKey): Promise<void> {
    this.#waiting.add(key);
    return this.#inTurn(async () => {
      // An earlier change included it.
      if (!this.#waiting.has(key)) return;
      const all = [...this.#waiting];
      await this.#value.update(({ entries }) => {
        const isNew = ({ project, zone }: ZoneKey): boolean =>
          !entries.some((each) => each.project === project && each.zone === zone);
        const added = new Map(
          all.filter(isNew).map(({ project, zone }) => [`${project}/${zone}`, { project, zone }] as const),
        );
        return added.size > 0 ? { entries: [...entries, ...added.values()] } : undefined;
      });
      for (const each of all) this.#waiting.delete(each);
    });
  }

  /** The zones of all projects that may have something kept. */
  async all(): Promise<readonly ZoneKey[]> {
    const { entries } = await this.#value.read();
    return entries.flatMap(({ project, zone }) => (isHexId(zone) ? [{ project, zone: zoneId(zone) }] : []));
  }
}
