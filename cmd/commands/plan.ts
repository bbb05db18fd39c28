import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import { collect, formatFlag, withSelectionFlags, withServiceFlags } from "../flags.ts";

/** `zoneform plan`: what an apply would do, and why. Writes nothing but the files it is told to. */
export function planCommand(run: Run): Command {
  return withSelectionFlags(withServiceFlags(new Command("plan")))
    .description("show what would be created, updated, replaced, deleted, adopted or held, and why")
    .option("--out <file>", "save the plan for: zoneform apply <file>")
    .option("--detailed-exitcode", "exit 2 where changes are planned")
    .addOption(formatFlag(["text", "json"]))
    .option("--json", "the same as --format json")
    .option(
      "--report <format=file>",
      "write the plan to a file as well: text=FILE, json=FILE or, for a comment, markdown=FILE (repeatable)",
      collect,
    )
    .addOption(
      new Option("--check-dns [which]", "ask DNS what would keep the hostnames from working: changed ones, or all")
        .choices(["changed", "all"])
        .preset("changed"),
    )
    .addOption(
      new Option("--resolver <address>", "the DNS server to ask, as in 127.0.0.1:5353 (repeatable; else the system's)")
        .argParser(collect)
        .implies({ checkDns: "changed" }),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform plan --zone saas.dev --target 'custom_hostname[\"app.customer-one.net\"]' --out plan.zfplan" +
        "\n  $ zoneform plan --check-dns --resolver 127.0.0.1:5353",
    )
    .action(run(async () => (await import("../actions/plan.ts")).runPlan));
}
