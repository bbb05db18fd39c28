import { Command } from "commander";
import { type CommonOptions, print, printingOn, type Run } from "../context.ts";
import { formatFlag } from "../flags.ts";

interface ExplainFlags extends CommonOptions {
  readonly format: "text" | "json";
}

/** `zoneform explain [CODE]`: cause and remedy of a code or status of the service, or of a code of ours. */
export function explainCommand(run: Run): Command {
  return new Command("explain")
    .description("say what a code, a status or a text of the service means, and what to do")
    .argument("[code]", "such as 1469, moved, caa_error, or a text of verification_errors; all of them without it")
    .addOption(formatFlag(["text", "json"]))
    .addHelpText("after", "\nExample:\n  $ zoneform explain 1408")
    .action(
      run(async (context, code: string | undefined, own: ExplainFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<ExplainFlags>() };
        const { allMeanings, explain } = await import("../../lib/explain/explain.ts");
        const { jsonText } = await import("../../lib/report/escape/json.ts");
        const { explanationDocument, explanationText } = await import("../../lib/report/commands/explain.ts");
        const meanings = code === undefined ? allMeanings() : explain(code);
        const text =
          flags.format === "json"
            ? jsonText(explanationDocument(meanings))
            : explanationText(meanings, printingOn(context, flags));
        print(context.stdout, text);
      }),
    );
}
