import type { Shell } from "../completion/shells.ts";
import { completionScript } from "../completion/scripts.ts";
import { type Context, print } from "../context.ts";

/** What `zoneform completion` does. */
export async function runCompletion(context: Context, shell: Shell): Promise<void> {
  print(context.stdout, completionScript(shell));
}
