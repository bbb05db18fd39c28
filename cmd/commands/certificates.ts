import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { collect, formatFlag, jsonFlag, withServiceFlags, withStateFlag } from "../flags.ts";

/** `zoneform certificates`: every certificate of a zone, with the CA that was chosen and the one that issued. */
export function certificatesCommand(run: Run): Command {
  return new Command("certificates")
    .description("list the certificates of a zone, or find those of a hostname")
    .addCommand(listCommand(run))
    .addCommand(searchCommand(run))
    .addHelpText("after", "\nExample:\n  $ zoneform certificates search app.customer-one.net");
}

function listCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("list")))
    .description("list all certificates: of hostnames, certificate packs, uploads and Total TLS")
    .addOption(
      new Option("--kind <kind>", "only certificates of this kind, such as custom_hostname (repeatable)").argParser(
        collect,
      ),
    )
    .addOption(formatFlag(["text", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform certificates list --kind universal --kind advanced --format csv")
    .action(run(async () => (await import("../actions/certificates.ts")).runCertificatesList));
}

function searchCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("search")))
    .description("find the certificates that match a hostname, and what is wrong with them")
    .argument("<hostname>", "the hostname, such as app.customer-one.net")
    .addOption(formatFlag(["text", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform certificates search app.customer-one.net")
    .action(run(async () => (await import("../actions/certificates.ts")).runCertificatesSearch));
}
