import { Command, Option } from "commander";
import type { Run } from "../context.ts";
import {
  withServiceFlags,
  withStateFlag,
  SAME_AS_JSON,
  formatFlag,
  fullFlag,
  DENY,
  collect,
  duration,
  withWriteFlags,
  withSelectionFlags,
  LOCK_TIMEOUT,
  wholeNumber,
} from "../flags.ts";
import { IMPORT_FORMS } from "../../lib/core/import-forms.ts";

/**
 * `zoneform why ADDRESS`: each field of one object: where it is declared, its applied and live values, and what would
 * be sent.
 */
export function whyCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("why")))
    .description("explain one object field by field: declared, last applied, live")
    .argument("<address>", 'the object, such as custom_hostname["app.customer-one.net"]')
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform why 'custom_hostname[\"app.customer-one.net\"]'")
    .action(run(async () => (await import("../commands/why.ts")).runWhy));
}

/** `zoneform show FILE`: a saved plan for people, or as one JSON document for programs. */
export function showCommand(run: Run): Command {
  return new Command("show")
    .description("print a saved plan")
    .argument("<plan>", "a saved plan (zoneform plan --out FILE)")
    .addOption(fullFlag())
    .addOption(formatFlag(["text", "json"]))
    .option("--json", SAME_AS_JSON)
    .addHelpText("after", "\nExample:\n  $ zoneform show plan.zfplan --format json | jq .hash")
    .action(run(async () => (await import("../commands/show.ts")).runShow));
}

/** `zoneform undo`: plans to restore what was live before a run, and applies that plan. */
export function undoCommand(run: Run): Command {
  return withWriteFlags(withStateFlag(withServiceFlags(new Command("undo"))))
    .description("restore what was live before a run; newer changes stay")
    .argument("[run]", "the id of the run, or last: the newest that is no undo")
    .option("--list", "list the runs that can be undone, newest first")
    .option("--out <file>", "save the plan to this file, for zoneform apply FILE; change nothing")
    .option("--deny <word>", DENY, collect)
    .addOption(
      new Option("--expect <hash>", "apply the plan with this hash, or what is left of it, without asking").conflicts(
        "out",
      ),
    )
    .addOption(
      new Option("--approve <hash>", "like --expect, and allow this plan to exceed the deletion limits").conflicts(
        "out",
      ),
    )
    .option(
      "--wait [duration]",
      "first wait until Cloudflare has deployed what the run changed, for at most 10m or this time (else exit 6)",
      duration,
    )
    .addOption(fullFlag())
    .option("--json", "print the report, or the list, as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ zoneform undo --list\n  $ zoneform undo last --zone saas.dev --out undo.zfplan",
    )
    .action(run(async () => (await import("../commands/undo.ts")).runUndo));
}

/**
 * `zoneform destroy`: deletes what Zoneform created or adopted; settings of the zone and hostnames of the application
 * are released.
 */
export function destroyCommand(run: Run): Command {
  return withWriteFlags(withSelectionFlags(withStateFlag(withServiceFlags(new Command("destroy")))))
    .description("delete all managed objects; settings stay as they are")
    .option("--expect <hash>", "apply the plan with this hash, or what is left of it, without asking")
    .option("--approve <hash>", "like --expect, and allow this plan to exceed the deletion limits")
    .addOption(fullFlag())
    .option("--json", "print the report as JSON")
    .addHelpText("after", "\nExample:\n  $ zoneform destroy --zone saas.dev --exclude fallback_origin")
    .action(run(async () => (await import("../commands/destroy.ts")).runDestroy));
}

/** `zoneform import [ADDRESS] ID`: starts to manage a live object, without changing it. */
export function importCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("import")))
    .description("start to manage an object that is live already")
    .argument("<address-or-id>", "the import id, or the address followed by the import id")
    .argument("[id]", IMPORT_FORMS.join(", "))
    .option("--write", "add the object to the zone's YAML as it is live")
    .option("--lock-timeout <seconds>", LOCK_TIMEOUT, wholeNumber, 0)
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform import zone/023e105f4ecef8ad9ca31a8372d0c353/2f2feab2026849078ba485f918791bdc",
    )
    .action(run(async () => (await import("../commands/import.ts")).runImport));
}

/** `zoneform export`: the managed objects as Terraform configuration. Only reads. */
export function exportCommand(run: Run): Command {
  return withStateFlag(withServiceFlags(new Command("export")))
    .description("write the managed objects as Terraform configuration")
    .addOption(new Option("--format <format>", "the output format").choices(["hcl"]).default("hcl"))
    .option("--out <file>", "write to this file (default: standard output)")
    .addHelpText("after", "\nExample:\n  $ zoneform export --format hcl --out edge.tf")
    .action(run(async () => (await import("../commands/export.ts")).runExport));
}
