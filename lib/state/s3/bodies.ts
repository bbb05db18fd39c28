import { runningDigest } from "../../core/digest.ts";
import { StateError } from "../error.ts";
import { headerSerial } from "../header-serial.ts";
import type { Body, Keys } from "./head.ts";
import { findCreated, type Place, told } from "./place.ts";

/** Large enough for few requests, small enough that memory stays bounded. */
export const PART_BYTES: number = 8 * 1024 * 1024;

/** Only the first line can have a serial, and it is short. */
const LONGEST_HEADER_BYTES = 64 * 1024;

const LINE_END = 10;

/**
 * Stores lines in parts, to which nothing points yet: until something does, nobody sees them. `put` stores one part.
 */
export async function stageBody(
  name: string,
  lines: AsyncIterable<string>,
  put: (number: number, bytes: Uint8Array) => Promise<void>,
): Promise<Body> {
  const digest = runningDigest();
  let [parts, bytes, serial] = [0, 0, 0];
  for await (const part of partsOf(lines)) {
    if (parts === 0) serial = serialIn(part);
    digest.add(part);
    bytes += part.length;
    await put(parts, part);
    parts += 1;
  }
  return { name, parts, bytes, sha256: digest.hex(), serial };
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

function serialIn(part: Uint8Array): number {
  const end = part.indexOf(LINE_END);
  return end < 0 || end > LONGEST_HEADER_BYTES ? 0 : headerSerial(Buffer.from(part.subarray(0, end)).toString("utf8"));
}

/** The lines of a body, in their order. Throws `StateError` if a part of them is missing. */
export async function* linesOfBody(place: Place, keys: Keys, body: Body): AsyncIterable<string> {
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
  throw new StateError({
    code: "state-damaged",
    message: `the state at ${place.where} is damaged: the object ${place.prefix}${key} is missing`,
    remedy: "restore it, if the bucket keeps versions, or run zoneform state repair --from backup",
  });
}
