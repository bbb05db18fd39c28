import { zoneId } from "../../lib/core/brand.ts";
import { localStore } from "../../lib/state/local/store.ts";
import { Locked } from "../../lib/state/store.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { Stage } from "./engine-run.ts";
import { STATE_FOLDER } from "./machine.ts";
import { clockOf } from "./sim-clock.ts";
import { filesOf } from "./sim-files.ts";
import { ZONE_ID } from "./wish.ts";

/**
 * After a power cut nobody can tell whether the holder of a lock lives: the machine has started anew. A person looks,
 * and takes the lock off by its exact id, as the message says. Whatever else were needed would be a violation.
 */
export async function unlockAfterCut({ machine, ledger }: Stage): Promise<void> {
  const dice = diceOf(machine.cuts());
  const process = machine.start(undefined, () => undefined);
  const fs = filesOf(machine, process, undefined, dice, () => undefined);
  const clock = clockOf(machine.scheduler, process);
  const store = localStore(fs, STATE_FOLDER, { identity: process.identity, clock, random: randomOf(dice) });
  const holder = { who: "operator@machine", processId: process.identity.pid, operation: "unlock", since: "now" };
  const zone = zoneId(ZONE_ID);
  try {
    await (await store.lock(zone, holder, 0)).release();
  } catch (thrown) {
    if (!(thrown instanceof Locked)) throw thrown;
    const id = thrown.holder?.id ?? /lock id (\S+)/.exec(thrown.message)?.[1] ?? "";
    await store.unlock(zone, id);
    ledger.manualSteps += 1;
  } finally {
    process.die();
  }
}
