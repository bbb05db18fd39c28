import { Command } from "commander";
import { type ProjectFlags, isColoured, print, type Run } from "../context.ts";
import { formatFlag, withProjectFlags } from "../flags.ts";
import { projectOptions } from "../project.ts";

/** `zoneform validate`: every error of every file in one pass, without a call to the service. */
export function validateCommand(run: Run): Command {
  return withProjectFlags(new Command("validate"))
    .description("check the configuration without calling the service")
    .addOption(formatFlag(["text", "json", "github"]))
    .addHelpText("after", "\nExample:\n  $ zoneform validate --format github")
    .action(
      run(async (context, flags: ProjectFlags & { format: "text" | "json" | "github" }, command: Command) => {
        const { Refusal } = await import("../../lib/core/diagnostic.ts");
        const { readProject, zonesOf } = await import("../../lib/engine/world.ts");
        const { formatDiagnostics } = await import("../../lib/report/lines/diagnostics.ts");
        const { localWorld } = await import("../world.ts");
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
      }),
    );
}

function summary(objects: readonly number[]): string {
  const total = objects.reduce((sum, count) => sum + count, 0);
  return `valid: ${objects.length} ${objects.length === 1 ? "zone" : "zones"}, ${total} declared ${total === 1 ? "object" : "objects"}`;
}
