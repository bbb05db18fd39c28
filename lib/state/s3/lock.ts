import type { ZoneId } from "../../core/brand.ts";
import type { StateError } from "../error.ts";
import { leaseOf } from "../lease-sessions.ts";
import { notUnlocked } from "../not-unlocked.ts";
import type { Holding, Lease, LockHolder, StateStore, Taken } from "../store.ts";
import { fenceOff } from "./fence-off.ts";
import { type Head, HEAD, keysOf, uncleanOf } from "./head.ts";
import { bytesOf } from "./json-object.ts";
import { holdingOf } from "./lock-holding.ts";
import { mismatches } from "./mismatches.ts";
import { openSession } from "./open-session.ts";
import { type Place, replace, told } from "./place.ts";
import { checkConditions } from "./probe.ts";
import { findHead } from "./stored-head.ts";
import { takeLock } from "./take-lock.ts";

/** The lock of a zone: an object that its holder renews, and that everything the holder writes has to replace. */
export function locks(place: Place, project: string): Pick<StateStore, "lock" | "holding" | "taken" | "unlock"> {
  const { steady, random, sessions } = place;

  async function lock(
    zone: ZoneId,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<Lease> {
    signal?.throwIfAborted();
    const id = random.uuid();
    const keys = keysOf(project, zone);
    const deadline = steady.now() + waitMilliseconds;
    // Whoever gives up waiting for the lock gives up waiting for the server too.
    const waiting: Place = { ...place, signal };
    return told(place, "locked", async () => {
      await checkConditions(waiting);
      const taken = await takeLock(waiting, { project, zone, keys, holder: { ...holder, id }, deadline });
      const session = openSession(place, keys, zone, taken);
      const lease = leaseOf(sessions, project, zone, id, session);
      try {
        await fenceOff(waiting, keys, session);
      } catch (error) {
        await lease.release().catch(() => undefined);
        throw error;
      }
      return lease;
    });
  }

  async function holding(zone: ZoneId): Promise<Holding | undefined> {
    const stored = await told(place, "read", () => findHead(place, keysOf(project, zone)));
    return stored?.head.isHeld ? holdingOf(stored) : undefined;
  }

  async function taken(zone: ZoneId): Promise<Taken | undefined> {
    const stored = await told(place, "read", () => findHead(place, keysOf(project, zone)));
    const holder = stored?.head.holder;
    return stored && holder && { holder, serial: stored.head.serial };
  }

  async function unlock(zone: ZoneId, id: string): Promise<void> {
    const keys = keysOf(project, zone);
    const mark = random.uuid();
    const name = `the state of zone ${zone}`;
    const mismatch = mismatches(place);
    await told(place, "unlocked", async () => {
      for (let isAgain = false; ; isAgain = true) {
        const stored = await findHead(place, keys);
        const head = stored?.head;
        if (head?.freedBy === mark) return;
        if (!stored || !head?.isHeld)
          throw isAgain ? lostTurn(name) : notUnlocked(`${name} is not locked`, "there is nothing to unlock");
        if (holdingOf(stored).unlockId !== id)
          throw isAgain
            ? lostTurn(name)
            : notUnlocked(`${name} is locked with another id`, "give the id from the message that reported the lock");
        const wanted: Head = {
          ...head,
          nonce: mark,
          epoch: head.epoch + 1,
          isHeld: undefined,
          next: 0,
          unclean: [...head.unclean, uncleanOf(head)],
          freedBy: mark,
        };
        if ((await replace(place, keys.head, stored.tag, bytesOf(HEAD, wanted))) !== undefined) return;
        await mismatch(stored.tag);
      }
    });
  }

  return { lock, holding, taken, unlock };
}

function lostTurn(name: string): StateError {
  return notUnlocked(`another run took the lock of ${name} in the meantime`, "ask again who holds it");
}
