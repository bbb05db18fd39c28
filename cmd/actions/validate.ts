import { counted } from "../../lib/report/lines/words.ts";
import type { Command } from "commander";
import { type Context, isColoured, print, type ProjectFlags } from "../context.ts";
import { projectOptions } from "../project.ts";
import { Refusal } from "../../lib/core/diagnostic.ts";
import { readProject, zonesOf } from "../../lib/engine/world.ts";
import { formatDiagnostics } from "../../lib/report/lines/diagnostics.ts";
import { localWorld } from "../world.ts";

/** What `zoneform validate` does. */
export async function runValidate(
  context: Context,
  flags: ProjectFlags & { format: "text" | "json" | "github" },
  command: Command,
): Promise<void> {
  const colour = isColoured(context, command.optsWithGlobals());
  const say = (diagnostics: Parameters<typeof formatDiagnostics>[0]): void => {
    if (diagnostics.length > 0 || flags.format === "json")
      print(context.stdout, formatDiagnostics(diagnostics, { format: flags.format, colour }));
  };
  try {
    const { project, warnings } = await readProject(localWorld(context, flags), projectOptions(flags));
    const zones = zonesOf(project, flags.zone ?? []);
    say(warnings);
    if (flags.format === "text") print(context.stdout, summary(zones.map(({ objects }) => objects.length)));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    say(thrown.diagnostics);
    context.exit(thrown.exitCode);
  }
}

function summary(objects: readonly number[]): string {
  const total = objects.reduce((sum, count) => sum + count, 0);
  return `The configuration is valid: ${counted(total, "object")} in ${counted(objects.length, "zone")}.`;
}
