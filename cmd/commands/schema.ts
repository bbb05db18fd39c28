import { type Context, print } from "../context.ts";
import { loadSchema } from "../../lib/config/schemas.ts";
import { disk } from "../../lib/real/disk.ts";

/** Runs `zoneform schema`. */
export async function runSchema(context: Context, name: string): Promise<void> {
  const file = name.startsWith(OUTPUT) ? `output/${name.slice(OUTPUT.length)}` : name;
  print(context.stdout, JSON.stringify(await loadSchema(disk(), file), undefined, 2));
}

/** The prefix of output schemas, which distinguishes them from the configuration's. */
const OUTPUT = "output-";
