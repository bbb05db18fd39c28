import type { ZoneId } from "../core/brand.ts";
import { type Codec, named, optionalRecord, record } from "../core/codec.ts";
import { DecodeError, text, wholeNumber } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { parse } from "./journal.ts";
import { StateError } from "./error.ts";
import type { Lease, StateReader, StateStore } from "./store.ts";

/** The record beside a state that says which state was written last. */
export const LAST_WRITE = "last-write";

/** Somebody made an older state the newest one on purpose. */
export interface PutBack {
  /** The command that did it. */
  readonly by: string;
  /** The serial that the state had before. */
  readonly serial: number;
}

/** Identifies the state that was written last. */
export interface LastWrite {
  readonly lineage: string;
  readonly serial: number;
  /** The digest of the content, so that it is the same for an encrypted state. */
  readonly sha256: string;
  readonly putBack?: PutBack;
}

const WRITTEN: Codec<LastWrite> = record<LastWrite>(
  {
    lineage: text,
    serial: wholeNumber,
    sha256: text,
    putBack: named("put_back", optionalRecord(record<PutBack>({ by: text, serial: wholeNumber }))),
  },
  { format: "zoneform-last-write", version: 1 },
);

/** Writes the record beside the state. Throws what the store throws. */
export function keepLastWrite(store: StateStore, lease: Lease, zone: ZoneId, written: LastWrite): Promise<void> {
  return store.keep(zone, lease, LAST_WRITE, encoded(written));
}

async function* encoded(written: LastWrite): AsyncIterable<string> {
  const line = JSON.stringify(WRITTEN.encode(written));
  yield line;
  yield checksum(line);
}

/** What was written last; undefined if no record says it. Throws `StateError` if the record cannot be read. */
export async function lastWrite(store: StateReader, zone: ZoneId): Promise<LastWrite | undefined> {
  const lines = await store.kept(zone, LAST_WRITE);
  if (!lines) return undefined;
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  const [line = "", sum] = read;
  const value = sum === checksum(line) && read.length === 2 ? parse(line) : undefined;
  try {
    return WRITTEN.decode(value ?? {});
  } catch (cause) {
    if (cause instanceof DecodeError) throw damaged(store.describe(zone), cause);
    throw cause;
  }
}

function damaged(where: string, cause: DecodeError): StateError {
  return new StateError(
    {
      code: "last-write-damaged",
      message: `the record of the last write next to ${where} is damaged`,
      remedy: "nothing to do: the next write renews it; until then only the copies show whether the state is outdated",
    },
    { cause },
  );
}
