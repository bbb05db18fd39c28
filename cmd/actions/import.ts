import type { Command } from "commander";
import { type Context, print, printingOn, type ServiceFlags } from "../context.ts";
import { projectOptions } from "../project.ts";
import { findForImport, importIntoState } from "../../lib/engine/import.ts";
import { EXIT } from "../../lib/core/exit-code.ts";
import { isInterruption } from "../failure.ts";
import { importedDocument } from "../../lib/report/commands/imported.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { escape } from "../../lib/report/escape/terminal.ts";
import { printLines } from "../../lib/report/lines/lines.ts";
import { lockHolder } from "../../lib/real/world.ts";
import { openReadingWorld } from "../world.ts";
import { declareIn, notDeclared } from "../declaring.ts";

interface ImportFlags extends ServiceFlags {
  readonly write?: boolean;
  readonly json?: boolean;
  readonly lockTimeout: number;
}

/** What `zoneform import` does. */
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
  try {
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
  } finally {
    await world.close();
  }
}
