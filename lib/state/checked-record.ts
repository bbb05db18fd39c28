import type { ZoneId } from "../core/brand.ts";
import type { Codec } from "../core/codec.ts";
import { DecodeError } from "../core/decode.ts";
import type { DiagnosticDetails } from "../core/diagnostic.ts";
import { checksum } from "../core/digest.ts";
import { collected, streamed } from "../core/streams.ts";
import { refuseNewer, StateError } from "./error.ts";
import { parse } from "./journal.ts";
import type { Lease, StateReader, StateStore } from "./store.ts";

/** The version of each of them. */
const VERSION = 1;

/** A record beside a state of one line, and its checksum. */
export interface CheckedRecord<Value> {
  /** Throws what the store throws. */
  keep(store: StateStore, lease: Lease, zone: ZoneId, value: Value): Promise<void>;
  /** Undefined if there is none. Throws `StateError` if it cannot be read. */
  read(store: StateReader, zone: ZoneId): Promise<Value | undefined>;
}

/** The record of a name. `damage` says what is wrong with one that cannot be read; `where` names the state. */
export function checkedRecord<Value>(
  name: string,
  codec: Codec<Value>,
  damage: (where: string) => DiagnosticDetails,
): CheckedRecord<Value> {
  return {
    keep: (store, lease, zone, value) => {
      const line = JSON.stringify(codec.encode(value));
      return store.keep(zone, lease, name, streamed([line, checksum(line)]));
    },
    read: async (store, zone) => {
      const lines = await store.kept(zone, name);
      if (!lines) return undefined;
      const [line = "", sum, ...more] = await collected(lines);
      const value = (sum === checksum(line) && more.length === 0 ? parse(line) : undefined) ?? {};
      refuseNewer(value, VERSION, `the ${name} beside ${store.describe(zone)}`);
      try {
        return codec.decode(value);
      } catch (cause) {
        if (!(cause instanceof DecodeError)) throw cause;
        throw new StateError(damage(store.describe(zone)), { cause });
      }
    },
  };
}
