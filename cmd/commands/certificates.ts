import { Command, Option } from "commander";
import type { CertificateKind } from "../../lib/certificates/certificate.ts";
import { print, type Run, type ServiceFlags } from "../context.ts";
import { collect, formatFlag, withServiceFlags } from "../flags.ts";

interface CertificatesFlags extends ServiceFlags {
  readonly format: "text" | "csv" | "json";
}

interface ListFlags extends CertificatesFlags {
  readonly kind?: readonly string[];
}

/** `zoneform certificates`: every certificate of a zone, with the CA that was chosen and the one that issued. */
export function certificatesCommand(run: Run): Command {
  return new Command("certificates")
    .description("list the certificates of a zone, or find those of a hostname")
    .addCommand(listCommand(run))
    .addCommand(searchCommand(run))
    .addHelpText("after", "\nExample:\n  $ zoneform certificates search app.customer-one.net");
}

function listCommand(run: Run): Command {
  return withServiceFlags(new Command("list"))
    .description("list certificates of hostnames, certificate packs, uploads and Total TLS")
    .addOption(new Option("--kind <kind>", "only this kind, such as custom_hostname (repeatable)").argParser(collect))
    .addOption(formatFlag(["text", "csv", "json"]))
    .addHelpText("after", "\nExample:\n  $ zoneform certificates list --kind universal --kind advanced --format csv")
    .action(
      run(async (context, own: ListFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<ListFlags>() };
        const { certificates } = await import("../../lib/certificates/read.ts");
        const { certificateList } = await import("../../lib/report/commands/certificates.ts");
        const { collected } = await import("../../lib/core/streams.ts");
        const { readCertificates, reportFailedZones } = await import("../zones.ts");
        const { openWorld } = await import("../world.ts");
        const kinds = await kindsOf(flags.kind);
        const world = openWorld(context, flags);
        try {
          const { made, failed } = await readCertificates(world, flags, async (from) => ({
            zone: from.zone,
            certificates: await collected(certificates(from, kinds)),
          }));
          if (!(await reportFailedZones(context, flags, { made, failed }))) return;
          print(context.stdout, certificateList(made, flags.format, failed));
        } finally {
          await world.close();
        }
      }),
    );
}

function searchCommand(run: Run): Command {
  return withServiceFlags(new Command("search"))
    .description("find the certificates that a hostname could be served with, and what is wrong with them")
    .argument("<hostname>", "such as app.customer-one.net")
    .addOption(formatFlag(["text", "csv", "json"]))
    .addHelpText("after", "\nExample:\n  $ zoneform certificates search app.customer-one.net")
    .action(
      run(async (context, hostname: string, own: CertificatesFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<CertificatesFlags>() };
        const { search } = await import("../../lib/certificates/read.ts");
        const { certificateList } = await import("../../lib/report/commands/certificates.ts");
        const { escape } = await import("../../lib/report/escape/terminal.ts");
        const { normaliseHostname } = await import("../../lib/config/hostname.ts");
        const { collected } = await import("../../lib/core/streams.ts");
        const { readCertificates, reportFailedZones } = await import("../zones.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const { made, failed } = await readCertificates(world, flags, async (from) => ({
            zone: from.zone,
            certificates: await collected(search(from, normaliseHostname(hostname))),
          }));
          if (!(await reportFailedZones(context, flags, { made, failed }))) return;
          const isNone = flags.format === "text" && made.every(({ certificates }) => certificates.length === 0);
          const where = failed.length === 0 ? "" : " in the zones that could be looked at";
          const none = escape(`no certificate has ${hostname}${where}`);
          print(context.stdout, isNone ? none : certificateList(made, flags.format, failed));
        } finally {
          await world.close();
        }
      }),
    );
}

/** Throws `Refusal` for a kind that there is not. */
async function kindsOf(names: readonly string[] | undefined): Promise<readonly CertificateKind[]> {
  const { CERTIFICATE_KINDS } = await import("../../lib/certificates/certificate.ts");
  const { error, Refusal } = await import("../../lib/core/diagnostic.ts");
  const { didYouMean } = await import("../../lib/core/suggest.ts");
  if (names === undefined) return CERTIFICATE_KINDS;
  const faults = names
    .filter((name) => !CERTIFICATE_KINDS.some((kind) => kind === name))
    .map((name) =>
      error({
        code: "unknown-kind",
        message: `${JSON.stringify(name)} is no kind of certificate`,
        remedy: didYouMean(name, CERTIFICATE_KINDS) || `it can be ${CERTIFICATE_KINDS.join(", ")}`,
      }),
    );
  if (faults.length > 0) throw new Refusal(faults);
  return CERTIFICATE_KINDS.filter((kind) => names.includes(kind));
}
