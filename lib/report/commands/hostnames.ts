import { optionalText, texts } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import type { HostnameTodo } from "../../engine/hostnames/todo.ts";
import type { FailedZone } from "../../plan/change.ts";
import type { HostnameRecord } from "../../kinds/custom-hostname/records.ts";
import { formatCsv } from "../formats/csv.ts";
import { jsonText } from "../escape/json.ts";
import { failedZoneDocument, present } from "../plan/json.ts";
import { FORMAT_VERSION } from "../lines/format-version.ts";
import { formatTable, type TableWidth } from "../lines/table.ts";
import { todoText } from "./todo-text.ts";
import type { ZoneList } from "./zone-list.ts";

/** The formats of lists. */
export type ListFormat = "table" | "csv" | "json";

/** A list of hostnames in one of its formats. */
export function hostnameList(
  zones: readonly ZoneList<HostnameRecord>[],
  format: ListFormat,
  failed: readonly FailedZone[],
  width: TableWidth = {},
): string {
  if (format === "json") return document(zones, failed, hostnameDocument);
  const heading = ["zone", "hostname", "status", "certificate", "issuing ca", "expires"];
  const rows = rowsOf(zones, (record) => [hostnameCells(record)]);
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
  if (format === "table") return todoText(zones);
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

function hostnameCells({ live, authority, expiresOn }: HostnameRecord): readonly string[] {
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

function hostnameDocument({ live, authority, expiresOn }: HostnameRecord): JsonObject {
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
