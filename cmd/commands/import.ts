import { Command } from "commander";
import { print, type ServiceFlags, type Run } from "../context.ts";
import { withServiceFlags, wholeNumber } from "../flags.ts";
import { projectOptions } from "../project.ts";

interface ImportFlags extends ServiceFlags {
  readonly write?: boolean;
  readonly lockTimeout: number;
}

/** `zoneform import [ADDRESS] ID`: takes an object that is live under management, without changing it. */
export function importCommand(run: Run): Command {
  return withServiceFlags(new Command("import"))
    .description("take a live object under management")
    .argument("<address-or-id>", "the import id, or the address before it")
    .argument(
      "[id]",
      "zone/<zone_id>/<ruleset_id>, <zone_id>/<custom_hostname_id or hostname>, <zone_id>/<certificate_pack_id>, or <zone_id>",
    )
    .option("--write", "declare the object in the zone's YAML as it is live")
    .option("--lock-timeout <seconds>", "how long to wait for the state's lock", wholeNumber, 0)
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform import zone/023e105f4ecef8ad9ca31a8372d0c353/2f2feab2026849078ba485f918791bdc",
    )
    .action(
      run(async (context, first: string, second: string | undefined, own: ImportFlags, command: Command) => {
        const flags = { ...own, ...command.optsWithGlobals<ImportFlags>() };
        const { findForImport, importIntoState } = await import("../../lib/engine/import.ts");
        const { EXIT } = await import("../../lib/core/exit-code.ts");
        const { isInterruption } = await import("../failure.ts");
        const { escape } = await import("../../lib/report/escape/terminal.ts");
        const { lockHolder } = await import("../../lib/real/world.ts");
        const { openWorld } = await import("../world.ts");
        const { declareIn, notDeclared } = await import("../declaring.ts");
        const [id, address] = second === undefined ? [first, undefined] : [second, first];
        const world = openWorld(context, flags);
        try {
          let file: string | undefined;
          let found = await findForImport(world, projectOptions(flags), id, address);
          if (!found.object) {
            if (!flags.write) throw notDeclared(found);
            ({ file, found } = await declareIn(world, context, flags, found, { id, address }));
            print(context.stdout, `declared in ${file}`);
          }
          const { object } = found;
          if (!object) throw notDeclared(found);
          const holder = lockHolder(context.env, "import");
          try {
            await importIntoState(world, { ...found, object }, holder, flags.lockTimeout * 1000);
          } catch (thrown) {
            if (file === undefined || !isInterruption(context, thrown)) throw thrown;
            print(
              context.stderr,
              `interrupted: ${file} declares it by now, and no state knows it yet; import it again`,
            );
            return context.exit(EXIT.interrupted);
          }
          const importId = found.kind.importId(found.zone.id, found.live);
          print(context.stdout, escape(`imported ${found.address} as ${importId}`));
          print(context.stdout, "to see what differs from the YAML: zoneform plan");
        } finally {
          await world.close();
        }
      }),
    );
}
