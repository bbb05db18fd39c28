import type { Command } from "commander";
import { auditCsv, auditDocument, auditText, type ZoneAudit } from "../../lib/report/commands/ca-audit.ts";
import { type Context, print, printingOn, type ServiceFlags } from "../context.ts";
import { audit } from "../../lib/engine/certificates/audit.ts";
import { certificates } from "../../lib/engine/certificates/read.ts";
import { collected } from "../../lib/core/streams.ts";
import { readCertificates, reportFailedZones } from "../zones.ts";
import { openReadingWorld } from "../world.ts";

interface AuditFlags extends ServiceFlags {
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly format: "text" | "csv" | "json";
}

/** What `zoneform ca audit` does. */
export async function runCaAudit(context: Context, own: AuditFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<AuditFlags>() };
  const world = openReadingWorld(context, flags);
  try {
    const { made, failed } = await readCertificates(world, flags, async (from) => ({
      zone: from.zone,
      found: await collected(certificates(from)),
    }));
    if (!(await reportFailedZones(context, flags, { made, failed }))) return;
    // After the last answer: by the service's own clock, nothing that it showed is yet to come.
    const at = flags.at ?? world.serviceNow();
    const date = new Date(at).toISOString();
    const zones: ZoneAudit[] = made.map(({ zone, found }) => ({
      zone,
      audited: found.map((certificate) => audit(certificate, at)),
    }));
    const writers = {
      text: () => auditText(zones, date, printingOn(context, flags), failed),
      csv: () => auditCsv(zones),
      json: () => auditDocument(zones, date, failed),
    };
    print(context.stdout, writers[flags.format]());
  } finally {
    await world.close();
  }
}
