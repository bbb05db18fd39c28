import { Command, Option, InvalidArgumentError } from "commander";
import type { Run } from "../context.ts";
import { REPORTS } from "../report-formats.ts";
import {
  AUTO_APPROVE,
  COMPLETE_SOURCE,
  formatFlag,
  fullFlag,
  jsonFlag,
  withProjectFlags,
  SAME_AS_JSON,
  RESOLVER,
  collect,
  withSelectionFlags,
  withServiceFlags,
  withStateFlag,
  duration,
  withWriteFlags,
  failOnFlag,
  withNotifyFlag,
  reportFlag,
  withRecordFlag,
  withTargetFlags,
} from "../flags.ts";

/** `zoneform validate`: every error of every file in one pass, without a call to the service. */
export function validateCommand(run: Run): Command {
  return withProjectFlags(new Command("validate"))
    .description("check the configuration for errors; makes no API call")
    .addOption(formatFlag(["text", "json", "github"]))
    .addOption(jsonFlag())
    .addHelpText("after", "\nExamples:\n  $ zoneform validate\n  $ zoneform validate --format github")
    .action(run(async () => (await import("../commands/validate.ts")).runValidate));
}

/** `zoneform plan`: what an apply would do, and why. Writes only the files that its flags name. */
export function planCommand(run: Run): Command {
  return withSelectionFlags(withStateFlag(withServiceFlags(new Command("plan"))))
    .description("show what an apply would change, and why")
    .option("--complete-source <name>", COMPLETE_SOURCE, collect)
    .option(
      "--since <revision>",
      "show what this branch changes apart from what was pending before, such as origin/main",
    )
    .option("--out <file>", "save the plan to this file, for zoneform apply FILE")
    .option("--detailed-exitcode", "exit 2 if changes are planned")
    .addOption(fullFlag())
    .addOption(formatFlag(["text", "json"]))
    .option("--json", SAME_AS_JSON)
    .addOption(reportFlag(REPORTS.plan))
    .addOption(
      new Option("--check-dns [which]", "check the DNS records of the changed hostnames, or of all")
        .choices(["changed", "all"])
        .preset("changed"),
    )
    .addOption(new Option("--resolver <address>", RESOLVER).argParser(collect).implies({ checkDns: "changed" }))
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform plan --zone saas.dev --target 'custom_hostname[\"app.customer-one.net\"]' --out plan.zfplan" +
        "\n  $ zoneform plan --since origin/main" +
        "\n  $ zoneform plan --check-dns --resolver 127.0.0.1:5353",
    )
    .action(run(async () => (await import("../commands/plan.ts")).runPlan));
}

/** `zoneform apply`: plans again, reduces the plan to the approved part (or shows it and asks), and applies it. */
export function applyCommand(run: Run): Command {
  return withNotifyFlag(withWriteFlags(withSelectionFlags(withStateFlag(withServiceFlags(new Command("apply"))))))
    .description("apply a saved plan, or a new plan that you approve")
    .argument("[plan]", "a saved plan (zoneform plan --out FILE); default: make a new plan")
    .option("--complete-source <name>", COMPLETE_SOURCE, collect)
    .option("--expect <hash>", "apply the plan with this hash, or what is left of it, without asking")
    .option("--approve <hash>", "like --expect, and allow this plan to exceed the deletion limits")
    .option("--dry-run", "show what would be done; write nothing")
    .addOption(fullFlag())
    .option("--json", "print the report as JSON")
    .addOption(reportFlag(REPORTS.apply))
    .option(
      "--wait [duration]",
      "then wait until all certificates are active, for at most 30m or this time (else exit 8)",
      duration,
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform apply plan.zfplan\n  $ zoneform apply --auto-approve --max-duration 5h",
    )
    .action(run(async () => (await import("../commands/apply.ts")).runApply));
}

/**
 * `zoneform drift`: whether what was applied was changed outside Zoneform. Changes nothing, takes no lock, and needs a
 * read-only token; beside the state it records its observations.
 */
export function driftCommand(run: Run): Command {
  return withNotifyFlag(withRecordFlag(withTargetFlags(withStateFlag(withServiceFlags(new Command("drift"))))))
    .description("report what changed outside Zoneform since the last apply")
    .addOption(
      new Option("--against <what>", "compare live with the state, or with the YAML only (needs no state)")
        .choices(["state", "config"])
        .default("state"),
    )
    .addOption(
      new Option(
        "--write [address]",
        "keep what was changed: write the live values into the YAML, all or of this object (repeatable); asks first",
      )
        .argParser(collectWritten)
        .conflicts(["against", "format", "json"]),
    )
    .option("--auto-approve", AUTO_APPROVE)
    .addOption(failOnFlag())
    .addOption(fullFlag())
    .addOption(formatFlag(["text", "json"]))
    .option("--json", SAME_AS_JSON)
    .addOption(reportFlag(REPORTS.drift).conflicts("write"))
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform drift || notify-on-call\n  $ zoneform drift --against config --zone saas.dev\n  $ zoneform drift --fail-on outage,weakens-protection\n  $ zoneform drift --write app.customer-one.net",
    )
    .action(run(async () => (await import("../commands/drift.ts")).runDrift));
}

/**
 * `zoneform status`: the hostnames, certificates and origins that need attention. Changes nothing, and takes no lock.
 */
export function statusCommand(run: Run): Command {
  return withRecordFlag(withStateFlag(withServiceFlags(new Command("status"))))
    .description("report hostnames, certificates and origins that need attention")
    .option("--expiring-within <days>", "report certificates that expire within this time", days, 30)
    .option("--check-dns", "ask DNS whether the fallback origin resolves")
    .addOption(new Option("--resolver <address>", RESOLVER).argParser(collect).implies({ checkDns: true }))
    .option("--detailed-exitcode", "exit with 3 on drift, or where an origin leads nowhere")
    .addOption(failOnFlag().implies({ detailedExitcode: true }))
    .addOption(formatFlag(["text", "json"]))
    .addOption(jsonFlag())
    .addOption(reportFlag(REPORTS.status))
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform status --zone saas.dev --expiring-within 14d\n  $ zoneform status --fail-on outage",
    )
    .action(run(async () => (await import("../commands/status.ts")).runStatus));
}

/** The addresses of `--write`; without one it means everything, and commander gives `true`. */
function collectWritten(value: string, before: readonly string[] | true | undefined): readonly string[] {
  return collect(value, before === true ? undefined : before);
}

/** `30d` or `30`. */
function days(text: string): number {
  const [, count] = /^(\d{1,5})d?$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("Expected a number of days such as 30d.");
  return Number(count);
}
