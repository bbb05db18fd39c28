import { type Entry, noting } from "../../engine.ts";
import { Outdated } from "../../error.ts";
import { type Body, bodyOf, type Keys } from "./head.ts";
import { findCreated, type Place, told } from "./place.ts";

/** Large enough for few requests, small enough that memory stays bounded. */
export const PART_BYTES: number = 8 * 1024 * 1024;

/**
 * Stores the lines of an entry in the parts of a body. Until a head names it, nobody sees it. `put` stores one part.
 */
export async function stageBody(
  name: string,
  body: string,
  lines: AsyncIterable<string>,
  put: (number: number, bytes: Uint8Array) => Promise<void>,
): Promise<Entry> {
  const passing = noting(lines);
  let parts = 0;
  for await (const part of partsOf(passing.lines)) {
    // The head itself has lines that are few and short.
    if (passing.noted().isWhole) break;
    await put(parts, part);
    parts += 1;
  }
  return { name, tag: `${body}/${parts}`, ...passing.noted() };
}

/** The bytes of lines, cut into parts of the same size wherever that falls. */
async function* partsOf(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const line of lines) {
    const bytes = Buffer.from(`${line}\n`);
    waiting.push(bytes);
    length += bytes.length;
    if (length < PART_BYTES) continue;
    let whole = Buffer.concat(waiting);
    for (; whole.length >= PART_BYTES; whole = whole.subarray(PART_BYTES)) yield whole.subarray(0, PART_BYTES);
    waiting = [whole];
    length = whole.length;
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/** The lines of an entry, in their order. Throws `StateError` if a part of them is missing. */
export async function* linesOfBody(place: Place, keys: Keys, entry: Entry): AsyncIterable<string> {
  if (entry.isWhole) yield* entry.start;
  const body = bodyOf(entry);
  const load = (number: number): Promise<Uint8Array> => loadPart(place, keys, body, number);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest: string[] = [];
  let next = body.parts > 0 ? load(0) : undefined;
  for (let number = 0; next !== undefined; number += 1) {
    const bytes: Uint8Array = await next;
    // Comes while the caller reads what is there; a failure is told when it is asked for.
    next = number + 1 < body.parts ? load(number + 1) : undefined;
    next?.catch(() => undefined);
    const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n");
    rest.push(first);
    const last = others.pop();
    if (last === undefined) continue;
    yield rest.join("");
    yield* others;
    rest = [last];
  }
  const tail = rest.join("") + decoder.decode();
  if (tail !== "") yield tail;
}

async function loadPart(place: Place, keys: Keys, { name }: Body, number: number): Promise<Uint8Array> {
  const key = keys.part(name, number);
  const found = await told(place, "read", () => findCreated(place, key));
  if (found) return found.bytes;
  throw new Outdated({
    code: "state-damaged",
    message: `the state at ${place.where} is damaged: the object ${place.prefix}${key} is missing`,
    remedy: "restore it, if the bucket keeps versions, or run zoneform state repair",
  });
}
