import { Command } from "commander";
import { print, type ProjectFlags, type Run } from "../context.ts";
import { withProjectFlags, wholeNumber } from "../flags.ts";

type RemoveFlags = ProjectFlags & { readonly lockTimeout: number; readonly dryRun?: boolean };

/** `zoneform state`: what is remembered between runs, and taking an object out of it. */
export function stateCommand(run: Run): Command {
  return new Command("state")
    .description("look into the state, or take an object out of it")
    .addCommand(listCommand(run))
    .addCommand(showCommand(run))
    .addCommand(removeCommand(run))
    .addHelpText("after", "\nExample:\n  $ zoneform state list --zone saas.dev");
}

function listCommand(run: Run): Command {
  return withProjectFlags(new Command("list"))
    .description("list what is tracked")
    .addHelpText("after", "\nExample:\n  $ zoneform state list")
    .action(
      run(async (context, flags: ProjectFlags) => {
        const { statesOf } = await import("../states.ts");
        const { formatTable } = await import("../../lib/render/table.ts");
        const rows: string[][] = [];
        for (const { zone, state } of await statesOf(context, flags)) {
          for (const [address, object] of state?.objects ?? [])
            rows.push([zone.name, address, object.id, object.seen?.status ?? ""]);
        }
        print(
          context.stdout,
          rows.length === 0 ? "nothing is tracked yet" : formatTable(["zone", "address", "id", "last seen"], rows),
        );
      }),
    );
}

function showCommand(run: Run): Command {
  return withProjectFlags(new Command("show"))
    .description("print what is remembered of one object, as JSON")
    .argument("<address>", "the object's address")
    .addHelpText("after", "\nExample:\n  $ zoneform state show 'custom_hostname[\"app.customer-one.net\"]'")
    .action(
      run(async (context, address: string, flags: ProjectFlags) => {
        const { trackedObject } = await import("../states.ts");
        const { object, importId } = await trackedObject(context, flags, address);
        print(context.stdout, JSON.stringify({ import_id: importId, ...object }, undefined, 2));
      }),
    );
}

function removeCommand(run: Run): Command {
  return withProjectFlags(new Command("rm"))
    .description("forget an object; it stays live")
    .argument("<address>", "the object's address")
    .option("--dry-run", "say what would be forgotten, and write nothing")
    .option("--lock-timeout <seconds>", "how long to wait for the state's lock", wholeNumber, 0)
    .addHelpText("after", "\nExample:\n  $ zoneform state rm 'custom_hostname[\"app.customer-one.net\"]'")
    .action(
      run(async (context, address: string, flags: RemoveFlags) => {
        const { forgetObject, trackedObject } = await import("../states.ts");
        const tracked = await trackedObject(context, flags, address);
        if (!flags.dryRun) await forgetObject(context, flags, tracked);
        const verb = flags.dryRun ? "would forget" : "forgot";
        print(
          context.stdout,
          `${verb} ${tracked.address}; it stays live, to take it back: zoneform import ${tracked.importArguments}`,
        );
      }),
    );
}
