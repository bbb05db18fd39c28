import { isObject, type JsonObject } from "../../../core/json.ts";

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** A text of a row. */
export function textIn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new TypeError(`the column ${column} must hold a text`);
  return value;
}

/** A text of a row, or undefined where it is null. */
export function optionalTextIn(row: Row, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : textIn(row, column);
}

/** A number of a row; the driver returns large ones as texts. */
export function numberIn(row: Row, column: string): number {
  const value = Number(row[column] ?? Number.NaN);
  if (!Number.isSafeInteger(value)) throw new TypeError(`the column ${column} must hold a whole number`);
  return value;
}

/** Whether a row says yes. */
export function isTrueIn(row: Row, column: string): boolean {
  return row[column] === true;
}

/** A JSON object of a row; an empty one where it is null or something else. */
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
