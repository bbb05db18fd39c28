import { changeState, type StateWriteFlags, trackedObject } from "../states.ts";
import type { Context } from "../context.ts";
import { isNamedLive } from "../../lib/engine/look-up.ts";
import { moveInState } from "../../lib/state/move.ts";
import { printSafe } from "../state-printing.ts";
import { toAddress } from "../state-addresses.ts";

/** What `zoneform state mv` does. */
export async function runStateMove(context: Context, from: string, to: string, flags: StateWriteFlags): Promise<void> {
  const tracked = await trackedObject(context, flags, from);
  const target = toAddress(tracked, to);
  // Asked before the lock is taken, and again under it.
  moveInState(tracked.state, tracked.address, target, isNamedLive);
  if (!flags.dryRun)
    await changeState(context, flags, tracked, "state mv", (state) =>
      moveInState(state, tracked.address, target, isNamedLive),
    );
  printSafe(context, `${flags.dryRun ? "would move" : "moved"} ${tracked.address} to ${target}; changes nothing live`);
}
