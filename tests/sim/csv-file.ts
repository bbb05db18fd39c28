import type { JsonObject } from "../../lib/core/json.ts";
import type { Session } from "./scenario.ts";
import type { Wish, WishedHostname } from "./wish.ts";

/** The name of the source. */
export const SOURCE = "customers";
/** The file's name, beside the project file. */
export const CSV_FILE = "customers.csv";

const FIELDS = {
  hostname: "domain",
  custom_origin_server: "origin",
  "custom_metadata.tier": "tier",
  "ssl.method": "method",
  "ssl.settings.min_tls_version": "tls",
};

/** The cells of a line. */
type Row = readonly [hostname: string, ...cells: string[]];

/** How a file was truncated. */
export type Truncation = NonNullable<Session["truncation"]>;

/** Whether a row can declare the hostname. */
export function isRow({ isOwn, branding, protect }: WishedHostname): boolean {
  return isOwn === undefined && branding === undefined && protect === undefined;
}

/** The rows of a wish, in order. */
export function rowsOf({ hostnames }: Wish): readonly Row[] {
  return [...hostnames].flatMap(([name, wished]): Row[] => {
    if (!isRow(wished)) return [];
    const { origin = "", tier = "", tls = "none" } = wished;
    return [[name, origin, tier, ...(tls === "none" ? ["", ""] : ["http", tls])]];
  });
}

/** The whole file. */
export function csvText(rows: readonly Row[]): string {
  return [Object.values(FIELDS), ...rows].map((cells) => `${cells.join(",")}\n`).join("");
}

/** The file without its end. */
export function truncated(rows: readonly Row[], { share }: Truncation): string {
  const text = csvText(rows);
  return text.slice(0, Math.floor(share * text.length));
}

/** The source. Whether the file is complete, a run says (`--complete-source`). */
export function sourceOf(): JsonObject {
  return { [SOURCE]: { csv: CSV_FILE, fields: FIELDS, complete: { max_shrink: "100%" } } };
}
