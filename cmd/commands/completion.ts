import { Argument, Command } from "commander";
import { SHELLS } from "../completion/shells.ts";
import type { Run } from "../context.ts";

/** `zoneform completion SHELL`: a script that completes commands, flags and values. */
export function completionCommand(run: Run): Command {
  return new Command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>", "the shell").choices([...SHELLS]))
    .addHelpText(
      "after",
      "\nExamples:\n  $ source <(zoneform completion bash)\n  $ zoneform completion fish > ~/.config/fish/completions/zoneform.fish",
    )
    .action(run(async () => (await import("../actions/completion.ts")).runCompletion));
}
