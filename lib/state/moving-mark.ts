import type { ZoneId } from "../core/brand.ts";
import { type Codec, oneOf, record } from "../core/codec.ts";
import { text } from "../core/decode.ts";
import { shellQuoted } from "../core/shell.ts";
import { checkedRecord } from "./checked-record.ts";
import type { Lease, StateReader, StateStore } from "./store.ts";

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

const RECORD = checkedRecord(MOVING, MARK, (where) => ({
  code: "record-damaged",
  message: `the record of a move beside ${where} is damaged`,
  remedy: "run zoneform state migrate again",
}));

/** The command that makes a place the one of all commands. */
export function placeCommand(address: string): string {
  return `export ZONEFORM_STATE=${shellQuoted(address)}`;
}

/** Writes the mark beside a state. Throws what the store throws. */
export function keepMark(store: StateStore, lease: Lease, zone: ZoneId, mark: MovingMark): Promise<void> {
  return RECORD.keep(store, lease, zone, mark);
}

/** The mark beside a state; undefined if there is none. Throws `StateError` if it cannot be read. */
export function markOf(store: StateReader, zone: ZoneId): Promise<MovingMark | undefined> {
  return RECORD.read(store, zone);
}
