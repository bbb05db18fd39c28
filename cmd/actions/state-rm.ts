import type { Context } from "../context.ts";
import { forgetObject, type StateWriteFlags, type Tracked, trackedObject, underLock, withUpkeep } from "../states.ts";
import { printSafe } from "../state-printing.ts";
import { counted } from "../../lib/report/lines/words.ts";
import { readObservations } from "../../lib/state/observations.ts";
import { refuseInUse, retire, retiring } from "../../lib/state/retire.ts";
import { localWorld } from "../world.ts";
import { error, Refusal } from "../../lib/core/diagnostic.ts";
import { confirmWithUser } from "../confirming.ts";

type RemoveFlags = StateWriteFlags & { readonly force?: boolean; readonly autoApprove?: boolean };

/** What `zoneform state rm` does. */
export async function runStateRemove(context: Context, address: string | undefined, flags: RemoveFlags): Promise<void> {
  if (address === undefined) return removeZone(context, flags);
  const tracked = await trackedObject(context, flags, address);
  if (!flags.dryRun) await forgetObject(context, flags, tracked);
  const verb = flags.dryRun ? "would release" : "released";
  printSafe(context, `${verb} ${tracked.address} from the state; ${wayBack(tracked)}`);
}

/** Needs neither the service nor the YAML: the zone may be gone from both. */
async function removeZone(context: Context, flags: RemoveFlags): Promise<void> {
  const store = withUpkeep(localWorld(context, flags).store);
  const wanted = await onlyZone(flags);
  const found = await retiring(store, wanted);
  if (!flags.force) refuseInUse(found);
  const observed = (await readObservations(store, found.id)).byId.size;
  const objects = found.state ? ` (${found.state.objects.size} objects)` : "";
  const seen = observed === 0 ? "" : `, and what runs saw of ${counted(observed, "hostname")}`;
  const what = `the state of ${found.name}${objects}${seen}`;
  if (flags.dryRun) return printSafe(context, `would remove ${what}; changes nothing live`);
  printSafe(context, `this removes ${what}; changes nothing live, but Zoneform no longer manages the objects`);
  if (!(await promptApproval(context, flags))) return context.exit(1);
  const copies = await underLock(context, flags, found, "state rm", async (lease) => {
    // Once more, because a run may have come in between.
    const now = await retiring(store, found.id);
    if (!flags.force) refuseInUse(now);
    return retire(store, lease, now);
  });
  printSafe(context, [`removed ${what}`, ...copies.map((copy) => `  copy: ${copy}`)].join("\n"));
}

async function onlyZone({ zone = [] }: RemoveFlags): Promise<string> {
  const [wanted, ...others] = zone;
  if (wanted !== undefined && others.length === 0) return wanted;
  const message = "it is not clear what to remove from the state";
  const remedy = "give the address of an object; or, to remove the whole state of a zone, --zone without an address";
  throw new Refusal([error({ code: "which-zone", message, remedy })]);
}

async function promptApproval(context: Context, { autoApprove }: RemoveFlags): Promise<boolean> {
  if (autoApprove) return true;
  return confirmWithUser(context, {
    ask: "Remove it?",
    declined: "not approved; nothing was removed",
    what: "the removal",
    remedy: "check it with --dry-run, then run it with --auto-approve",
  });
}

function wayBack({ object, importArguments }: Tracked): string {
  const stays = object.pending ? "a run was stopped while it created it, so it may be live" : "it stays live";
  if (importArguments === undefined) return `${stays}; if it is declared, see: zoneform plan`;
  return `${stays}; to manage it again: zoneform import ${importArguments}`;
}
