import { type Shell, SHELLS } from "../flags.ts";
import { completionScript } from "../completion/scripts.ts";
import { type Context, print } from "../context.ts";
import type { Command } from "commander";
import { completionLines } from "../completion/complete.ts";

/** Runs `zoneform completion`. */
export async function runCompletion(context: Context, shell: Shell): Promise<void> {
  print(context.stdout, completionScript(shell));
}

/** Runs `zoneform complete`. It prints no errors, because a shell would put them into the command line. */
export async function runComplete(
  context: Context,
  shell: string | undefined,
  words: readonly string[],
  _own: unknown,
  command: Command,
): Promise<void> {
  const known = SHELLS.find((each) => each === shell);
  if (known === undefined || command.parent === null) return;
  const lines = await completionLines(command.parent, known, words, context).catch(() => []);
  context.stdout.write(lines.map((line) => `${line}\n`).join(""));
}
