import { Command, InvalidArgumentError } from "commander";
import type { ZoneAudit } from "../../lib/report/commands/ca-audit.ts";
import { print, printingOn, type Run, type ServiceFlags } from "../context.ts";
import { formatFlag, withServiceFlags } from "../flags.ts";

interface AuditFlags extends ServiceFlags {
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly format: "text" | "csv" | "json";
}

/** `zoneform ca`: what the change of a CA's chain means for the certificates of a zone. */
export function caCommand(run: Run): Command {
  return new Command("ca")
    .description("what the change of a certificate authority's chain means for a zone")
    .addCommand(auditCommand(run))
    .addHelpText("after", "\nExample:\n  $ zoneform ca audit --at 2024-09-30");
}

function auditCommand(run: Run): Command {
  return withServiceFlags(new Command("audit"))
    .description("the chain of every certificate at a date, what the service does by itself, and what is left to do")
    .option(
      "--at <date>",
      "the date that is asked about, such as 2024-09-30 (else now, by the service's clock)",
      moment,
    )
    .addOption(formatFlag(["text", "csv", "json"]))
    .addHelpText("after", "\nExample:\n  $ zoneform ca audit --at 2024-09-30 --format csv > audit.csv")
    .action(
      run(async (context, own: AuditFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<AuditFlags>() };
        const { audit } = await import("../../lib/certificates/audit.ts");
        const { certificates } = await import("../../lib/certificates/read.ts");
        const { auditCsv, auditDocument, auditText } = await import("../../lib/report/commands/ca-audit.ts");
        const { collected } = await import("../../lib/core/streams.ts");
        const { readCertificates, reportFailedZones } = await import("../zones.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
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
      }),
    );
}

/** A date, which begins at midnight UTC, or a moment in RFC 3339. */
function moment(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  const time = Date.parse(text);
  const isReal = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (Number.isNaN(time) || !isReal) throw new InvalidArgumentError("a date is wanted, such as 2024-09-30");
  return time;
}
