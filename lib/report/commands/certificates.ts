import type { Certificate } from "../../engine/certificates/certificate.ts";
import type { JsonObject } from "../../core/json.ts";
import type { FailedZone } from "../../plan/change.ts";
import { formatCsv } from "../formats/csv.ts";
import { FORMAT_VERSION, jsonText } from "../escape/json.ts";
import { failedZoneDocument, present } from "../plan/json.ts";
import { formatTable, type TableWidth } from "../lines/table.ts";

/** The formats of lists of certificates. */
export type CertificateFormat = "text" | "csv" | "json";

/** The certificates of a zone. */
export interface ZoneCertificates {
  readonly zone: { readonly id: string; readonly name: string };
  readonly certificates: readonly Certificate[];
}

/** A list of certificates in one of its formats. */
export function certificateList(
  zones: readonly ZoneCertificates[],
  format: CertificateFormat,
  failed: readonly FailedZone[],
  width: TableWidth = {},
): string {
  if (format === "json") return documentOf(zones, failed);
  const heading = [
    "zone",
    "hosts",
    "kind",
    "status",
    "chosen ca",
    "issuing ca",
    "expires",
    format === "csv" ? "said" : "errors",
  ];
  const hostsOf = format === "csv" ? allHosts : firstHosts;
  const rows = zones.flatMap(({ zone, certificates }) =>
    certificates.map((each) => [
      zone.name,
      hostsOf(each),
      each.kind,
      each.status,
      each.chosen ?? "",
      each.issuing ?? "",
      each.expiresOn?.slice(0, 10) ?? "",
      [...each.verificationErrors, ...each.validationErrors].join("; "),
    ]),
  );
  const gives = ["said", "zone", "kind", "chosen ca", "issuing ca", "expires"];
  return format === "csv" ? formatCsv(heading, rows) : formatTable(heading, rows, { ...width, gives });
}

/** All names of a certificate. */
export function allHosts({ hosts }: Certificate): string {
  return hosts.join(" ");
}

function firstHosts({ hosts }: Certificate): string {
  const [first = "", ...others] = hosts;
  return others.length === 0 ? first : `${first} +${others.length}`;
}

function documentOf(zones: readonly ZoneCertificates[], failed: readonly FailedZone[]): string {
  const listed = zones.map(({ zone, certificates }) => ({
    zone: { id: zone.id, name: zone.name },
    certificates: certificates.map(certificateDocument),
  }));
  return jsonText({ format_version: FORMAT_VERSION, zones: [...listed, ...failed.map(failedZoneDocument)] });
}

/** A certificate for programs. */
export function certificateDocument(certificate: Certificate): JsonObject {
  return {
    kind: certificate.kind,
    id: certificate.id,
    hosts: certificate.hosts,
    status: certificate.status,
    ...present({ chosen_ca: certificate.chosen, issuing_ca: certificate.issuing }),
    bundling: certificate.bundling,
    ...present({ since: certificate.since, expires_on: certificate.expiresOn }),
    verification_errors: certificate.verificationErrors,
    validation_errors: certificate.validationErrors,
  };
}
