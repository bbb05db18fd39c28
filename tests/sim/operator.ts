import { type ZoneId, zoneId } from "../../lib/core/brand.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { Locked, StoreConflict } from "../../lib/state/lock.ts";
import { StateError } from "../../lib/state/error.ts";
import { diceOf, randomOf } from "./dice.ts";
import type { Stage } from "./engine-run.ts";
import { judgeTraces } from "./judge-traces.ts";
import type { SimProcess } from "./machine.ts";
import { PROJECT } from "./shelf.ts";
import { clockOf } from "./sim-clock.ts";

/** How many characters of an id a person in a hurry types. */
const HASTY_LENGTH = 8;

/**
 * After a power cut nobody can tell whether the holder of a lock lives, because the machine has restarted. A person
 * looks, and frees the lock with its exact id, as the message says. Needing anything else would be a violation.
 */
export async function unlockAfterCut(stage: Stage): Promise<void> {
  const { machine, ledger } = stage;
  const zone = zoneId(stage.service.id);
  const process = machine.start(undefined, () => undefined);
  const store = storeOf(stage, process);
  try {
    await (await store.lock(zone, holderOf(process), 0)).release();
  } catch (thrown) {
    if (!(thrown instanceof Locked)) throw thrown;
    const id = thrown.holding.unlockId ?? "";
    await tryShortened(stage, store, id);
    if (await free(store, zone, id)) ledger.manualSteps += 1;
  } finally {
    process.die();
  }
  await loseTheLock(stage);
  await judgeTraces(stage);
}

/** Frees a lock by its id. Returns false if its holder, a run that was only stopped, continued and released it meanwhile. */
async function free(store: ProjectStore, zone: ZoneId, id: string): Promise<boolean> {
  try {
    await store.unlock(zone, id);
    return true;
  } catch (thrown) {
    const now = await store.holding(zone);
    if (!(thrown instanceof StateError) || now?.unlockId === id) throw thrown;
    return false;
  }
}

/** Holds a zone's lock while something runs. */
export async function whileLocked<T>(stage: Stage, act: () => Promise<T>): Promise<T> {
  const process = stage.machine.start(undefined, () => undefined);
  try {
    const lease = await storeOf(stage, process).lock(zoneId(stage.service.id), holderOf(process), 0);
    const done = await act();
    await lease.release();
    return done;
  } finally {
    process.die();
  }
}

/** A part of an id matches many locks. */
async function tryShortened({ ledger, service }: Stage, store: ProjectStore, id: string): Promise<void> {
  const zone = zoneId(service.id);
  for (const part of [id.slice(0, -1), id.slice(0, HASTY_LENGTH), ""]) {
    if (part === id) continue;
    try {
      await store.unlock(zone, part);
      ledger.blame("I5", `a lock is freed by ${JSON.stringify(part)}, and its id is ${id}`);
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
    }
  }
}

/** A holder whose lock a person freed, and somebody else took, adds nothing more to the journal. */
async function loseTheLock(stage: Stage): Promise<void> {
  const [loser, winner] = [
    stage.machine.start(undefined, () => undefined),
    stage.machine.start(undefined, () => undefined),
  ];
  const zone = zoneId(stage.service.id);
  const [late, next] = [storeOf(stage, loser), storeOf(stage, winner)];
  try {
    const lost = await late.lock(zone, holderOf(loser), 0);
    await next.unlock(zone, lost.id);
    const lease = await next.lock(zone, holderOf(winner), 0);
    try {
      await late.append(zone, lost, ["a record of somebody who lost the lock"]);
      stage.ledger.blame("I5", "whoever lost the lock adds to the journal of the one who has it");
    } catch (thrown) {
      if (!(thrown instanceof StoreConflict)) throw thrown;
    }
    await lease.release();
  } catch (thrown) {
    // A run that waited for the lock was faster.
    if (!(thrown instanceof Locked)) throw thrown;
  } finally {
    loser.die();
    winner.die();
  }
}

function storeOf({ machine, shelf }: Stage, process: SimProcess): ProjectStore {
  const dice = diceOf(machine.cuts() + process.identity.pid);
  const clock = clockOf(machine.scheduler, process);
  return shelf
    .open({ process, clock, random: randomOf(dice), dice, isCalm: true, witness: () => undefined })
    .of(PROJECT);
}

function holderOf({ identity }: SimProcess): Parameters<ProjectStore["lock"]>[1] {
  return { who: "operator@machine", processId: identity.pid, operation: "unlock", since: "now" };
}
