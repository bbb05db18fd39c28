import type { ZoneId } from "../core/brand.ts";
import { DecodeError, optionalObject, text } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import type { JsonObject } from "../core/json.ts";
import { wholeNumber } from "./journal-record.ts";
import { parse } from "./journal.ts";
import { StateError } from "./error.ts";
import type { Lease, StateStore } from "./store.ts";

/** The record beside a state that says which one was written last. */
export const LAST_WRITE = "last-write";

const FORMAT = "zoneform-last-write";
const VERSION = 1;

/** How an older state came to be the newest one: somebody meant it. */
export interface PutBack {
  /** The command that did it. */
  readonly by: string;
  /** The serial that the state had before. */
  readonly serial: number;
}

/** The state that was written last, and no other one. */
export interface LastWrite {
  readonly lineage: string;
  readonly serial: number;
  /** Of its content, so that it is the same for an encrypted state. */
  readonly sha256: string;
  readonly putBack?: PutBack;
}

/** Keeps it beside the state. Throws what the store throws. */
export function keepLastWrite(store: StateStore, lease: Lease, zone: ZoneId, written: LastWrite): Promise<void> {
  return store.keep(zone, lease, LAST_WRITE, encoded(written));
}

async function* encoded({ lineage, serial, sha256, putBack }: LastWrite): AsyncIterable<string> {
  const fields = { format: FORMAT, version: VERSION, lineage, serial, sha256 };
  const line = JSON.stringify({ ...fields, ...(putBack ? { put_back: { ...putBack } } : {}) });
  yield line;
  yield checksum(line);
}

/** What was written last; undefined where nothing says it. Throws `StateError` where the record cannot be read. */
export async function lastWrite(store: StateStore, zone: ZoneId): Promise<LastWrite | undefined> {
  const lines = await store.kept(zone, LAST_WRITE);
  if (!lines) return undefined;
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  const [line = "", sum] = read;
  const value = sum === checksum(line) && read.length === 2 ? parse(line) : undefined;
  try {
    return decoded(value ?? {});
  } catch (cause) {
    if (cause instanceof DecodeError) throw damaged(store.describe(zone), cause);
    throw cause;
  }
}

function decoded(from: JsonObject): LastWrite {
  if (from["format"] !== FORMAT) throw new DecodeError("format", JSON.stringify(FORMAT), from["format"]);
  if (from["version"] !== VERSION) throw new DecodeError("version", `${VERSION}`, from["version"]);
  const putBack = optionalObject(from, "put_back");
  return {
    lineage: text(from, "lineage"),
    serial: wholeNumber(from, "serial"),
    sha256: text(from, "sha256"),
    ...(putBack ? { putBack: { by: text(putBack, "by"), serial: wholeNumber(putBack, "serial") } } : {}),
  };
}

function damaged(where: string, cause: DecodeError): StateError {
  return new StateError(
    {
      code: "last-write-damaged",
      message: `the record of the last write beside ${where} is damaged`,
      remedy:
        "nothing is to be done: the next write renews it; until then an older state is noticed by the copies alone",
    },
    { cause },
  );
}
