import { type Context, print } from "../context.ts";
import { loadSchema } from "../../lib/config/schemas.ts";
import { disk } from "../../lib/real/disk.ts";

/** What `zoneform schema` does. */
export async function runSchema(context: Context, name: string): Promise<void> {
  const file = name.startsWith(OUTPUT) ? `output/${name.slice(OUTPUT.length)}` : name;
  print(context.stdout, JSON.stringify(await loadSchema(disk(), file), undefined, 2));
}

/** How the schema of what a command prints is told from one of the configuration. */
const OUTPUT = "output-";
