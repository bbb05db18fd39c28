import { type Codec, record, records } from "../../../core/codec.ts";
import { text, texts, wholeNumber } from "../../../core/decode.ts";
import { collected } from "../../../core/streams.ts";
import type { Sightings } from "../../engine.ts";
import { type SharedValue, VERSION } from "../../shared-value.ts";
import { type Keys, keysOf, type Loose, oldIn } from "./head.ts";
import { create, find, findCreated, type Place, sweep, told } from "./place.ts";
import { chunksOf } from "./segments.ts";
import { bytesOf, objectValue } from "./shared.ts";

/** Lines wait in the object itself until there are so many characters of them: one request then adds a run's lines. */
const MOST_INLINE_CHARACTERS = 128 * 1024;

/** Lines that moved to an object of their own. */
interface SeenPart {
  readonly name: string;
  readonly lines: number;
  readonly bytes: number;
  /** How many of the first lines no longer count. */
  readonly skip: number;
}

/** An object of lines that no longer counts. */
type LooseSeen = Pick<Loose, "name" | "since">;

/** What was seen of the hostnames of a zone: first the lines of the parts, then those that are here. */
interface Seen {
  readonly parts: readonly SeenPart[];
  readonly lines: readonly string[];
  readonly loose: readonly LooseSeen[];
  /** Rises when the lines are condensed. */
  readonly generation: number;
}

const PART: Codec<SeenPart> = record<SeenPart>({
  name: text,
  lines: wholeNumber,
  bytes: wholeNumber,
  skip: wholeNumber,
});
const LOOSE: Codec<LooseSeen> = record<LooseSeen>({ name: text, since: wholeNumber });

const SEEN: Codec<Seen> = record<Seen>(
  {
    parts: records(PART),
    lines: texts,
    loose: records(LOOSE),
    generation: wholeNumber,
  },
  { format: "zoneform-seen", version: VERSION },
);

const EMPTY: Seen = { parts: [], lines: [], loose: [], generation: 0 };

function seenIn(place: Place, keys: Keys): SharedValue<Seen> {
  return objectValue(place, keys.seen, SEEN, EMPTY);
}

/** Makes the object if it is missing, so that whoever only reads finds one. */
export async function makeSeen(place: Place, keys: Keys): Promise<void> {
  if (await find(place, keys.seen)) return;
  await create(place, keys.seen, bytesOf(SEEN, EMPTY));
}

/** What was seen of hostnames: an object of each zone that anybody may add to without the lock, one after the other. */
export function seenObjects(place: Place): Sightings {
  return {
    lines: async function* (key) {
      yield* linesOf(place, keysOf(key), await seenIn(place, keysOf(key)).read());
    },
    bytes: async (key) => {
      const { parts, lines } = await seenIn(place, keysOf(key)).read();
      return parts.reduce((sum, part) => sum + part.bytes, bytesOfLines(lines).length);
    },
    // If the reply is lost, they may be added twice: of two observations the newer one counts, and here they are the same.
    add: (key, lines) =>
      update(place, keysOf(key), async (seen, spill) => {
        const all = [...seen.lines, ...lines];
        if (charactersOf(all) <= MOST_INLINE_CHARACTERS) return { ...seen, lines: all };
        return { ...seen, parts: [...seen.parts, ...(await spill(all))], lines: [] };
      }),
    condense: async (key, keep) => {
      const read = await seenIn(place, keysOf(key)).read();
      const put = await collected(keep(linesOf(place, keysOf(key), read)));
      const count = countOf(read);
      return update(place, keysOf(key), async (seen, spill, now) => {
        // Another process condensed the same lines, so it is left to that one.
        if (seen.generation !== read.generation || (count === 0 && put.length === 0)) return undefined;
        const { parts, lines } = without(seen, count);
        const stay = new Set(parts.map(({ name }) => name));
        const gone = seen.parts.filter(({ name }) => !stay.has(name)).map(({ name }) => ({ name, since: now }));
        const base = { ...seen, generation: seen.generation + 1, loose: [...seen.loose, ...gone] };
        if (parts.length === 0 && charactersOf([...put, ...lines]) <= MOST_INLINE_CHARACTERS)
          return { ...base, parts, lines: [...put, ...lines] };
        return { ...base, parts: [...(await spill(put)), ...parts], lines };
      });
    },
  };
}

/** Moves lines to objects of their own. */
type Spill = (lines: readonly string[]) => Promise<readonly SeenPart[]>;

/**
 * Changes the object, and deletes what no longer counts. What an attempt that lost moved to objects of its own is
 * deleted like everything else that nobody reads.
 */
async function update(
  place: Place,
  keys: Keys,
  change: (seen: Seen, spill: Spill, now: number) => Promise<Seen | undefined>,
): Promise<void> {
  const spilled: LooseSeen[] = [];
  const spill: Spill = async (lines) => {
    const parts: SeenPart[] = [];
    for await (const some of chunksOf(lines)) {
      const name = place.random.uuid();
      spilled.push({ name, since: 0 });
      const bytes = bytesOfLines(some);
      await create(place, keys.seenLines(name), bytes);
      parts.push({ name, lines: some.length, bytes: bytes.length, skip: 0 });
    }
    return parts;
  };
  const changing = seenIn(place, keys).update(async (seen, now) => {
    // An attempt without an answer may have succeeded, before somebody else went on from what it wrote.
    const known = new Set([...seen.parts, ...seen.loose].map(({ name }) => name));
    const lost = spilled.filter(({ name }) => !known.has(name));
    const changed = (await change(seen, spill, now)) ?? (lost.length > 0 ? seen : undefined);
    if (!changed) return undefined;
    // What this very change no longer needs is still needed by those who read what it replaces.
    const old = oldIn([...lost, ...seen.loose], now).map(({ name }) => keys.seenLines(name));
    const gone = new Set(await sweep(place, old));
    const loose = [...lost, ...changed.loose].filter(({ name }) => !gone.has(keys.seenLines(name)));
    return { ...changed, loose };
  });
  await told(place, "written", () => changing);
}

async function* linesOf(place: Place, keys: Keys, { parts, lines }: Seen): AsyncIterable<string> {
  for (const { name, skip } of parts) {
    // One that is missing was condensed while this is read: what it had is not needed, or comes the next time.
    const found = await told(place, "read", () => findCreated(place, keys.seenLines(name)));
    yield* Buffer.from(found?.bytes ?? [])
      .toString("utf8")
      .split("\n")
      .slice(skip, -1);
  }
  yield* lines;
}

/** What is left without so many lines from the beginning. */
function without({ parts, lines }: Seen, count: number): Pick<Seen, "parts" | "lines"> {
  let gone = count;
  const left: SeenPart[] = [];
  for (const part of parts) {
    const dropped = Math.min(gone, part.lines - part.skip);
    gone -= dropped;
    if (part.skip + dropped < part.lines) left.push({ ...part, skip: part.skip + dropped });
  }
  return { parts: left, lines: lines.slice(gone) };
}

function countOf({ parts, lines }: Seen): number {
  return parts.reduce((sum, part) => sum + part.lines - part.skip, lines.length);
}

function bytesOfLines(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

function charactersOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
