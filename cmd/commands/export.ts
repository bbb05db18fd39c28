import { Command, Option } from "commander";
import { print, type Run, type ServiceFlags } from "../context.ts";
import { withServiceFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

type ExportFlags = ServiceFlags & { readonly format: "hcl"; readonly out?: string };

/** `zoneform export`: what is tracked, for Terraform. Only reads. */
export function exportCommand(run: Run): Command {
  return withServiceFlags(new Command("export"))
    .description("write what is tracked as Terraform configuration, with its import blocks")
    .addOption(new Option("--format <format>", "what to write").choices(["hcl"]).default("hcl"))
    .option("--out <file>", "write to a file instead of standard output")
    .addHelpText("after", "\nExample:\n  $ zoneform export --format hcl --out edge.tf")
    .action(
      run(async (context, own: ExportFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<ExportFlags>() };
        const { exportedObjects } = await import("../../lib/engine/export.ts");
        const { hclLines } = await import("../../lib/report/formats/hcl-export.ts");
        const { writeOutput } = await import("../output-file.ts");
        const { redactedLines } = await import("../redaction.ts");
        const { openWorld } = await import("../world.ts");
        const world = openWorld(context, flags);
        try {
          const objects = await exportedObjects(world, projectOptions(flags));
          if (flags.out !== undefined) {
            await writeOutput(context, flags.out, redactedLines(context, hclLines(objects)));
            print(context.stdout, `wrote ${flags.out}`);
          } else for (const line of hclLines(objects)) print(context.stdout, line);
        } finally {
          await world.close();
        }
      }),
    );
}
