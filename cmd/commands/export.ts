import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { withServiceFlags, withStateFlag } from "../flags.ts";

/** `zoneform export`: what is tracked, for Terraform. Only reads. */
export function exportCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("export")))
    .description("write the managed objects as Terraform configuration")
    .addOption(new Option("--format <format>", "the output format").choices(["hcl"]).default("hcl"))
    .option("--out <file>", "write to this file (default: standard output)")
    .addHelpText("after", "\nExample:\n  $ zoneform export --format hcl --out edge.tf")
    .action(run(async () => (await import("../actions/export.ts")).runExport));
}
