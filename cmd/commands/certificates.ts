import { error, problem, Refusal } from "../../lib/core/diagnostic.ts";
import type { Command } from "commander";
import { CERTIFICATE_KINDS, type CertificateKind } from "../../lib/engine/certificates/certificate.ts";
import { columnsOf, type Context, print, printingOn } from "../context.ts";
import { certificates, search } from "../../lib/engine/certificates/read.ts";
import { certificateList } from "../../lib/report/commands/certificates.ts";
import { collected } from "../../lib/core/lists.ts";
import { readCertificates, reportFailedZones } from "../zones.ts";
import { openReadingWorld } from "../world.ts";
import { escape } from "../../lib/report/escape/terminal.ts";
import { normaliseHostname } from "../../lib/config/match.ts";
import { didYouMean } from "../../lib/core/suggest.ts";
import { auditCsv, auditDocument, auditReport, type ZoneAudit } from "../../lib/report/commands/ca-audit.ts";
import { audit } from "../../lib/engine/certificates/audit.ts";
import type { ServiceFlags } from "../flags.ts";
import { reportText } from "../../lib/report/printers/text.ts";

interface CertificatesFlags extends ServiceFlags {
  readonly format: "text" | "csv" | "json";
}

interface ListFlags extends CertificatesFlags {
  readonly kind?: readonly string[];
}

/** Runs `zoneform certificates list`. */
export async function runCertificatesList(context: Context, own: ListFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<ListFlags>() };
  const kinds = await readKinds(flags.kind);
  const world = openReadingWorld(context, flags);
  const { made, failed } = await readCertificates(world, flags, async (from) => ({
    zone: from.zone,
    certificates: await collected(certificates(from, kinds)),
  }));
  if (!(await reportFailedZones(context, flags, { made, failed }))) return;
  print(context.stdout, certificateList(made, flags.format, failed, columnsOf(context.stdout)));
}

/** Runs `zoneform certificates search`. */
export async function runCertificatesSearch(
  context: Context,
  hostname: string,
  own: CertificatesFlags,
  command: Command,
): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<CertificatesFlags>() };
  const world = openReadingWorld(context, flags);
  const { made, failed } = await readCertificates(world, flags, async (from) => ({
    zone: from.zone,
    certificates: await collected(search(from, normaliseHostname(hostname))),
  }));
  if (!(await reportFailedZones(context, flags, { made, failed }))) return;
  const isNone = flags.format === "text" && made.every(({ certificates }) => certificates.length === 0);
  const where = failed.length === 0 ? "" : " in the zones that could be checked";
  const none = escape(`no certificate matches ${hostname}${where}`);
  print(context.stdout, isNone ? none : certificateList(made, flags.format, failed, columnsOf(context.stdout)));
}

/** Throws `Refusal` for an unknown kind. */
async function readKinds(names: readonly string[] | undefined): Promise<readonly CertificateKind[]> {
  if (names === undefined) return CERTIFICATE_KINDS;
  const faults = names
    .filter((name) => !CERTIFICATE_KINDS.some((kind) => kind === name))
    .map((name) => {
      const values = { kind: JSON.stringify(name), kinds: CERTIFICATE_KINDS.join(", ") };
      return error(problem("unknown-kind", values, { remedy: didYouMean(name, CERTIFICATE_KINDS) }));
    });
  if (faults.length > 0) throw new Refusal(faults);
  return CERTIFICATE_KINDS.filter((kind) => names.includes(kind));
}

interface AuditFlags extends ServiceFlags {
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly format: "text" | "csv" | "json";
}

/** Runs `zoneform ca audit`. */
export async function runCaAudit(context: Context, own: AuditFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<AuditFlags>() };
  const world = openReadingWorld(context, flags);
  const { made, failed } = await readCertificates(world, flags, async (from) => ({
    zone: from.zone,
    found: await collected(certificates(from)),
  }));
  if (!(await reportFailedZones(context, flags, { made, failed }))) return;
  // Read after the last response, so that no response is later than this by the service's clock.
  const at = flags.at ?? world.serviceNow();
  const date = new Date(at).toISOString();
  const zones: ZoneAudit[] = made.map(({ zone, found }) => ({
    zone,
    audited: found.map((certificate) => audit(certificate, at)),
  }));
  const writers = {
    text: () => reportText(auditReport(zones, date, failed), printingOn(context, flags)),
    csv: () => auditCsv(zones),
    json: () => auditDocument(zones, date, failed),
  };
  print(context.stdout, writers[flags.format]());
}
