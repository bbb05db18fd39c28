import { Argument, Command } from "commander";
import type { Run } from "../context.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** `zoneform completion SHELL`: a script that completes commands and flags, made from the program itself. */
export function completionCommand(run: Run): Command {
  return new Command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>", "the shell").choices([...SHELLS]))
    .addHelpText("after", "\nExample:\n  $ source <(zoneform completion bash)")
    .action(run(async () => (await import("../actions/completion.ts")).runCompletion));
}
