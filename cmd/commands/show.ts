import { Command } from "commander";
import { type CommonOptions, print, printingOn, type Run } from "../context.ts";
import { formatFlag } from "../flags.ts";

type ShowFlags = CommonOptions & { readonly format: "text" | "json"; readonly json?: boolean };

/** `zoneform show FILE`: a saved plan for people, or as one JSON document for programs. */
export function showCommand(run: Run): Command {
  return new Command("show")
    .description("print a saved plan")
    .argument("<plan>", "a file that zoneform plan --out has written")
    .addOption(formatFlag(["text", "json"]))
    .option("--json", "the same as --format json")
    .addHelpText("after", "\nExample:\n  $ zoneform show plan.zfplan --format json | jq .hash")
    .action(
      run(async (context, file: string, own: ShowFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<ShowFlags>() };
        const { exitOf, planExit } = await import("../../lib/engine/exit.ts");
        const { fileArgument } = await import("../../lib/core/shell.ts");
        const { withCommandToApprove } = await import("../../lib/approval/lifted.ts");
        const { decodePlan } = await import("../../lib/plan/file.ts");
        const { disk } = await import("../../lib/real/disk.ts");
        const { readLines } = await import("../files.ts");
        const { planAs } = await import("../reports.ts");
        const { plan: saved } = await decodePlan(readLines(disk(), context.cwd, file), file);
        const plan = withCommandToApprove(saved, `zoneform apply ${fileArgument(file)} --approve ${saved.hash}`);
        const { byZone } = exitOf(plan, (section) => planExit(section, true));
        print(context.stdout, planAs(flags.json ? "json" : flags.format, plan, byZone, printingOn(context, flags)));
      }),
    );
}
