import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import {
  SAME_AS_JSON,
  RESOLVER,
  collect,
  formatFlag,
  withSelectionFlags,
  withServiceFlags,
  withStateFlag,
} from "../flags.ts";

/** `zoneform plan`: what an apply would do, and why. Writes nothing but the files it is told to. */
export function planCommand(run: Run): Command {
  return withSelectionFlags(withStateFlag(withServiceFlags(new Command("plan"))))
    .description("show what an apply would change, and why")
    .option("--out <file>", "save the plan to this file, for zoneform apply FILE")
    .option("--detailed-exitcode", "exit 2 if changes are planned")
    .addOption(formatFlag(["text", "json"]))
    .option("--json", SAME_AS_JSON)
    .option(
      "--report <format=file>",
      "also write the plan to a file: text=FILE, json=FILE, or markdown=FILE for a comment (repeatable)",
      collect,
    )
    .addOption(
      new Option("--check-dns [which]", "check the DNS records of the changed hostnames, or of all")
        .choices(["changed", "all"])
        .preset("changed"),
    )
    .addOption(new Option("--resolver <address>", RESOLVER).argParser(collect).implies({ checkDns: "changed" }))
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform plan --zone saas.dev --target 'custom_hostname[\"app.customer-one.net\"]' --out plan.zfplan" +
        "\n  $ zoneform plan --check-dns --resolver 127.0.0.1:5353",
    )
    .action(run(async () => (await import("../actions/plan.ts")).runPlan));
}
