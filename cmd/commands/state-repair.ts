import { nextRepair } from "../../lib/state/upkeep/repair.ts";
import type { RepairStep } from "../../lib/state/upkeep/restore.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import type { Lease } from "../../lib/state/lock.ts";
import type { Context } from "../context.ts";
import { readOneStateZone, type StateZones, underLock, printSafe } from "../states.ts";
import { confirmWithUser, TRY_FIRST } from "../confirming.ts";
import type { StateWriteFlags } from "../flags.ts";

type RepairFlags = StateWriteFlags & { readonly autoApprove?: boolean };

type Found = Pick<StateZones, "zones"> & { readonly zone: StateZones["zones"][number] };

/** Runs `zoneform state repair`. */
export async function runStateRepair(context: Context, flags: RepairFlags): Promise<void> {
  const found = await readOneStateZone(context, flags);
  const store = found.world.store;
  if (flags.dryRun) return showStep(context, found, store);
  await underLock(context, flags, { store, zone: found.zone }, "state repair", (lease) =>
    repair(context, found, { store, lease, flags }),
  );
}

/** How many steps a repair may take: the journal, then the state, then the record of hostnames. */
const MOST_STEPS = 3;

async function showStep(context: Context, { zone }: Found, store: ProjectStore): Promise<void> {
  const step = await nextRepair(store, zone.id);
  if (!step) return printSafe(context, `the state of ${zone.name} is intact; there is nothing to repair`);
  printSafe(context, `would repair the state of ${zone.name}:\n${saysOf(step)}`);
}

/** Repairs one fault after the other, because the next one shows only once the previous is repaired. */
async function repair(
  context: Context,
  { zone }: Found,
  { store, lease, flags }: { store: ProjectStore; lease: Lease; flags: RepairFlags },
): Promise<void> {
  for (let done = 0; done < MOST_STEPS; done++) {
    const step = await nextRepair(store, zone.id);
    if (!step) {
      const message =
        done === 0 ? "is intact; there is nothing to repair" : "is repaired; to compare it with live: zoneform plan";
      return printSafe(context, `the state of ${zone.name} ${message}`);
    }
    printSafe(context, `the state of ${zone.name}:\n${saysOf(step)}`);
    if (!(await promptApproval(context, flags))) return context.exit(1);
    for (const name of await step.carryOut(lease)) printSafe(context, `  kept as ${name}`);
  }
}

function saysOf({ says }: RepairStep): string {
  return says.map((line) => `  ${line}`).join("\n");
}

async function promptApproval(context: Context, { autoApprove }: RepairFlags): Promise<boolean> {
  if (autoApprove) return true;
  return confirmWithUser(context, {
    ask: "Repair it like this?",
    declined: "not approved; nothing was written",
    what: "the repair",
    remedy: TRY_FIRST,
  });
}
