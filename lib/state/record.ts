import type { JsonObject } from "../core/json.ts";
import type { StateObject } from "./state.ts";

/** What is done to one object. A `replace` is a delete and a create under one intent. */
export const WRITE_ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget"] as const;

/** One of `WRITE_ACTIONS`. */
export type WriteAction = (typeof WRITE_ACTIONS)[number];

/**
 * `intent`: the request is about to leave. `done`: it is known to have worked. `failed`: it is known to have changed
 * nothing. `gone`: the object is known to be there no more. An intent without any of the others is open: nobody knows.
 */
export const RECORD_KINDS = ["intent", "done", "failed", "gone"] as const;

/** One of `RECORD_KINDS`. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/** A live object just before it is written: what a later plan can go back to. The service shows no secrets, so it holds none. */
export interface PreImage {
  readonly id: string;
  /** In the shape of the YAML. */
  readonly values: JsonObject;
}

/** What a run writes down about one object. */
export interface JournalEntry {
  /** Without the zone's name, as in the state. */
  readonly address: string;
  readonly action: WriteAction;
  /** With an intent: what will be, as far as it is known. With `done`: what the state is to keep. */
  readonly object?: StateObject;
  /** With `done`: the address under which the object was known until then. In one record, because a crash may cut off the next. */
  readonly from?: string;
  /** With an intent: the object that the write meets; absent where there is none. */
  readonly before?: PreImage;
}

/** One record of a journal. */
export interface JournalRecord extends JournalEntry {
  /** Counts from 1, without a gap. */
  readonly seq: number;
  readonly run: string;
  readonly kind: RecordKind;
  /** RFC 3339. */
  readonly at: string;
  /** With an intent: what the state knew of the object until then; absent where it did not know it. */
  readonly prior?: StateObject;
}
