import { Command, Option, InvalidArgumentError } from "commander";
import type { Run } from "../context.ts";
import {
  SELECT,
  collect,
  formatFlag,
  jsonFlag,
  withServiceFlags,
  RESOLVER,
  withStateFlag,
  AUTO_APPROVE,
  wholeNumber,
} from "../flags.ts";
import type { Revalidation } from "../../lib/engine/hostnames/revalidate.ts";

/**
 * `zoneform hostname`: live custom hostnames, what their customers still have to do, and restarting their validation.
 */
export function hostnameCommand(run: Run): Command {
  return new Command("hostname")
    .description("list hostnames, show what customers must set, revalidate")
    .addCommand(hostnameListCommand(run))
    .addCommand(hostnameTodoCommand(run))
    .addCommand(hostnameRevalidateCommand(run, "revalidate"))
    .addCommand(hostnameRevalidateCommand(run, "retry"))
    .addHelpText("after", "\nExample:\n  $ zoneform hostname todo --format csv > records.csv");
}

/** `zoneform hostname list`: live custom hostnames, by list. */
function hostnameListCommand(run: Run): Command {
  return withServiceFlags(new Command("list"))
    .description("list live custom hostnames, with their status and certificate")
    .option("--status <status>", "only hostnames with this status, such as moved")
    .option("--ssl-status <status>", "only hostnames whose certificate has this status, such as pending_validation")
    .option("--select <pattern>", SELECT, collect)
    .addOption(formatFlag(["table", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform hostname list --status moved --select '*.customer-one.net'")
    .action(run(async () => (await import("../commands/hostname.ts")).runHostnameList));
}

/** `zoneform hostname todo`: the records that customers still have to set, ready to be sent to them. */
function hostnameTodoCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("todo")))
    .description("list the DNS records and files that customers must still set")
    .option("--select <pattern>", SELECT, collect)
    .option("--target <name>", "the name that customers must point to (default: the zone's fallback origin)")
    .addOption(new Option("--resolver <address>", RESOLVER).argParser(collect))
    .addOption(formatFlag(["table", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform hostname todo --target customers.saas.dev --format csv > records.csv",
    )
    .action(run(async () => (await import("../commands/hostname.ts")).runHostnameTodo));
}

const DESCRIPTIONS = {
  revalidate: "restart the validation of hostnames that are not active; their ssl stays as it is",
  retry: "restart hostnames that are stuck: timed out, moved, blocked, or with an expired certificate",
} as const satisfies Record<Revalidation, string>;

/**
 * `zoneform hostname revalidate | retry NAME…`: an edit that changes nothing, which restarts the validation. Never part
 * of an apply.
 */
function hostnameRevalidateCommand(run: Run, how: Revalidation): Command {
  return withServiceFlags(new Command(how))
    .description(DESCRIPTIONS[how])
    .argument("<name...>", "live custom hostnames, such as app.customer-one.net")
    .option("--auto-approve", AUTO_APPROVE)
    .option("--json", "print the result as JSON")
    .addHelpText("after", `\nExample:\n  $ zoneform hostname ${how} app.customer-one.net`)
    .action(run(async () => (await import("../commands/hostname.ts")).runHostnameRevalidate.bind(undefined, how)));
}

/** `zoneform certificates`: every certificate of a zone, with the CA that was chosen and the CA that issued it. */
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
    .action(run(async () => (await import("../commands/certificates.ts")).runCertificatesList));
}

function searchCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("search")))
    .description("find the certificates that match a hostname, and what is wrong with them")
    .argument("<hostname>", "the hostname, such as app.customer-one.net")
    .addOption(formatFlag(["text", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform certificates search app.customer-one.net")
    .action(run(async () => (await import("../commands/certificates.ts")).runCertificatesSearch));
}

/** `zoneform ca`: what the change of a CA's chain means for the certificates of a zone. */
export function caCommand(run: Run): Command {
  return new Command("ca")
    .description("audit certificates before a CA changes its chain")
    .addCommand(auditCommand(run))
    .addHelpText("after", "\nExample:\n  $ zoneform ca audit --at 2024-09-30");
}

function auditCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("audit")))
    .description("show the chain of each certificate at a date, what Cloudflare does, and what you must do")
    .option("--at <date>", "the date to audit for, such as 2024-09-30 (default: now, by Cloudflare's clock)", moment)
    .addOption(formatFlag(["text", "csv", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExample:\n  $ zoneform ca audit --at 2024-09-30 --format csv > audit.csv")
    .action(run(async () => (await import("../commands/certificates.ts")).runCaAudit));
}

/** A date, which begins at midnight UTC, or a moment in RFC 3339. */
function moment(text: string): number {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? [];
  const time = Date.parse(text);
  const isReal = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (Number.isNaN(time) || !isReal) throw new InvalidArgumentError("Expected a date such as 2024-09-30.");
  return time;
}

/**
 * `zoneform waf`: how far zones have come in the one-way migration of the managed WAF rules. Only reads; `apply` takes
 * the step.
 */
export function wafCommand(run: Run): Command {
  return new Command("waf")
    .description("check and preview the migration to the new WAF rules")
    .addCommand(subcommand(run, "status", "show where each zone is in the migration"))
    .addCommand(
      subcommand(run, "check", "check whether each zone can be migrated, and what would be lost").option(
        "--terraform-state <file>",
        "also report objects of the previous managed rules in this Terraform state (JSON, version 4)",
      ),
    )
    .addCommand(
      subcommand(
        run,
        "preview",
        "show the rules that the migration would create, next to those that the YAML declares",
      ),
    )
    .addHelpText("after", "\nExample:\n  $ zoneform waf preview --zone saas.dev");
}

function subcommand(run: Run, name: "status" | "check" | "preview", description: string): Command {
  return withServiceFlags(new Command(name))
    .description(description)
    .addOption(formatFlag(["text", "json"]))
    .addOption(jsonFlag())
    .addHelpText("after", `\nExample:\n  $ zoneform waf ${name}`)
    .action(run(async () => (await import("../commands/waf.ts")).runWaf.bind(undefined, name)));
}

/** `zoneform purge --host HOST…`: purges hosts from the edge cache. */
export function purgeCommand(run: Run): Command {
  return withServiceFlags(new Command("purge"))
    .description("purge hosts from the edge cache")
    .requiredOption("--host <host...>", "the host to purge, such as app.customer-one.net (repeatable)")
    .option(
      "--hosts-per-call <n>",
      "how many hosts to purge with one API call: at most 100, or 30 under the old limits",
      hostsPerCall,
    )
    .option("--auto-approve", AUTO_APPROVE)
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform purge --host app.customer-one.net shop.customer-two.org")
    .action(run(async () => (await import("../commands/purge.ts")).runPurge));
}

function hostsPerCall(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > 100) throw new InvalidArgumentError("Expected a number from 1 to 100.");
  return count;
}
