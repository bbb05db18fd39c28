import type { Command } from "commander";
import { type Context, print } from "../context.ts";
import { projectOptions, openReadingWorld } from "../world.ts";
import { exportedObjects } from "../../lib/engine/export.ts";
import { hclLines } from "../../lib/report/formats/hcl.ts";
import { guardOutputs } from "../outputs.ts";
import { writeOutput } from "../output-file.ts";
import { redactedLines } from "../streams.ts";
import type { ServiceFlags } from "../flags.ts";

type ExportFlags = ServiceFlags & { readonly format: "hcl"; readonly out?: string };

/** Runs `zoneform export`. */
export async function runExport(context: Context, own: ExportFlags, command: Command): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<ExportFlags>() };
  await guardOutputs(context, flags, { written: [flags.out] });
  const world = openReadingWorld(context, flags);
  const objects = await exportedObjects(world, projectOptions(flags));
  if (flags.out !== undefined) {
    await writeOutput(context, flags.out, redactedLines(context, hclLines(objects)));
    print(context.stdout, `wrote ${flags.out}`);
  } else for (const line of hclLines(objects)) print(context.stdout, line);
}
