import { error, problem, Refusal, refusal } from "../../lib/core/diagnostic.ts";
import { isHostname } from "../../lib/kinds/registry.ts";
import type { Command } from "commander";
import { type Context, print, printingOn } from "../context.ts";
import { projectOptions, openReadingWorld } from "../world.ts";
import { findForImport, importIntoState, type Found } from "../../lib/engine/import.ts";
import { EXIT } from "../../lib/core/exit-code.ts";
import { isInterruption } from "../failure.ts";
import { importedDocument } from "../../lib/report/commands/imported.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { escape } from "../../lib/report/escape/terminal.ts";
import { type Line } from "../../lib/report/lines/lines.ts";
import { printLines } from "../../lib/report/printers/text.ts";
import { lockHolder, type RealWorld } from "../../lib/real/world.ts";
import { dirname, join, resolve } from "node:path";
import { withDeclaration } from "../../lib/config/declare.ts";
import { withTexts } from "../../lib/core/file-system.ts";
import type { ProjectOptions } from "../../lib/engine/world.ts";
import { fileDiff } from "../../lib/report/lines/text-diff.ts";
import { replaceFile } from "../output-file.ts";
import type { ServiceFlags } from "../flags.ts";

interface ImportFlags extends ServiceFlags {
  readonly write?: boolean;
  readonly json?: boolean;
  readonly lockTimeout: number;
}

/** Runs `zoneform import`. */
export async function runImport(
  context: Context,
  first: string,
  second: string | undefined,
  own: ImportFlags,
  command: Command,
): Promise<void> {
  const flags = { ...own, ...command.optsWithGlobals<ImportFlags>() };
  const [id, address] = second === undefined ? [first, undefined] : [second, first];
  const world = openReadingWorld(context, flags);
  let file: string | undefined;
  let found = await findForImport(world, projectOptions(flags), id, address);
  if (!found.object) {
    if (!flags.write) throw notDeclared(found);
    ({ file, found } = await declareIn(world, context, flags, found, { id, address }, (diff) => {
      if (!flags.json) context.stdout.write(printLines(diff, printingOn(context, flags)));
    }));
    if (!flags.json) print(context.stdout, `added to ${file}`);
  }
  const { object } = found;
  if (!object) throw notDeclared(found);
  const holder = lockHolder(context.env, "import");
  try {
    await importIntoState(world, { ...found, object }, holder, flags.lockTimeout * 1000);
  } catch (thrown) {
    if (file === undefined || !isInterruption(context, thrown)) throw thrown;
    print(context.stderr, `interrupted: the object is in ${file}, but not in the state yet; import it again`);
    return context.exit(EXIT.interrupted);
  }
  const importId = found.kind.importId(found.zone.id, found.live);
  if (flags.json) return print(context.stdout, jsonText(importedDocument(found.address, importId, file)));
  print(context.stdout, escape(`imported ${found.address} as ${importId}`));
  print(context.stdout, "to see what differs from the YAML: zoneform plan");
}

/** How large a zone file may be. People write it; a longer one is something else. */
const LARGEST_FILE_BYTES = 64 * 1024 * 1024;

/** An import id, with the address if the id alone does not identify the object. */
export interface ImportName {
  readonly id: string;
  readonly address: string | undefined;
}

/**
 * Adds the object to the file that declares its zone, and shows the lines before it writes them. Returns the file's
 * name, and the object as declared then. Throws `Refusal`, without writing anything, if that would make the project
 * invalid.
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
  const fs = withTexts(world.fs, new Map([[await world.fs.realPath(path), next]]));
  const declared = await declaredThere({ ...world, fs }, projectOptions(flags), found, name);
  show(fileDiff(file, text, next));
  await replaceFile(context.cwd, path, next);
  return { file, found: declared };
}

/**
 * What an import would find if the file were written. Throws `Refusal` if that makes the project invalid, or if the
 * object is still not declared.
 */
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

function notDeclarable({ address, zone: { at } }: Found): ReturnType<typeof error> {
  return error(problem("not-declarable", { address, file: at.file }, { at }));
}

/** The refusal for an object that is live but not in the YAML, without `--write`. */
function notDeclared(found: Found): Refusal {
  refuseWithApp(found);
  const { address, zone } = found;
  return refusal(problem("not-declared", { address, file: zone.at.file }, { at: zone.at }));
}

/** Throws `Refusal` for a hostname of a zone in which the application creates hostnames: no entry may declare it. */
function refuseWithApp({ address, kind, zone }: Found): void {
  if (!isHostname(kind.name) || zone.hostnames.lifecycle !== "app") return;
  const message = `${address} cannot be declared: the lifecycle there is app, so the application creates and deletes the hostnames; nothing was written`;
  const remedy = `set its values with policies and exceptions in ${zone.at.file}, then run zoneform apply`;
  throw refusal({ code: "declared-with-app", message, remedy, at: zone.at });
}
