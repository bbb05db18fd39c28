import type { Position } from "../core/diagnostic.ts";
import { isObject, type Json, type JsonObject } from "../core/json.ts";
import type { HostnameFacts } from "./desired.ts";
import type { EntrySection } from "./document-types.ts";

/** A hostname that an entry or a row declares, before policies. */
export interface Declaration {
  readonly facts: HostnameFacts;
  /** The values of the entry or row itself, normalised. Rows with the same values share one object. */
  readonly own: JsonObject;
  readonly protect?: boolean;
  /** The position of the hostname. */
  readonly at: Position;
  readonly written: WrittenEntry | WrittenRow;
}

/** An entry of the YAML. */
export interface WrittenEntry {
  readonly kind: "entry";
  readonly entry: EntrySection;
}

/** A row of a source; positions inside it are computed on demand. */
export interface WrittenRow {
  readonly kind: "row";
  readonly source: string;
  /** Counts from 1, without the header. */
  readonly row: number;
  readonly raw: string;
  readonly line: number;
  /** Finds the position of a field in this row. */
  readonly table: RowPlaces;
}

/** Finds the position of a field in a row of one source. */
export interface RowPlaces {
  /** What separates the cells of a CSV; absent for other files. */
  readonly delimiter?: string;
  place(raw: string, line: number, leaf: string): Position | undefined;
}

/** The facts from the own values of an entry or a row. */
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

/** The text values of a map. */
export function textsIn(value: Json | undefined): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).filter((member): member is [string, string] => typeof member[1] === "string");
  return Object.fromEntries(texts);
}
