import type { ZoneId } from "../core/brand.ts";
import { type Codec, oneOf, record } from "../core/codec.ts";
import { DecodeError, text } from "../core/decode.ts";
import { checksum } from "../core/digest.ts";
import { shellQuoted } from "../core/shell.ts";
import { streamed } from "../core/streams.ts";
import { StateError } from "./error.ts";
import { parse } from "./journal.ts";
import type { Lease, StateStore } from "./store.ts";

/** The record beside a state that was moved to another place, or is being moved here. */
export const MOVING = "moving";

/** What the record says: the state is now at `other` (`away`), or is on its way from there (`here`). */
export interface MovingMark {
  readonly direction: "away" | "here";
  /** The address of the other place, without a password. */
  readonly other: string;
}

const MARK: Codec<MovingMark> = record<MovingMark>(
  { direction: oneOf(["away", "here"] as const), other: text },
  { format: "zoneform-moving", version: 1 },
);

/** The command that makes a place the one of all commands. */
export function placeCommand(address: string): string {
  return `export ZONEFORM_STATE=${shellQuoted(address)}`;
}

/** Writes the mark beside a state. Throws what the store throws. */
export function keepMark(store: StateStore, lease: Lease, zone: ZoneId, mark: MovingMark): Promise<void> {
  const line = JSON.stringify(MARK.encode(mark));
  return store.keep(zone, lease, MOVING, streamed([line, checksum(line)]));
}

/** The mark beside a state; undefined if there is none. Throws `StateError` if it cannot be read. */
export async function markOf(store: StateStore, zone: ZoneId): Promise<MovingMark | undefined> {
  const lines = await store.kept(zone, MOVING);
  if (!lines) return undefined;
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  const [line = "", sum] = read;
  try {
    return MARK.decode((sum === checksum(line) && parse(line)) || {});
  } catch (cause) {
    if (!(cause instanceof DecodeError)) throw cause;
    const message = `the record of a move beside ${store.describe(zone)} is damaged`;
    throw new StateError({ code: "record-damaged", message, remedy: "run zoneform state migrate again" }, { cause });
  }
}
