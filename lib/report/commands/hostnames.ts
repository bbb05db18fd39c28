import { optionalText, texts } from "../../core/decode.ts";
import { bucketed } from "../../core/lists.ts";
import type { JsonObject } from "../../core/json.ts";
import type { HostnameTodo, Todo } from "../../engine/hostnames/todo.ts";
import type { HostnameDetails } from "../../kinds/custom-hostname/details.ts";
import type { FailedZone } from "../../plan/change.ts";
import { FORMAT_VERSION, jsonText } from "../escape/json.ts";
import { formatCsv } from "../formats/csv.ts";
import { type Line, line } from "../lines/lines.ts";
import { reportText } from "../printers/text.ts";
import type { Report, Section } from "../sections/report.ts";
import { formatTable, type TableWidth } from "../lines/table.ts";
import { counted } from "../../core/words.ts";
import { failedZoneDocument, present } from "../plan/json.ts";

/** The formats of lists. */
export type ListFormat = "table" | "csv" | "json";

/** A list of hostnames in one of its formats. */
export function hostnameList(
  zones: readonly ZoneList<HostnameDetails>[],
  format: ListFormat,
  failed: readonly FailedZone[],
  width: TableWidth = {},
): string {
  if (format === "json") return document(zones, failed, hostnameDocument);
  const heading = ["zone", "hostname", "status", "certificate", "issuing ca", "expires"];
  const rows = rowsOf(zones, (hostname) => [hostnameCells(hostname)]);
  const gives = ["issuing ca", "expires", "zone", "certificate"];
  return format === "csv" ? formatCsv(heading, rows) : formatTable(heading, rows, { ...width, gives });
}

/** What customers must still set, in one of its formats: a row for each record, or a block for each hostname. */
export function todoList(
  zones: readonly ZoneList<HostnameTodo>[],
  format: ListFormat,
  failed: readonly FailedZone[],
): string {
  if (format === "json") return document(zones, failed, todoDocument);
  if (format === "table") return reportText(todoReport(zones), UNBROKEN);
  const heading = ["zone", "hostname", "purpose", "need", "type", "name", "value"];
  const rows = rowsOf(zones, ({ hostname, records }) =>
    records.map(({ purpose, need, type, name, value }) => [hostname, purpose, need, type, name, value]),
  );
  return formatCsv(heading, rows);
}

function rowsOf<T>(zones: readonly ZoneList<T>[], cells: (each: T) => readonly (readonly string[])[]): string[][] {
  const rows: string[][] = [];
  for (const { zone, hostnames } of zones)
    for (const each of hostnames) for (const row of cells(each)) rows.push([zone.name, ...row]);
  return rows;
}

function hostnameCells({ live, authority, expiresOn }: HostnameDetails): readonly string[] {
  const status = optionalText(live.status, "status") ?? "";
  const certificate = optionalText(live.status, "ssl_status") ?? "none";
  return [live.key, status, certificate, authority ?? "", expiresOn?.slice(0, 10) ?? ""];
}

function document<T>(
  zones: readonly ZoneList<T>[],
  failed: readonly FailedZone[],
  each: (hostname: T) => JsonObject,
): string {
  const listed = zones.map(({ zone, hostnames }) => ({
    zone: { id: zone.id, name: zone.name },
    hostnames: hostnames.map(each),
  }));
  return jsonText({ format_version: FORMAT_VERSION, zones: [...listed, ...failed.map(failedZoneDocument)] });
}

function hostnameDocument({ live, authority, expiresOn }: HostnameDetails): JsonObject {
  return {
    hostname: live.key,
    id: live.id,
    ...present({
      status: live.status["status"],
      ssl_status: live.status["ssl_status"],
      certificate_authority: authority,
      expires_on: expiresOn,
      created_at: live.status["created_at"],
    }),
    verification_errors: texts(live.status, "verification_errors"),
    validation_errors: texts(live.status, "validation_errors"),
  };
}

function todoDocument({ hostname, status, sslStatus, records, said }: HostnameTodo): JsonObject {
  return {
    hostname,
    status,
    ...present({ ssl_status: sslStatus }),
    said,
    records: records.map(({ purpose, need, type, name, value }) => ({ purpose, need, type, name, value })),
  };
}

/** Records are copied, so their lines are never wrapped. */
const UNBROKEN = { colour: false, columns: Number.MAX_SAFE_INTEGER };

/** What customers must still set, hostname by hostname, ready to be sent to them. */
export function todoReport(zones: readonly ZoneList<HostnameTodo>[]): Report {
  const sections = zones.flatMap(({ zone, hostnames }) => hostnames.map((each) => todoSection(zone.name, each)));
  const verb = sections.length === 1 ? "needs" : "need";
  return { verdict: line(0, `${counted(sections.length, "hostname")} ${verb} records from the customer.`), sections };
}

function todoSection(zone: string, { hostname, records }: HostnameTodo): Section {
  // A file cannot replace a CAA record.
  const hasRequired = records.some(
    ({ purpose, need, type }) => purpose === "certificate" && need === "required" && type !== "CAA",
  );
  const groups = bucketed(records, (record) => titleOf(record, hasRequired));
  return {
    title: line(0, `${hostname} (${zone})`),
    items: [...groups].map(([title, some]) => ({ lines: [line(2, `${title}:`), ...some.flatMap(recordLines)] })),
    rank: "rest",
  };
}

/** An alternative record is needed only while the name does not point at the zone. */
function titleOf({ purpose, need }: Todo, hasRequired: boolean): string {
  switch (need) {
    case "required":
      return "set";
    case "remove":
      return "remove";
    case "alternative":
      if (purpose === "certificate" && hasRequired) return "or, instead of the certificate's records above, set";
      return purpose === "certificate"
        ? "to get the certificate before the traffic moves, set one of"
        : "to verify the name before the traffic moves, set one of";
    default:
      return need satisfies never;
  }
}

function recordLines({ type, name, value }: Todo): Line[] {
  return [line(4, `${type.padEnd(5)}  ${name}`), line(11, value)];
}

/** The listed items of a zone. */
interface ZoneList<T> {
  readonly zone: { readonly id: string; readonly name: string };
  readonly hostnames: readonly T[];
}
