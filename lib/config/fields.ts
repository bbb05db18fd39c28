import { error, type Position, problem } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import type { Json } from "../core/json.ts";
import { didYouMean } from "../core/suggest.ts";
import type { SourceSection } from "./document-types.ts";
import { keyPlaceOf, placeOf } from "./document.ts";
import { PROTOTYPE_KEYS } from "./yaml-tree.ts";
import { quote } from "./shapes.ts";
import { type Check, LEAF_CHECKS } from "./validate.ts";
import type { Report } from "./report.ts";

/** One value in a row of a source: its field, and its place in the row. */
export interface Field {
  /** `custom_origin_server`, `custom_metadata.tier`. */
  readonly leaf: string;
  readonly path: readonly string[];
  /** The column of a CSV, or the key in NDJSON. */
  readonly column: string;
  /** Where the project file names the column. */
  readonly columnAt: Position;
  /** Converts the row's value, or says what is wrong with it; undefined if it is unset. */
  read(value: Json | undefined): FieldValue;
}

/** A value of a row, nothing, or an error with its remedy. */
export type FieldValue =
  | { readonly value: Json | undefined }
  | { readonly code: DiagnosticCode; readonly message: string; readonly remedy: string };

/** The columns of a source: the hostname, the fields, and the labels. */
export interface Fields {
  readonly hostname: Field;
  readonly leaves: readonly Field[];
  readonly labels: readonly Field[];
}

/** Decodes `fields` and `labels` of a source; undefined if no column has the hostname. */
export function decodeFields({ fields, labels = {} }: SourceSection, report: Report): Fields | undefined {
  const leaves: Field[] = [];
  let hostname: Field | undefined;
  for (const [leaf, column] of Object.entries(fields)) {
    const [keyAt, columnAt] = [keyPlaceOf(fields, leaf), placeOf(fields, leaf)];
    const path = splitLeaf(leaf);
    if (path.some((key) => PROTOTYPE_KEYS.includes(key))) {
      report(error(problem("forbidden-key", { name: path.at(-1) ?? "" }, { at: keyAt })));
      continue;
    }
    if (leaf === "hostname") hostname = { leaf, path, column, columnAt, read: asText };
    else if (path[0] === "custom_metadata" && path.length === 2) {
      leaves.push({ leaf, path, column, columnAt, read: asText });
    } else {
      const check = LEAF_CHECKS.get(leaf);
      if (check === undefined) {
        const known = [...LEAF_CHECKS.keys()];
        const remedy = didYouMean(leaf, ["hostname", ...known]);
        const values = { field: JSON.stringify(leaf), fields: known.join(", ") };
        report(error(problem("unknown-field", values, { remedy, at: keyAt })));
        continue;
      }
      leaves.push({ leaf, path, column, columnAt, read: leafReader(leaf, check) });
    }
  }
  const labelled = Object.entries(labels).map(([label, column]) => {
    return { leaf: `label.${label}`, path: [label], column, columnAt: placeOf(labels, label), read: asLabel };
  });
  return hostname ? { hostname, leaves, labels: labelled } : undefined;
}

/** `custom_metadata.a.b` is the metadata key `a.b`; no other field has a dot in its keys. */
function splitLeaf(leaf: string): readonly string[] {
  const metadata = "custom_metadata.";
  return leaf.startsWith(metadata) ? ["custom_metadata", leaf.slice(metadata.length)] : leaf.split(".");
}

/** Values of a column repeat, so each is checked only once. */
const MOST_REMEMBERED = 10_000;

function leafReader(leaf: string, check: Check): Field["read"] {
  const checked = new Map<Json, FieldValue>();
  const isBoolean = check(true).length === 0;
  return (given) => {
    const value = unsetOr(given);
    if (value === undefined) return { value };
    const known = checked.get(value);
    if (known) return known;
    const read = checkLeaf(leaf, isBoolean ? (BOOLEANS.get(value) ?? value) : value, check, isBoolean);
    if (checked.size < MOST_REMEMBERED) checked.set(value, read);
    return read;
  };
}

const BOOLEANS = new Map<Json, boolean>([
  ["true", true],
  ["false", false],
]);

function checkLeaf(leaf: string, value: Json, check: Check, isBoolean: boolean): FieldValue {
  const problem = check(value).at(-1);
  if (!problem) return { value };
  if (isBoolean) {
    return {
      code: "wrong-type",
      message: `${leaf} must be true or false, but is ${quote(value)}`,
      remedy: "write true or false, or leave the cell empty",
    };
  }
  const listed: unknown = problem.params["allowedValues"];
  const allowed = Array.isArray(listed) ? listed.filter((item): item is string => typeof item === "string") : [];
  if (allowed.length === 0) {
    const message = `${leaf} is ${quote(value)}: ${problem.message ?? "not valid"}`;
    return { code: "invalid-value", message, remedy: "correct the cell, or leave it empty" };
  }
  const near = typeof value === "string" ? didYouMean(value, allowed) : "";
  const choice = `use one of: ${allowed.filter((item) => item !== "").join(", ")}`;
  return {
    code: "unknown-value",
    message: `${leaf} cannot be ${quote(value)}`,
    remedy: near || choice,
  };
}

function asText(given: Json | undefined): FieldValue {
  const value = unsetOr(given);
  if (value === undefined || typeof value === "string") return { value };
  return {
    code: "wrong-type",
    message: `the value must be a string, but is ${quote(value)}`,
    remedy: "put it in quotes",
  };
}

function asLabel(given: Json | undefined): FieldValue {
  const value = unsetOr(given);
  return typeof value === "number" || typeof value === "boolean" ? { value: String(value) } : asText(value);
}

/** An empty cell is unset, and so is null in NDJSON. Surrounding blanks are ignored. */
function unsetOr(value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "string") return value;
  const trimmed = value.trim();
  return trimmed === "" ? undefined : trimmed;
}
