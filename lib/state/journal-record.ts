import { isList, type JsonObject } from "../core/json.ts";
import type { StateObject } from "./state.ts";
import { type Codec, type Field, oneOf, optional, optionalStruct, struct } from "../core/codec.ts";
import { DecodeError, optionalObject, text, wholeNumber } from "../core/decode.ts";
import { OBJECT } from "./codec.ts";

/** What a run does to one object. A `replace` is a delete and a create under one intent. */
export const WRITE_ACTIONS = ["create", "update", "replace", "delete", "adopt", "forget"] as const;

/** One of `WRITE_ACTIONS`. */
export type WriteAction = (typeof WRITE_ACTIONS)[number];

/**
 * `intent`: the request is about to be sent. `done`: it is known to have worked. `failed`: it is known to have changed
 * nothing. `gone`: the object is known not to exist any more. An intent without one of the others is unfinished: its
 * result is unknown.
 */
export const RECORD_KINDS = ["intent", "done", "failed", "gone"] as const;

/** One of `RECORD_KINDS`. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/**
 * A live object just before a write, so that a later plan can restore it. The service shows no secrets, so it holds
 * none.
 */
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
  /** With an intent: the expected object, as far as known. With `done`: what the state keeps. */
  readonly object?: StateObject;
  /** With `done`: the object's previous address. In the same record, because a crash may cut off the next one. */
  readonly from?: string;
  /** With an intent: the live object that the write changes; absent if there is none, or if it is announced. */
  readonly before?: PreImage;
  /**
   * With an intent: it was stored together with others before its change began. The request may never have been sent,
   * and another intent has the live object just before it.
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

/** A pre-image as a journal and a run's record store it. */
export const PRE_IMAGE: Codec<PreImage> = struct<PreImage>({ id: text, values: preImageValues });

/** A record as a line of the journal stores it. */
export const JOURNAL_RECORD: Codec<JournalRecord> = struct<JournalRecord>({
  address: text,
  action: oneOf(WRITE_ACTIONS),
  seq: wholeNumber,
  run: text,
  kind: oneOf(RECORD_KINDS),
  at: text,
  from: optional(text),
  object: optionalStruct(OBJECT),
  before: optionalStruct(PRE_IMAGE),
  ahead: (from, name) => (from[name] === true ? true : undefined),
  prior: optionalStruct(OBJECT),
});

function preImageValues(from: JsonObject, field: string): JsonObject {
  const values = optionalObject(from, field);
  if (!values) throw new DecodeError(`before.${field}`, "an object", from[field]);
  return values;
}

/** The field's value as a list of texts, or undefined if there is no such field. Throws `DecodeError`. */
export function optionalTexts(from: JsonObject, field: string): readonly string[] | undefined {
  const value = from[field];
  if (value === undefined) return undefined;
  if (!isList(value)) throw new DecodeError(field, "a list of texts", value);
  return value.map((item) => {
    if (typeof item !== "string") throw new DecodeError(field, "a list of texts", value);
    return item;
  });
}

/** Who approved what a run applied, and how; the approved hash is stored beside it. */
export interface RunApproval {
  /** The user and the machine that started the run: `ops@runner-7`. */
  readonly by: string;
  /** `saved plan`, `--expect`, `--approve`, `--auto-approve`, `prompt`, or `library` if a program called `apply`. */
  readonly how: string;
}

/** The approval in the header of a journal or of a run's record, if there is one. */
export const APPROVED: Field<RunApproval | undefined> = optionalStruct(struct<RunApproval>({ by: text, how: text }));
