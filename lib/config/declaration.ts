import type { Position } from "../core/diagnostic.ts";
import type { JsonObject } from "../core/json.ts";
import type { HostnameFacts } from "./desired.ts";
import type { MapNode } from "./node.ts";

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
  readonly node: MapNode;
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
