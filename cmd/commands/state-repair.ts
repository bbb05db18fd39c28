import { Command, Option } from "commander";
import type { RepairOptions, RepairStep } from "../../lib/state/repair.ts";
import type { LocalStore } from "../../lib/state/local/store.ts";
import type { Lease } from "../../lib/state/store.ts";
import type { Context, Run } from "../context.ts";
import type { StateWriteFlags, StateZones } from "../states.ts";
import { withStateWriteFlags } from "./state-rm.ts";

type RepairFlags = StateWriteFlags & { readonly from?: "backup"; readonly autoApprove?: boolean };

/** A damaged journal, then what it does not fit, then a damaged snapshot: no state needs more steps than this. */
const MOST_STEPS = 4;

/** `zoneform state repair`: keeps what is whole of a damaged state; never unasked. */
export function stateRepairCommand(run: Run): Command {
  return withStateWriteFlags(new Command("repair"))
    .description("keep what is whole of a damaged journal or state, and a copy of what was there")
    .addOption(new Option("--from <what>", "put an earlier copy in the place of a damaged state").choices(["backup"]))
    .option("--auto-approve", "do not ask before writing")
    .addHelpText("after", "\nExample:\n  $ zoneform state repair --zone saas.dev --dry-run")
    .action(
      run(async (context, flags: RepairFlags) => {
        const { oneStateZone, underLock, withUpkeep } = await import("../states.ts");
        const found = await oneStateZone(context, flags);
        const store = withUpkeep(found.world.store);
        if (flags.dryRun) return showStep(context, found, store, flags);
        await underLock(context, flags, found.zone, "state repair", (lease) =>
          repair(context, found, { store, lease, flags }),
        );
      }),
    );
}

type Found = Pick<StateZones, "zones"> & { readonly zone: StateZones["zones"][number] };

async function showStep(context: Context, { zone }: Found, store: LocalStore, flags: RepairFlags): Promise<void> {
  const { nextRepair } = await import("../../lib/state/repair.ts");
  const { printSafe } = await import("../state-printing.ts");
  const step = await nextRepair(store, zone.id, optionsOf(flags));
  if (!step) return printSafe(context, `the state of ${zone.name} is whole; there is nothing to repair`);
  printSafe(context, `would repair the state of ${zone.name}:\n${saysOf(step)}`);
}

/** Mends one thing after the other, because what comes next can only be told once the first is mended. */
async function repair(
  context: Context,
  { zone }: Found,
  { store, lease, flags }: { store: LocalStore; lease: Lease; flags: RepairFlags },
): Promise<void> {
  const { nextRepair } = await import("../../lib/state/repair.ts");
  const { printSafe } = await import("../state-printing.ts");
  for (let done = 0; done < MOST_STEPS; done++) {
    const step = await nextRepair(store, zone.id, optionsOf(flags));
    if (!step) {
      const message = done === 0 ? "is whole; there is nothing to repair" : "is whole again; now look at zoneform plan";
      return printSafe(context, `the state of ${zone.name} ${message}`);
    }
    printSafe(context, `the state of ${zone.name}:\n${saysOf(step)}`);
    if (!(await approved(context, flags))) return context.exit(1);
    await step.carryOut(lease);
  }
}

function optionsOf({ from }: RepairFlags): RepairOptions {
  return { isFromBackup: from === "backup" };
}

function saysOf({ says }: RepairStep): string {
  return says.map((line) => `  ${line}`).join("\n");
}

async function approved(context: Context, { autoApprove }: RepairFlags): Promise<boolean> {
  if (autoApprove) return true;
  const { confirmed } = await import("../confirming.ts");
  return confirmed(context, {
    ask: "Repair it so?",
    declined: "not approved; nothing was written",
    what: "the repair",
    remedy: "look at it with --dry-run, then say --auto-approve",
  });
}
