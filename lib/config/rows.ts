import { type Diagnostic, error, type Position, problem } from "../core/diagnostic.ts";
import { type Json, type JsonObject, withValueAt } from "../core/json.ts";
import { HOSTNAMES } from "../kinds/registry.ts";
import { type Declaration, factsOf, type RowPlaces } from "./declaration.ts";
import type { Field, Fields } from "./fields.ts";
import { declaredHostname } from "./match.ts";
import type { Report } from "./report.ts";

/** A row of a file: a value for each field, and its position. */
export interface Row {
  readonly raw: string;
  readonly line: number;
  value(field: Field): Json | undefined;
}

/** Converts the rows of one source into declarations. */
export interface RowReader {
  read(row: Row): void;
  readonly declarations: readonly Declaration[];
  /** Rows read so far, including wrong ones. */
  rows(): number;
}

/** Rows with the same values share one object: a hundred thousand rows have few different ones. */
interface Group {
  readonly own: JsonObject;
  readonly facts: Omit<Declaration["facts"], "hostname">;
}

/** Converts rows into declarations; each wrong cell is reported at its position. */
export function rowReader(source: string, fields: Fields, table: RowPlaces, report: Report): RowReader {
  const declarations: Declaration[] = [];
  const groups = new Map<string, Group>();
  const valued = [...fields.leaves, ...fields.labels];
  let rows = 0;

  const placeOf = (row: Row, field: Field): Position => {
    const place = table.place(row.raw, row.line, field.leaf);
    if (!place) throw new Error("every field of a source has a place in each of its rows");
    return place;
  };
  const valueOf = (row: Row, field: Field): Json | undefined => {
    const read = field.read(row.value(field));
    if ("value" in read) return read.value;
    report(error({ ...read, at: placeOf(row, field) }));
    return undefined;
  };

  const read = (row: Row): void => {
    rows += 1;
    const written = valueOf(row, fields.hostname);
    const values = valued.map((field) => valueOf(row, field));
    if (typeof written !== "string") {
      if (written === undefined && isUnset(row.value(fields.hostname)))
        report(noHostname(placeOf(row, fields.hostname)));
      return;
    }
    const key = JSON.stringify(values.map((value) => value ?? null));
    const group = groups.get(key) ?? groupOf(fields, values);
    groups.set(key, group);
    declarations.push({
      facts: { hostname: declaredHostname(written), ...group.facts },
      own: group.own,
      at: placeOf(row, fields.hostname),
      written: { kind: "row", source, row: rows, raw: row.raw, line: row.line, table },
    });
  };
  return { read, declarations, rows: () => rows };
}

function isUnset(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

function groupOf(fields: Fields, values: readonly (Json | undefined)[]): Group {
  let own: JsonObject = {};
  const labels: Record<string, string> = {};
  fields.leaves.forEach(({ path }, index) => {
    const value = values[index];
    if (value !== undefined) own = withValueAt(own, path, value);
  });
  fields.labels.forEach(({ path }, index) => {
    const value = values[fields.leaves.length + index];
    const [label] = path;
    if (typeof value === "string" && label !== undefined) labels[label] = value;
  });
  own = HOSTNAMES.normalise(own);
  return { own, facts: { ...factsOf(own), labels } };
}

function noHostname(at: Position): Diagnostic {
  return error(problem("row-without-hostname", {}, { at }));
}
