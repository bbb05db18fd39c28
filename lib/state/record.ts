import type { JsonObject } from "../core/json.ts";
import type { StateObject } from "./state.ts";

/** What a run does to one object. A `replace` is a delete and a create under one intent. */
export const WRITE_ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget"] as const;

/** One of `WRITE_ACTIONS`. */
export type WriteAction = (typeof WRITE_ACTIONS)[number];

/**
 * `intent`: the request is about to be sent. `done`: it is known to have worked. `failed`: it is known to have changed
 * nothing. `gone`: the object is known not to exist any more. An intent without any of the others is unfinished: nobody
 * knows.
 */
export const RECORD_KINDS = ["intent", "done", "failed", "gone"] as const;

/** One of `RECORD_KINDS`. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/** A live object just before a write: a later plan can go back to it. The service shows no secrets, so it holds none. */
export interface PreImage {
  readonly id: string;
  /** In the shape of the YAML. */
  readonly values: JsonObject;
}

/** What a run records about one object. */
export interface JournalEntry {
  /** Without the zone's name, as in the state. */
  readonly address: string;
  readonly action: WriteAction;
  /** With an intent: the expected object, as far as it is known. With `done`: what the state keeps. */
  readonly object?: StateObject;
  /** With `done`: the object's previous address. In the same record, because a crash may cut off the next one. */
  readonly from?: string;
  /** With an intent: the live object that the write changes; absent if there is none, or if it is announced. */
  readonly before?: PreImage;
  /**
   * With an intent: it was stored together with others, before its change began. The request may never have been sent,
   * and another intent has what was live just before it.
   */
  readonly ahead?: true;
}

/** One record of a journal. */
export interface JournalRecord extends JournalEntry {
  /** Counts from 1 without gaps. */
  readonly seq: number;
  readonly run: string;
  readonly kind: RecordKind;
  /** RFC 3339. */
  readonly at: string;
  /** With an intent: what the state knew about the object before; absent if nothing. */
  readonly prior?: StateObject;
}
