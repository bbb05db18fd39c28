import { defined } from "../../lib/core/defined.ts";
import { shellQuoted } from "../../lib/core/shell.ts";
import { locksDocument } from "../../lib/report/commands/state.ts";
import { jsonText } from "../../lib/report/escape/json.ts";
import { type Context, print, printingOn, type ProjectFlags } from "../context.ts";
import { holdingNow, type LockedZone, lockText, takeOverLines, unlockLines } from "../state-locks.ts";
import { printSafe } from "../state-printing.ts";
import { readStateZones } from "../states.ts";

type LockFlags = ProjectFlags & { readonly json?: boolean };

/** What `zoneform state lock` does. */
export async function runStateLock(context: Context, flags: LockFlags): Promise<void> {
  const { world, zones } = await readStateZones(context, flags);
  const { complete } = printingOn(context, flags);
  const unlock = ({ zone, holding }: LockedZone): string | undefined =>
    holding.unlockId === undefined
      ? undefined
      : complete(`zoneform state unlock ${shellQuoted(holding.unlockId)} --zone ${shellQuoted(zone.name)}`);
  const documents: Parameters<typeof locksDocument>[0][number][] = [];
  for (const zone of zones) {
    const holding = await holdingNow(world.store, zone.id);
    const locked = holding && { zone, holding };
    documents.push({ zone, ...(locked ? { holding: locked.holding, ...defined({ unlock: unlock(locked) }) } : {}) });
    if (flags.json) continue;
    if (!locked) printSafe(context, `the state of ${zone.name} is not locked`);
    else
      printSafe(
        context,
        [
          await lockText(world, locked),
          ...takeOverLines(locked, complete),
          ...unlockLines(locked, unlock(locked)),
        ].join("\n"),
      );
  }
  if (flags.json) print(context.stdout, jsonText(locksDocument(documents, world.clock.now())));
}
