import type { ZoneId } from "../core/brand.ts";
import { type Codec, named, optionalRecord, record } from "../core/codec.ts";
import { DecodeError, text, wholeNumber } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { collected } from "../core/streams.ts";
import { refuseNewer, StateError } from "./error.ts";
import { parse } from "./journal.ts";
import type { StateReader } from "./store.ts";

const VERSION = 1;

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
  { format: "zoneform-last-write", version: VERSION },
);

/**
 * The lines of the record: one, and its checksum. `written` is asked once the lines of the state have passed, because only
 * they say its digest.
 */
export async function* lastWriteLines(written: () => LastWrite): AsyncIterable<string> {
  const line = JSON.stringify(WRITTEN.encode(written()));
  yield line;
  yield checksum(line);
}

/** What was written last; undefined if no record says it. Throws `StateError` if the record cannot be read. */
export async function lastWrite(store: StateReader, zone: ZoneId): Promise<LastWrite | undefined> {
  const lines = await store.kept(zone, LAST_WRITE);
  if (!lines) return undefined;
  const [line = "", sum, ...more] = await collected(lines);
  const value = (sum === checksum(line) && more.length === 0 ? parse(line) : undefined) ?? {};
  const where = store.describe(zone);
  refuseNewer(value, VERSION, `the ${LAST_WRITE} beside ${where}`);
  try {
    return WRITTEN.decode(value);
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause;
    throw new StateError(
      {
        code: "last-write-damaged",
        message: `the record of the last write next to ${where} is damaged`,
        remedy:
          "nothing to do: the next write renews it; until then only the copies show whether the state is outdated",
      },
      { cause },
    );
  }
}
