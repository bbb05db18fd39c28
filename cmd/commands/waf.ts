import { Command } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag, withServiceFlags } from "../flags.ts";

/** `zoneform waf`: where zones stand on the one-way migration of the managed WAF rules. Only reads; `apply` takes the step. */
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
    .action(run(async () => (await import("../actions/waf.ts")).runWaf.bind(undefined, name)));
}
