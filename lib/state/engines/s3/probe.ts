import { type Codec, struct } from "../../../core/codec.ts";
import { text, wholeNumber } from "../../../core/decode.ts";
import { VERSION } from "../../zone/shared-value.ts";
import { BucketLost, BucketRefused, type Found } from "./bucket.ts";
import { conditionsIgnored } from "./failure.ts";
import { create, find, findIfAny, type Place, replace, serverNow, sweep } from "./place.ts";
import { bytesOf, valueIn } from "./shared.ts";

/** How hard a probe tries to find a server that fails only under races. */
export interface Effort {
  readonly racers: number;
  readonly rounds: number;
}

/** Cheap enough for once a day: about seventy small requests, most of them at once. */
const USUAL: Effort = { racers: 4, rounds: 2 };

/** The errors of servers that say that they do not support conditional writes. */
const UNKNOWN_CONDITION: readonly string[] = ["NotImplemented", "InvalidArgument", "MethodNotAllowed"];

/** How long a passed probe counts, by the server's clock. */
const PASSED_MILLISECONDS = 24 * 60 * 60_000;

/** A server gives its time in whole seconds, and the clocks of its machines may differ a little. */
const CLOCK_MILLISECONDS = 60_000;

/** Records when the server passed. Removing the leftovers of probes removes it too. */
const PASSED_KEY = "_probe/passed";

/** Which server passed: a copy of the bucket on another server proves nothing. */
interface Passed {
  readonly server: string;
  /** In ms since the epoch. */
  readonly at: number;
}

const PASSED: Codec<Passed> = struct<Passed>(
  { server: text, at: wholeNumber },
  { format: "zoneform-probe", version: VERSION },
);

/**
 * Checks once a day that the server honours conditional writes, which the lock depends on. Throws `StateError` for a
 * server that ignores them, or honours them only without races.
 */
export async function checkConditions(place: Place): Promise<void> {
  const { known, server } = place;
  if (known.isTrusted) return;
  const found = await findIfAny(place, PASSED_KEY);
  const passed = found && passedIn(found);
  const age = passed?.server === server ? serverNow(place) - passed.at : Infinity;
  if (age < -CLOCK_MILLISECONDS || age >= PASSED_MILLISECONDS) {
    await probe(place, USUAL);
    await notePassed(place, found);
  }
  known.isTrusted = true;
}

/** A record that cannot be read counts as none. */
function passedIn({ bytes }: Found): Passed | undefined {
  try {
    return valueIn(PASSED, bytes, PASSED_KEY);
  } catch {
    return undefined;
  }
}

/** If this cannot be recorded, the next run probes the server again. */
async function notePassed(place: Place, before: Found | undefined): Promise<void> {
  const bytes = bytesOf(PASSED, { server: place.server, at: serverNow(place) });
  const note = before ? replace(place, PASSED_KEY, before.tag, bytes) : create(place, PASSED_KEY, bytes);
  await note.catch((error: unknown) => {
    if (!(error instanceof BucketLost || error instanceof BucketRefused)) throw error;
  });
}

/** Tries everything that a lock needs, on objects of its own. Throws `StateError`. */
export async function probe(place: Place, { racers, rounds }: Effort): Promise<void> {
  const base = `_probe/${place.random.uuid()}`;
  const used: string[] = [];
  const name = (): string => {
    used.push(`${base}/${used.length}`);
    return used.at(-1) ?? base;
  };
  try {
    await probeOne(place, name());
    for (let round = 0; round < rounds; round += 1) {
      await raceToCreate(place, name(), racers);
      await raceToReplace(place, name(), racers);
    }
  } catch (error) {
    if (error instanceof BucketRefused && UNKNOWN_CONDITION.includes(error.code))
      throw conditionsIgnored(place.where, "it does not know conditional writes", error);
    throw error;
  } finally {
    await sweep(place, used);
  }
}

async function probeOne(place: Place, key: string): Promise<void> {
  const first = await make(place, key);
  if (first === undefined) throw conditionsIgnored(place.where, "it finds an object where there is none");
  if ((await make(place, key)) !== undefined) throw conditionsIgnored(place.where, "it ignores If-None-Match");
  if ((await change(place, key, "0".repeat(32))) !== undefined)
    throw conditionsIgnored(place.where, "it ignores If-Match");
  const second = await change(place, key, first);
  if (second === undefined) throw conditionsIgnored(place.where, "it refuses a write with the right If-Match");
  if (second === first) throw conditionsIgnored(place.where, "it gives two versions of an object the same ETag");
  if ((await change(place, key, first)) !== undefined)
    throw conditionsIgnored(place.where, "it accepts the ETag of an older version");
  const found = await find(place, key);
  if (found?.tag !== second) throw conditionsIgnored(place.where, "it does not read what was written just before");
}

async function raceToCreate(place: Place, key: string, racers: number): Promise<void> {
  const tags = await Promise.all(Array.from({ length: racers }, () => make(place, key)));
  await checkRace(place, key, tags, "create one object");
}

/** Some racers read while others write: each read must return one version with its own tag. */
async function raceToReplace(place: Place, key: string, racers: number): Promise<void> {
  const tag = await make(place, key);
  const before = await find(place, key);
  if (tag === undefined || !before) throw conditionsIgnored(place.where, "it finds an object where there is none");
  const writing = Promise.all(Array.from({ length: racers }, () => change(place, key, tag)));
  const reading = Promise.all(Array.from({ length: racers }, () => find(place, key)));
  const [tags, read] = await Promise.all([writing, reading]);
  const isTorn = read.some((each) => each && (each.tag === tag) !== (Buffer.compare(each.bytes, before.bytes) === 0));
  if (isTorn) throw conditionsIgnored(place.where, "it gives the ETag of one version with the bytes of another");
  await checkRace(place, key, tags, "replace one version");
}

async function checkRace(
  place: Place,
  key: string,
  tags: readonly (string | undefined)[],
  what: string,
): Promise<void> {
  const winners = tags.filter((tag) => tag !== undefined);
  if (winners.length !== 1)
    throw conditionsIgnored(place.where, `${winners.length} of ${tags.length} writers at once could ${what}`);
  const found = await find(place, key);
  if (found?.tag !== winners[0])
    throw conditionsIgnored(place.where, "it does not keep what the winner of a race wrote");
}

/** Each request has its own body, so that reading settles a lost reply, as everywhere. */
function make(place: Place, key: string): Promise<string | undefined> {
  return create(place, key, Buffer.from(place.random.uuid()));
}

function change(place: Place, key: string, tag: string): Promise<string | undefined> {
  return replace(place, key, tag, Buffer.from(place.random.uuid()));
}
