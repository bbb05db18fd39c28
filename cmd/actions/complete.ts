import type { Command } from "commander";
import { completionLines } from "../completion/complete.ts";
import { SHELLS } from "../completion/shells.ts";
import type { Context } from "../context.ts";

/** What `zoneform complete` does. Says nothing rather than that something is wrong: a shell would print that into the line. */
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
