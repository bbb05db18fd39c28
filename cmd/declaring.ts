import { dirname, join, resolve } from "node:path";
import { withDeclaration } from "../lib/config/declare.ts";
import { error, Refusal } from "../lib/core/diagnostic.ts";
import type { FileSystem } from "../lib/core/file-system.ts";
import type { ProjectOptions } from "../lib/engine/world.ts";
import { fileDiff } from "../lib/report/lines/text-diff.ts";
import type { Line } from "../lib/report/lines/lines.ts";
import { findForImport, type Found } from "../lib/engine/import.ts";
import type { Context, ServiceFlags } from "./context.ts";
import { replaceFile } from "./output-file.ts";
import { projectOptions } from "./project.ts";
import type { RealWorld } from "../lib/real/world.ts";

/** A zone file is text that people write; a longer one is something else. */
const LARGEST_FILE_BYTES = 64 * 1024 * 1024;

/** An import id, with the address where the id does not say what is meant. */
export interface ImportName {
  readonly id: string;
  readonly address: string | undefined;
}

/**
 * Adds the object to the file that declares its zone, and shows the lines before it writes them; gives the file's name,
 * and the object as it is declared by then.
 * Throws `Refusal`, and has written nothing, where the project would not be valid with it.
 */
export async function declareIn(
  world: RealWorld,
  context: Context,
  flags: ServiceFlags,
  found: Found,
  name: ImportName,
  show: (diff: readonly Line[]) => void,
): Promise<{ readonly file: string; readonly found: Found }> {
  refuseWithApp(found);
  const file = found.zone.at.file;
  const path = join(dirname(resolve(context.cwd, flags.config)), file);
  const text = Buffer.from(await world.fs.read(path, LARGEST_FILE_BYTES)).toString("utf8");
  const next = withDeclaration(text, found.kind, found.live.key, found.kind.declared(found.live));
  const fs = withText(world.fs, await world.fs.realPath(path), next);
  const declared = await declaredThere({ ...world, fs }, projectOptions(flags), found, name);
  show(fileDiff(file, text, next));
  await replaceFile(context.cwd, path, [next.replace(/\n$/, "")]);
  return { file, found: declared };
}

/** The disk as it will be: one file has another text. */
function withText(fs: FileSystem, file: string, text: string): FileSystem {
  const isMeant = async (path: string): Promise<boolean> => (await fs.realPath(path).catch(() => path)) === file;
  return {
    ...fs,
    read: async (path, limitBytes) => ((await isMeant(path)) ? Buffer.from(text) : fs.read(path, limitBytes)),
  };
}

/** What would be found, had it been written. Throws `Refusal` where the project is not valid then, or it is still not declared. */
async function declaredThere(
  world: RealWorld,
  options: ProjectOptions,
  before: Found,
  { id, address }: ImportName,
): Promise<Found> {
  try {
    const found = await findForImport(world, options, id, address);
    if (found.object) return found;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new Refusal([notDeclarable(before), ...thrown.diagnostics], thrown.exitCode);
  }
  throw new Refusal([notDeclarable(before)]);
}

function notDeclarable({ address, zone }: Found): ReturnType<typeof error> {
  return error({
    code: "not-declarable",
    message: `${address} cannot be declared by --write: the project would not be valid with it; nothing was written`,
    remedy: `declare it in ${zone.at.file} by hand, then import it`,
    at: zone.at,
  });
}

/** The object is live and not in the YAML, and nobody said `--write`. */
export function notDeclared(found: Found): Refusal {
  refuseWithApp(found);
  const { address, zone } = found;
  const diagnostic = error({
    code: "not-declared",
    message: `${address} is live, but the YAML does not declare it`,
    remedy: `declare it in ${zone.at.file}, or let --write add it there as it is live`,
    at: zone.at,
  });
  return new Refusal([diagnostic]);
}

/** Throws `Refusal` for a hostname of a zone in which the application creates them: no entry may declare it. */
function refuseWithApp({ address, kind, zone }: Found): void {
  if (kind.name !== "custom_hostname" || zone.hostnames.lifecycle !== "app") return;
  const diagnostic = error({
    code: "declared-with-app",
    message: `${address} cannot be declared: the lifecycle there is app, so the application creates and deletes the hostnames; nothing was written`,
    remedy: `set its values with policies and exceptions in ${zone.at.file}, then run zoneform apply`,
    at: zone.at,
  });
  throw new Refusal([diagnostic]);
}
