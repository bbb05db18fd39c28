import type { Engine, TakenLock, ZoneKey } from "../../engine.ts";
import type { StateError } from "../../error.ts";
import { leaseOf } from "../../lease-sessions.ts";
import { notUnlocked } from "../../not-unlocked.ts";
import type { Holding, LockHolder } from "../../store.ts";
import { fenceOff } from "./fence-off.ts";
import { type Head, HEAD, keysOf, uncleanOf, viewOf } from "./head.ts";
import { bytesOf } from "./json-object.ts";
import { holdingOf } from "./lock-holding.ts";
import { mismatches } from "./mismatches.ts";
import { openSession } from "./open-session.ts";
import { type Place, replace, told } from "./place.ts";
import { checkConditions } from "./probe.ts";
import { findHead } from "./stored-head.ts";
import { takeLock } from "./take-lock.ts";

/** The lock of a zone: an object that its holder renews, and that everything the holder writes has to replace. */
export function locks(place: Place): Pick<Engine, "lock" | "holding" | "unlock"> {
  const { steady, random, sessions } = place;

  async function lock(
    key: ZoneKey,
    holder: Omit<LockHolder, "id">,
    waitMilliseconds: number,
    signal?: AbortSignal,
  ): Promise<TakenLock> {
    signal?.throwIfAborted();
    const id = random.uuid();
    const keys = keysOf(key);
    const deadline = steady.now() + waitMilliseconds;
    // Whoever gives up waiting for the lock gives up waiting for the server too.
    const waiting: Place = { ...place, signal };
    return told(place, "locked", async () => {
      await checkConditions(waiting);
      const taken = await takeLock(waiting, { key, keys, holder: { ...holder, id }, deadline });
      const session = openSession(place, keys, key.zone, taken);
      const lease = leaseOf(sessions, key.project, key.zone, id, session);
      try {
        await fenceOff(waiting, keys, session);
      } catch (error) {
        await lease.release().catch(() => undefined);
        throw error;
      }
      return { lease, view: viewOf(session.head()) };
    });
  }

  async function holding(key: ZoneKey): Promise<Holding | undefined> {
    const stored = await told(place, "read", () => findHead(place, keysOf(key)));
    return stored?.head.isHeld ? holdingOf(stored) : undefined;
  }

  async function unlock(key: ZoneKey, id: string): Promise<void> {
    const keys = keysOf(key);
    const mark = random.uuid();
    const name = `the state of zone ${key.zone}`;
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

  return { lock, holding, unlock };
}

function lostTurn(name: string): StateError {
  return notUnlocked(`another run took the lock of ${name} in the meantime`, "ask again who holds it");
}
