import { isObject, type JsonObject } from "../../../core/json.ts";
import { StateError } from "../../error.ts";

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** A text of a row. */
export function textIn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`the column ${column} must hold a text`);
  return value;
}

/** A text of a row; undefined if it is null. */
export function optionalTextIn(row: Row, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : textIn(row, column);
}

/** A number of a row; the driver returns large ones as texts. Throws `StateError` for one that Zoneform never writes. */
export function numberIn(row: Row, column: string): number {
  const value = Number(row[column] ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw damagedRow(`the column ${column} has no number that is possible there`);
  return value;
}

/** A person or a disk changed this row. */
export function damagedRow(what: string, cause?: unknown): StateError {
  const message = `a row of the zone in the database is damaged: ${what}`;
  const remedy = "restore the tables of Zoneform from a backup of the database";
  return new StateError({ code: "state-damaged", message, remedy }, { cause });
}

/** Whether a column is true. */
export function isTrueIn(row: Row, column: string): boolean {
  return row[column] === true;
}

/** A JSON object of a row; an empty one if it is null or something else. */
export function objectIn(row: Row, column: string): JsonObject {
  const value = row[column];
  if (typeof value !== "string") return {};
  const parsed: unknown = JSON.parse(value);
  return isObject(parsed) ? parsed : {};
}

/** The only row of an answer that always has one. */
export function onlyRow(rows: readonly Row[]): Row {
  const [row] = rows;
  if (!row) throw new TypeError("the answer must have a row");
  return row;
}
