import { bucketed, type Some } from "../../core/lists.ts";
import type { Audited, ChainName } from "../../engine/certificates/audit.ts";
import type { Certificate, CertificateKind } from "../../engine/certificates/certificate.ts";
import type { FailedZone } from "../../plan/change.ts";
import { allHosts, certificateDocument } from "./certificates.ts";
import { formatCsv } from "../formats/csv.ts";
import { FORMAT_VERSION, jsonText } from "../escape/json.ts";
import { failedZoneDocument, present } from "../plan/json.ts";
import { type Line, line } from "../lines/lines.ts";
import { failedSections } from "../sections/plan.ts";
import type { Report } from "../sections/report.ts";
import { moment } from "../../core/moment.ts";
import { counted, thousands } from "../../core/words.ts";
import { named } from "../lines/words.ts";

/** What the CA chain change means for the certificates of a zone. */
export interface ZoneAudit {
  readonly zone: { readonly id: string; readonly name: string };
  readonly audited: readonly Audited[];
}

const CHAINS: Readonly<Record<ChainName, string>> = {
  "cross-signed": "the cross-signed chain",
  "self-signed": "the chain of the self-signed root",
  own: "the CA's own chain",
  switched: "the chain of the CA that Cloudflare switched to",
  "as-uploaded": "the uploaded chain",
  none: "no chain: it is not issued yet",
};

const NOUNS: Readonly<Record<CertificateKind, string>> = {
  custom_hostname: "custom hostname certificate",
  universal: "universal certificate",
  advanced: "advanced certificate",
  total_tls: "Total TLS certificate",
  total_tls_setting: "setting of Total TLS",
  custom: "uploaded certificate",
  keyless: "keyless certificate",
};

/** The audit. Similar certificates are one entry: warnings first, then those that need the owner. */
export function auditReport(zones: readonly ZoneAudit[], at: string, failed: readonly FailedZone[] = []): Report {
  const all = zones.flatMap(({ audited }) => audited);
  const [only, ...others] = failed.length === 0 ? zones : [];
  const name = only !== undefined && others.length === 0 ? only.zone.name : undefined;
  return {
    verdict: line(
      0,
      `${name === undefined ? "" : `${name}: `}${certificatesOf(all)} as of ${moment(at)}${verdict(all)}`,
      "heading",
    ),
    sections: [
      ...failedSections(failed),
      ...zones.map(
        ({ zone, audited }) =>
          ({
            // The verdict on a single zone is that of the whole.
            ...(name === undefined
              ? { title: line(0, `${zone.name}: ${certificatesOf(audited)}${verdict(audited)}`, "heading") }
              : {}),
            items: grouped(audited).map((group) => ({ lines: groupLines(group), facets: { zone: zone.name } })),
            rank: "changes",
          }) as const,
      ),
    ],
  };
}

function certificatesOf(audited: readonly Audited[]): string {
  const count = audited.filter(({ certificate }) => certificate.kind !== "total_tls_setting").length;
  return counted(count, "certificate");
}

/** The audit for programs, with each certificate by itself. */
export function auditDocument(zones: readonly ZoneAudit[], at: string, failed: readonly FailedZone[] = []): string {
  const listed = zones.map(({ zone, audited }) => ({
    zone: { id: zone.id, name: zone.name },
    certificates: audited.map(({ certificate, chain, service, owner, isWarning }) => ({
      ...certificateDocument(certificate),
      chain,
      service,
      ...present({ owner }),
      warning: isWarning,
    })),
  }));
  return jsonText({ format_version: FORMAT_VERSION, at, zones: [...listed, ...failed.map(failedZoneDocument)] });
}

/** The audit for spreadsheets: a row for each certificate. */
export function auditCsv(zones: readonly ZoneAudit[]): string {
  const heading = ["zone", "hosts", "kind", "chosen ca", "issuing ca", "chain", "service", "owner", "warning"];
  const rows = zones.flatMap(({ zone, audited }) =>
    audited.map(({ certificate, chain, service, owner, isWarning }) => [
      zone.name,
      allHosts(certificate),
      certificate.kind,
      certificate.chosen ?? "",
      certificate.issuing ?? "",
      chain,
      service,
      owner ?? "",
      isWarning ? "yes" : "",
    ]),
  );
  return formatCsv(heading, rows);
}

function verdict(audited: readonly Audited[]): string {
  const warnings = audited.filter(({ isWarning }) => isWarning).length;
  const toDo = audited.filter(({ owner }) => owner !== undefined).length;
  if (toDo === 0) return ": nothing to do";
  return `: ${thousands(toDo)} to check${warnings === 0 ? "" : `, ${counted(warnings, "warning")}`}`;
}

function grouped(audited: readonly Audited[]): readonly Some<Audited>[] {
  const keyOf = (each: Audited): string =>
    JSON.stringify([each.certificate.kind, provenance(each.certificate), chainInWords(each), each.service, each.owner]);
  return [...bucketed(audited, keyOf).values()].sort(([left], [right]) => urgency(right) - urgency(left));
}

function urgency({ isWarning, owner }: Audited): number {
  return isWarning ? 2 : owner === undefined ? 0 : 1;
}

function groupLines(group: readonly [Audited, ...Audited[]]): Line[] {
  const [first] = group;
  const { certificate, service, owner, isWarning } = first;
  const names = named(group.flatMap(({ certificate: { hosts } }) => hosts[0] ?? []));
  const title = counted(group.length, NOUNS[certificate.kind]);
  return [
    line(2, names === "" ? title : `${title}: ${names}`, isWarning ? "warn" : "plain"),
    line(
      4,
      certificate.kind === "total_tls_setting"
        ? provenance(certificate)
        : `${provenance(certificate)}; serves ${chainInWords(first)}`,
    ),
    line(4, `Cloudflare ${service}`),
    ...(owner === undefined ? [] : [line(4, `${isWarning ? "warning, to do" : "to do"}: ${owner}`, "warn")]),
  ];
}

/** A certificate that is issued later than the audited moment has no chain yet. */
function chainInWords({ chain, certificate }: Audited): string {
  return chain === "none" && certificate.since !== undefined
    ? "no chain on that date: it was issued later"
    : CHAINS[chain];
}

function provenance({ kind, chosen, isUnsent, issuing, bundling }: Certificate): string {
  const where = isUnsent ? " in the YAML (not applied yet)" : "";
  const choice = chosen === undefined ? "not known who chose its CA" : `chosen ${chosen}${where}`;
  if (kind === "total_tls_setting") return choice;
  const issued = issuing === undefined ? "not issued yet" : `issued by ${issuing}`;
  if (bundling === "managed") return `${choice}, ${issued}`;
  return `uploaded (${bundling === "unknown" ? "bundle method not shown" : bundling}), ${issued}`;
}
