import type { Position } from "../core/diagnostic.ts";
import { isObject, type Json, type JsonObject } from "../core/json.ts";
import type { HostnameFacts } from "./desired.ts";
import type { EntrySection } from "./document-types.ts";

/** A hostname that an entry or a row declares, before policies. */
export interface Declaration {
  readonly facts: HostnameFacts;
  /** What the entry or row sets itself, in its one spelling. Rows that set the same share one object. */
  readonly own: JsonObject;
  readonly protect?: boolean;
  /** Of the hostname. */
  readonly at: Position;
  readonly written: WrittenEntry | WrittenRow;
}

/** An entry of the YAML. */
export interface WrittenEntry {
  readonly kind: "entry";
  readonly entry: EntrySection;
}

/** A row of a source; places inside of it are worked out when somebody asks. */
export interface WrittenRow {
  readonly kind: "row";
  readonly source: string;
  /** Counts from 1, the header not among them. */
  readonly row: number;
  readonly raw: string;
  readonly line: number;
  /** Gives the place of the leaf in this row. */
  readonly table: RowPlaces;
}

/** Knows where in a row of one source a leaf stands. */
export interface RowPlaces {
  place(raw: string, line: number, leaf: string): Position | undefined;
}

/** The facts that an entry's or a row's own values make. */
export function factsOf(own: JsonObject): Omit<HostnameFacts, "hostname" | "labels"> {
  const origin = own["custom_origin_server"];
  const ssl = own["ssl"];
  const isWildcard = isObject(ssl) && ssl["wildcard"] === true;
  return {
    ...(isWildcard ? { wildcard: true } : {}),
    ...(typeof origin === "string" ? { customOriginServer: origin } : {}),
    metadata: textsIn(own["custom_metadata"]),
  };
}

/** The members of a map that are texts. */
export function textsIn(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).filter((member): member is [string, string] => typeof member[1] === "string");
  return Object.fromEntries(texts);
}
