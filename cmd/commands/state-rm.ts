import { Command } from "commander";
import type { Context, Run } from "../context.ts";
import { withProjectFlags, wholeNumber } from "../flags.ts";
import type { StateWriteFlags, Tracked } from "../states.ts";

/** Adds the flags of commands that write a state and nothing live. */
export function withStateWriteFlags(command: Command): Command {
  return withProjectFlags(command)
    .option("--dry-run", "say what would be done, and write nothing")
    .option("--lock-timeout <seconds>", "how long to wait for the state's lock", wholeNumber, 0);
}

type RemoveFlags = StateWriteFlags & { readonly force?: boolean; readonly autoApprove?: boolean };

/** `zoneform state rm`: forgets an object, or all that is kept of a zone; nothing live is changed. */
export function stateRemoveCommand(run: Run): Command {
  return withStateWriteFlags(new Command("rm"))
    .description("forget an object, which stays live; or, with --zone and no address, remove the whole state of a zone")
    .argument("[address]", "the object's address; left out for the whole zone that --zone names")
    .option("--force", "remove a zone's state also where it protects objects, has open intents or cannot be read")
    .option("--auto-approve", "do not ask before the state of a zone is removed")
    .addHelpText(
      "after",
      "\nExample:\n  $ zoneform state rm 'custom_hostname[\"app.customer-one.net\"]'\n\nA zone that was deleted at the service, by its name or its id:\n  $ zoneform state rm --zone saas.dev",
    )
    .action(
      run(async (context, address: string | undefined, flags: RemoveFlags) => {
        if (address === undefined) return removeZone(context, flags);
        const { printSafe } = await import("../state-printing.ts");
        const { forgetObject, trackedObject } = await import("../states.ts");
        const tracked = await trackedObject(context, flags, address);
        if (!flags.dryRun) await forgetObject(context, flags, tracked);
        const verb = flags.dryRun ? "would forget" : "forgot";
        printSafe(context, `${verb} ${tracked.address}; ${wayBack(tracked)}`);
      }),
    );
}

/** Needs neither the service, which may know the zone no more, nor the YAML, which may not declare it any more. */
async function removeZone(context: Context, flags: RemoveFlags): Promise<void> {
  const { counted } = await import("../../lib/report/lines/words.ts");
  const { readObservations } = await import("../../lib/state/observations.ts");
  const { refuseInUse, retire, retiring } = await import("../../lib/state/retire.ts");
  const { underLock, withUpkeep } = await import("../states.ts");
  const { printSafe } = await import("../state-printing.ts");
  const { localWorld } = await import("../world.ts");
  const store = withUpkeep(localWorld(context, flags).store);
  const wanted = await onlyZone(flags);
  const found = await retiring(store, wanted);
  if (!flags.force) refuseInUse(found);
  const observed = (await readObservations(store, found.id)).byId.size;
  const objects = found.state ? ` (${found.state.objects.size} objects)` : "";
  const seen = observed === 0 ? "" : `, and what runs saw of ${counted(observed, "hostname")}`;
  const what = `the state of ${found.name}${objects}${seen}`;
  if (flags.dryRun) return printSafe(context, `would remove ${what}; live stays as it is`);
  printSafe(context, `about to remove ${what}; nothing live changes, and zoneform forgets every object of the zone`);
  if (!(await approved(context, flags))) return context.exit(1);
  const copies = await underLock(context, flags, found, "state rm", async (lease) => {
    // Once more, because a run may have come in between.
    const now = await retiring(store, found.id);
    if (!flags.force) refuseInUse(now);
    return retire(store, lease, now);
  });
  printSafe(context, [`removed ${what}`, ...copies.map((copy) => `  a copy is kept: ${copy}`)].join("\n"));
}

async function onlyZone({ zone = [] }: RemoveFlags): Promise<string> {
  const [wanted, ...others] = zone;
  if (wanted !== undefined && others.length === 0) return wanted;
  const { error, Refusal } = await import("../../lib/core/diagnostic.ts");
  const message = "nothing says what is to be removed from the state";
  const remedy = "give the address of an object; or, for all that is kept of one zone, --zone alone";
  throw new Refusal([error({ code: "which-zone", message, remedy })]);
}

async function approved(context: Context, { autoApprove }: RemoveFlags): Promise<boolean> {
  if (autoApprove) return true;
  const { confirmed } = await import("../confirming.ts");
  return confirmed(context, {
    ask: "Remove it?",
    declined: "not approved; nothing was removed",
    what: "the removal",
    remedy: "look at it with --dry-run, then say --auto-approve",
  });
}

function wayBack({ object, importArguments }: Tracked): string {
  const stays = object.pending ? "a run was stopped while it created it, so it may be live" : "it stays live";
  if (importArguments === undefined) return `${stays}: zoneform plan shows that, where it is declared`;
  return `${stays}, to take it back: zoneform import ${importArguments}`;
}
