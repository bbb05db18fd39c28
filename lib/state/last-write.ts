import type { ZoneId } from "../core/brand.ts";
import { type Codec, named, optionalRecord, record } from "../core/codec.ts";
import { text, wholeNumber } from "../core/decode.ts";
import { checkedRecord } from "./checked-record.ts";
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

const RECORD = checkedRecord(LAST_WRITE, WRITTEN, (where) => ({
  code: "last-write-damaged",
  message: `the record of the last write next to ${where} is damaged`,
  remedy: "nothing to do: the next write renews it; until then only the copies show whether the state is outdated",
}));

/** Writes the record beside the state. Throws what the store throws. */
export function keepLastWrite(store: StateStore, lease: Lease, zone: ZoneId, written: LastWrite): Promise<void> {
  return RECORD.keep(store, lease, zone, written);
}

/** What was written last; undefined if no record says it. Throws `StateError` if the record cannot be read. */
export function lastWrite(store: StateReader, zone: ZoneId): Promise<LastWrite | undefined> {
  return RECORD.read(store, zone);
}
