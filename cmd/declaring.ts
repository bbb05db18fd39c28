import { dirname, join, resolve } from "node:path";
import { withDeclaration } from "../lib/config/declare.ts";
import { error, Refusal } from "../lib/core/diagnostic.ts";
import type { Found } from "../lib/import.ts";
import type { Context, ServiceFlags } from "./context.ts";
import { writeLines } from "./files.ts";
import type { ServiceWorld } from "./world.ts";

/** A zone file is text that people write; a longer one is something else. */
const LARGEST_FILE_BYTES = 64 * 1024 * 1024;

/** Adds the object to the file that declares its zone; gives the file's name. */
export async function declareIn(
  world: ServiceWorld,
  context: Context,
  flags: ServiceFlags,
  found: Found,
): Promise<string> {
  const file = found.zone.at.file;
  const path = join(dirname(resolve(context.cwd, flags.config)), file);
  const text = Buffer.from(await world.fs.read(path, LARGEST_FILE_BYTES)).toString("utf8");
  const next = withDeclaration(text, found.kind, found.live.key, found.kind.declared(found.live));
  await writeLines(world.fs, path, [next.replace(/\n$/, "")]);
  return file;
}

/** The object is live and not in the YAML, and nobody said `--write`. */
export function notDeclared({ address, zone }: Found): Refusal {
  const diagnostic = error({
    code: "not-declared",
    message: `${address} is live, but the YAML does not declare it`,
    remedy: `declare it in ${zone.at.file}, or let --write add it there as it is live`,
    at: zone.at,
  });
  return new Refusal([diagnostic]);
}
