import { resolve } from "node:path";
import { Command } from "commander";
import { print, printingOn, type Run, type ServiceFlags } from "../context.ts";
import { formatFlag, withServiceFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

type WafFlags = ServiceFlags & { readonly format: "text" | "json"; readonly terraformState?: string };

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
    .addHelpText("after", `\nExample:\n  $ zoneform waf ${name}`)
    .action(
      run(async (context, own: WafFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<WafFlags>() };
        const { jsonText } = await import("../../lib/report/escape/json.ts");
        const { wafCheckText, wafPreviewText, wafStatusText } = await import("../../lib/report/commands/waf.ts");
        const { previousWafResources } = await import("../../lib/engine/terraform-state.ts");
        const { wafPreviews, wafStandings, wafStandingsWith } = await import("../../lib/engine/waf.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        const printing = printingOn(context, flags);
        const say = <T>(found: readonly T[], text: (found: readonly T[], how: typeof printing) => string): void => {
          print(context.stdout, flags.format === "json" ? jsonText(found) : text(found, printing));
        };
        try {
          if (name === "preview") return say(await wafPreviews(world, projectOptions(flags)), wafPreviewText);
          if (flags.terraformState !== undefined) {
            const path = resolve(context.cwd, flags.terraformState);
            const resources = await previousWafResources(world.fs, path, flags.terraformState);
            return say(await wafStandingsWith(world, projectOptions(flags), resources), wafCheckText);
          }
          say(await wafStandings(world, projectOptions(flags)), name === "check" ? wafCheckText : wafStatusText);
        } finally {
          await world.close();
        }
      }),
    );
}
