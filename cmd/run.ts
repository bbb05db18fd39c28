import { CommanderError } from "commander";
import type { Surroundings } from "./context.ts";
import { program } from "./program.ts";

/** Runs a command line, and keeps its exit code in the context. Throws what is a mistake of ours. */
export async function run(context: Surroundings, args: readonly string[]): Promise<void> {
  try {
    await program(context, args).parseAsync(args, { from: "user" });
  } catch (error) {
    // Usage errors have been printed by commander; anything else was turned into a code where the command ran.
    if (!(error instanceof CommanderError)) throw error;
    context.exit(error.exitCode);
  }
}
