import { Command } from "commander";
import type { Run } from "../context.ts";
import { formatFlag, jsonFlag, withServiceFlags } from "../flags.ts";

/** `zoneform waf`: where zones stand on the one-way migration of the managed WAF rules. Only reads; `apply` takes the step. */
export function wafCommand(run: Run): Command {
  return new Command("waf")
    .description("look at the migration to the new managed WAF rules; apply takes the step")
    .addCommand(subcommand(run, "status", "where each zone stands"))
    .addCommand(
      subcommand(run, "check", "whether each zone can be migrated, and what speaks against it").option(
        "--terraform-state <file>",
        "also say what this Terraform state has of the previous managed rules (JSON, version 4)",
      ),
    )
    .addCommand(subcommand(run, "preview", "what the migration would save, beside what is declared"))
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
